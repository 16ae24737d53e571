/** Workloads that are changed, rolled out, scaled, waited for and deleted; without controllers, so their statuses are written by hand. */
import type { Script } from "../script.ts";
import { pod, running, settings, shop } from "./manifests.ts";

const rolledOut = JSON.stringify({
  status: {
    observedGeneration: 100,
    replicas: 3,
    updatedReplicas: 3,
    readyReplicas: 3,
    availableReplicas: 3,
    conditions: [
      { type: "Available", status: "True", reason: "MinimumReplicasAvailable", message: "there are enough" },
      { type: "Progressing", status: "True", reason: "NewReplicaSetAvailable", message: "it is complete" },
    ],
  },
});

const setting: Script = {
  name: "setting",
  long: "its patches are like those of the script patching",
  files: { "settings.yaml": settings, "shop.yaml": shop, "pod.yaml": pod("one") },
  commands: [
    "apply -f settings.yaml -f shop.yaml -f pod.yaml",
    "set image deploy/shop main=nginx:2",
    "set image deploy/shop main=nginx:2",
    "set image deploy/shop *=nginx:3",
    "set image deploy/shop none=nginx:2",
    "set image pod/one main=nginx:4",
    "set image deploy/shop main=nginx:5 --local -o yaml --dry-run=client",
    "set env deploy/shop A=1 B=2",
    "set env deploy/shop A-",
    "set env deploy/shop --list",
    "set env deploy/shop --from=cm/first --keys=colour --prefix=CFG_",
    "set env deploy/shop --from=secret/password --keys=user --containers=main",
    "set env deploy/shop --list --resolve",
    "set env pod/one A=1",
    "set resources deploy/shop --limits=cpu=200m,memory=64Mi --containers=main",
    "set resources deploy/shop --requests=cpu=500m --containers=main",
    "set resources deploy/shop --limits=nothing",
    "set selector svc/web app=other",
    "set selector deploy/shop app=other",
    "set serviceaccount deploy/shop robot",
    "set subject rolebinding/none --user=u",
    "create rolebinding some --clusterrole=view --user=a",
    "set subject rolebinding some --user=b --group=c --serviceaccount=setting:robot",
    "get rolebinding some -o yaml",
    "get deploy shop -o yaml --show-managed-fields",
    "scale deploy shop --replicas=2",
    "scale deploy shop --replicas=2 --current-replicas=5",
    "scale deploy shop --replicas=4 --resource-version=1",
    "scale deploy shop --replicas=-1",
    "scale deploy --all --replicas=1",
    "scale --replicas=3 -f shop.yaml",
    "scale deploy none --replicas=1",
    "scale cm first --replicas=1",
    "autoscale deploy shop --max=4",
    "autoscale deploy shop --max=4",
    "expose deploy shop --name=shop",
    "get hpa,svc,deploy",
  ],
};

const rolling: Script = {
  name: "rolling",
  files: {
    "shop.yaml": shop,
    "sets.yaml": `
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db}
spec: {serviceName: db, selector: {matchLabels: {app: db}}, template: {metadata: {labels: {app: db}}, spec: {containers: [{name: c, image: i}]}}}
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: agent}
spec: {selector: {matchLabels: {app: agent}}, template: {metadata: {labels: {app: agent}}, spec: {containers: [{name: c, image: i}]}}}
`,
    "revisions.yaml": [1, 2]
      .map(
        (revision) => `
apiVersion: apps/v1
kind: ReplicaSet
metadata:
  name: shop-${revision}
  labels: {app: shop}
  annotations: {deployment.kubernetes.io/revision: "${revision}", kubernetes.io/change-cause: change ${revision}}
spec:
  replicas: 0
  selector: {matchLabels: {app: shop, pod-template-hash: "${revision}"}}
  template:
    metadata: {labels: {app: shop, pod-template-hash: "${revision}"}}
    spec: {containers: [{name: main, image: "nginx:${revision}"}]}
`,
      )
      .join("---"),
  },
  commands: [
    "apply -f shop.yaml -f sets.yaml -f revisions.yaml",
    "rollout status deploy/shop --timeout=1s",
    "rollout status deploy/shop --watch=false",
    `patch deploy shop --subresource=status --type=merge -p '${rolledOut}'`,
    "rollout status deploy/shop --timeout=60s",
    "rollout status ds/agent --watch=false",
    "rollout status sts/db --watch=false",
    "rollout status cm/none",
    "rollout history deploy/shop",
    "rollout history deploy/shop --revision=2",
    "rollout history sts/db",
    "rollout undo deploy/shop",
    // A second restart within the same second would be refused.
    "rollout restart deploy -l app=shop",
    "rollout restart sts/db ds/agent",
    "rollout pause deploy/shop",
    "rollout pause deploy/shop",
    "rollout restart deploy/shop",
    "rollout undo deploy/shop",
    "rollout resume deploy/shop",
    "rollout resume deploy/shop",
    "rollout pause sts/db",
    "describe deploy shop",
    "get deploy,sts,ds,rs -o wide",
  ],
};

