/** One object of each kind with special columns and descriptions, and the output of kubectl's generators. */
import type { Script } from "../script.ts";
import { deployment, events, node, nodeStatus, oneOfEach, pod, podStatus, replicaSet } from "./every-kind.ts";

const namespaced =
  "rs,deploy,pods,sa,svc,cm,secrets,ds,sts,jobs,cj,hpa,pdb,pvc,ep,endpointslices,ing,netpol,rc,limits,leases,rolebindings,roles,controllerrevisions,podtemplates";
const clusterWide = "node/node-a pv/pv sc/fast ingressclass/nginx runtimeclass/rtc";

const showing: Script = {
  name: "showing",
  alone: "it lists PriorityClasses and requests for certificates, and has a default StorageClass",
  files: {
    "set.yaml": replicaSet(2),
    "deployment.yaml": deployment,
    "node.yaml": node,
    "pod.yaml": pod,
    "events.yaml": events.replaceAll("namespace: shop", "namespace: showing"),
    "each.yaml": oneOfEach,
  },
  commands: [
    "apply -f set.yaml -f deployment.yaml",
    "create -f node.yaml",
    `patch node node-a --subresource=status --type=merge -p '${nodeStatus}'`,
    "apply -f pod.yaml",
    `patch pod one --subresource=status --type=merge -p '${podStatus}'`,
    "create -f events.yaml",
    "apply -f each.yaml",
    "get all",
    `get ${namespaced}`,
    `get ${namespaced} -o wide --show-labels`,
    `get ${clusterWide}`,
    `get ${clusterWide} -o wide --show-labels`,
    "get pc,csr -o wide",
    "get pod/one deploy/shop rs/web svc/lb job/jb hpa/hpa -o yaml",
    "get node node-a -o json",
    "get pods -A --field-selector=spec.nodeName=node-a",
    "get events",
    "get events -o wide",
    "get events.events.k8s.io -o wide",
    "get events --field-selector=type=Warning",
    "events --for=pod/one",
    "describe pod/one deploy/shop rs/web sa/default ds/ds sts/ss cj/cj job/jb hpa/hpa",
    "describe pdb/pdb pvc/pvc ing/in svc/lb svc/en netpol/np rc/rc limits/lr ep/ep endpointslices/es rolebinding/rb role/ro",
    `describe ${clusterWide}`,
    "describe ns showing",
    "drain node-a --force --ignore-daemonsets --timeout=2s",
    "delete -f each.yaml -f node.yaml --wait=false",
    `patch pv pv --type=merge -p '{"metadata":{"finalizers":null}}'`,
  ],
};

const made =
  "deploy/web cm/settings secret/password svc/web job/once cj/hourly quota/few role/reader pdb/some ing/doors pod/single svc/exposed hpa/web";

const generating: Script = {
  name: "generating",
  commands: [
    "create deployment web --image=nginx --port=80 --replicas=2",
    "create configmap settings --from-literal=a=b",
    "create secret generic password --from-literal=a=b",
    "create service nodeport web --tcp=80:http --node-port=30812",
    "create job once --image=x -- sleep 1",
    "create cronjob hourly --image=x --schedule=@hourly",
    "create quota few --hard=pods=10,limits.cpu=4",
    "create role reader --verb=get,list --resource=pods,deployments.apps",
    "create clusterrolebinding generating-viewers --clusterrole=view --serviceaccount=generating:default --user=u",
    "create poddisruptionbudget some --selector=a=b --min-available=20%",
    "create priorityclass generating-low --value=-10",
    "create ingress doors --rule=a.b/*=web:80",
    "run refused --image=nginx",
    "delete quota few",
    "run single --image=nginx --env=A=B --labels=c=d",
    "expose deploy web --port=80 --target-port=http --name=exposed",
    "autoscale deploy web --max=3 --cpu=80%",
    "create quota few --hard=pods=10,limits.cpu=4",
    `get ${made} -o yaml`,
    "get clusterrolebinding/generating-viewers pc/generating-low -o yaml",
    "describe quota few",
    "describe secret password",
  ],
};

export const showingScripts: readonly Script[] = [showing, generating];