const waiting: Script = {
  name: "waiting",
  long: "timeouts of a second pass, and a machine under load changes what is printed",
  files: { "settings.yaml": settings, "shop.yaml": shop, "pod.yaml": pod("one") },
  commands: [
    "apply -f settings.yaml -f shop.yaml -f pod.yaml",
    "wait pod/one --for=condition=Ready --timeout=0",
    `patch pod one --subresource=status --type=merge -p '${running}'`,
    `patch deploy shop --subresource=status --type=merge -p '${rolledOut}'`,
    "wait pod/one --for=condition=Ready --timeout=60s",
    "wait pods --all --for=condition=Ready --timeout=60s",
    "wait pod -l app=shop --for=condition=Ready=True --timeout=60s",
    "wait pod/one --for=condition=Ready=False --timeout=1s",
    "wait deploy/shop --for=condition=Available --timeout=60s",
    "wait deploy/shop --for=jsonpath={.status.readyReplicas}=3 --timeout=60s",
    "wait deploy/shop --for=jsonpath={.status.readyReplicas} --timeout=60s",
    "wait deploy/shop --for=jsonpath={.status.readyReplicas}=4 --timeout=1s",
    "wait deploy/shop --for=jsonpath={.status.none}=4 --timeout=1s",
    `wait pod/one --for=jsonpath='{.status.conditions[?(@.type=="Ready")].status}'=True --timeout=60s`,
    "wait cm/first --for=create --timeout=60s",
    "wait cm/none --for=create --timeout=1s",
    "wait cm/none --for=delete --timeout=60s",
    "wait cm/first --for=delete --timeout=1s",
    "wait cm/none --for=condition=Ready",
    "wait cm -l app=nothing --for=condition=Ready --timeout=1s",
    "wait pod/one --for=nothing",
    "wait pod/one",
    "delete cm first --wait=false",
    "wait cm/first --for=delete --timeout=60s",
  ],
};

const deleting: Script = {
  name: "deleting",
  long: "timeouts of a second pass, and a machine under load changes what is printed",
  files: {
    "settings.yaml": settings,
    "shop.yaml": shop,
    "pods.yaml": `${pod("one", { node: "far" })}---${pod("two", { node: "far" })}---${pod("three")}`,
  },
  commands: [
    "create -f settings.yaml -f shop.yaml -f pods.yaml",
    "delete cm first --dry-run=server",
    "delete cm first --dry-run=client",
    "delete cm first -o name",
    "delete cm first",
    "delete cm first --ignore-not-found",
    "delete cm first second",
    "delete secret/password svc/web",
    "delete -f settings.yaml --ignore-not-found",
    "delete -f settings.yaml",
    "create -f settings.yaml",
    "delete cm,secrets -l app=shop",
    "delete cm",
    "delete cm --all first",
    "delete cm --all -l app=shop",
    "delete nothing --all",
    "delete pod three",
    "delete pod one --wait=false",
    "get pod one -o yaml",
    "delete pod one --grace-period=1 --wait=false",
    "delete pod one --wait --timeout=1s",
    "delete pod one --grace-period=0 --timeout=1s",
    "delete pod two --now --wait=false",
    "delete pod two --force",
    "delete pods --all --timeout=1s",
    "delete deploy shop --cascade=orphan --wait=false",
    "get deploy shop -o jsonpath={.metadata.finalizers}",
    `patch deploy shop --type=merge -p '{"metadata":{"finalizers":["example.com/hold"]}}'`,
    "delete deploy shop --timeout=1s",
    `patch deploy shop --type=merge -p '{"metadata":{"finalizers":["example.com/hold","example.com/late"]}}'`,
    `patch deploy shop --type=json -p '[{"op":"remove","path":"/metadata/finalizers"}]'`,
    "get deploy shop",
    "create -f shop.yaml",
    "delete deploy shop --cascade=foreground --timeout=1s",
    "delete deploy shop --cascade=none",
    "delete --raw /api/v1/namespaces/deleting/configmaps/second",
    "delete --raw /api/v1/namespaces/deleting/configmaps/second",
    "delete ns deleting-none",
    "create ns deleting-other",
    "delete ns deleting-other --wait=false",
    "get ns deleting-other -o yaml",
    "create cm late -n deleting-other",
    "delete ns default",
    "delete --all-namespaces cm -l app=nothing",
  ],
};

export const runningScripts: readonly Script[] = [setting, rolling, waiting, deleting];
