/** kubectl commands in the order in which both servers get them. */
import { deployment, events, node, nodeStatus, oneOfEach, pod, podStatus, replicaSet } from "./kubectl-manifests.ts";

export interface Step {
  /** The command line, split at blanks. */
  readonly run: string;
  readonly stdin?: string;
  /** Why the sandbox prints something else, and what. */
  readonly differs?: { readonly because: string; readonly prints: string };
}

export interface Scene {
  readonly name: string;
  readonly steps: readonly Step[];
}

const each = (names: string, ...runs: readonly ((name: string) => string)[]): readonly Step[] =>
  names.split(" ").flatMap((name) => runs.map((run) => ({ run: run(name) })));

const nothingRuns = (what: string): string => `${what} is not served by this sandbox: nothing runs behind it`;
const noKubelet = "on the bare real server there is no kubelet to ask";

export const scenes: readonly Scene[] = [
  {
    name: "creates and applies",
    steps: [
      { run: "create namespace shop" },
      { run: "create serviceaccount default -n shop" },
      { run: "apply -n shop -f -", stdin: replicaSet(1) },
      { run: "apply -n shop -f -", stdin: replicaSet(1) },
      { run: "apply -n shop -f - --dry-run=client", stdin: replicaSet(2) },
      { run: "apply -n shop -f - --dry-run=server", stdin: replicaSet(2) },
      { run: "diff -n shop -f -", stdin: replicaSet(2) },
      { run: "apply -n shop -f -", stdin: replicaSet(2) },
      { run: "apply -n shop -f -", stdin: deployment },
      { run: "create -f -", stdin: node },
      { run: `patch node node-a --subresource=status --type=merge -p ${nodeStatus}` },
      { run: "apply -n shop -f -", stdin: pod },
      { run: `patch pod one -n shop --subresource=status --type=merge -p ${podStatus}` },
      { run: "create -f -", stdin: events },
      { run: "apply -n shop -f -", stdin: oneOfEach },
    ],
  },
  {
    name: "gets in every form",
    steps: [
      ...each(
        "rs deploy pods nodes ns sa svc all rs,pods cm secrets ds sts jobs cj hpa pdb pvc ep endpointslices ing netpol rc limits leases rolebindings roles controllerrevisions podtemplates",
        (kind) => `get ${kind} -n shop`,
        (kind) => `get ${kind} -n shop -o wide --show-labels`,
      ),
      ...each("pv sc ingressclasses runtimeclasses pc csr", (kind) => `get ${kind} -o wide`),
      ...each("pod/one deploy/shop rs/web svc/lb job/jb hpa/hpa", (name) => `get ${name} -n shop -o yaml`),
      { run: "get rs web -n shop -o yaml --show-managed-fields" },
      { run: "get node node-a -o json" },
      { run: "get pods -n shop -o custom-columns=N:.metadata.name,P:.status.phase" },
      { run: "get pods -A -l app=one -o name" },
      { run: "get pods -A --field-selector=spec.nodeName=node-a" },
      { run: "get pods -n shop --sort-by=.metadata.name" },
      { run: "get pods none -n shop" },
      { run: "get nope -n shop" },
      { run: "get events -n shop" },
      { run: "get events -n shop -o wide" },
      { run: "get events.events.k8s.io -n shop -o wide" },
      { run: "get events -n shop --field-selector=type=Warning" },
      { run: "events -n shop" },
      { run: "events -n shop --for pod/one" },
    ],
  },
  {
    name: "describes",
    steps: each(
      "pod/one deploy/shop rs/web node/node-a ns/shop sa/default ds/ds sts/ss cj/cj job/jb hpa/hpa pdb/pdb pvc/pvc pv/pv sc/fast ing/in svc/lb svc/en netpol/np rc/rc limits/lr ep/ep endpointslices/es rolebinding/rb role/ro",
      (name) => `describe ${name} -n shop`,
    ),
  },
  {
    name: "creates what it makes up itself (as protobuf)",
    steps: [
      { run: "create deployment web2 --image=nginx --port=80 --replicas=2 -n shop" },
      { run: "create configmap c1 --from-literal=a=b -n shop" },
      { run: "create secret generic s1 --from-literal=a=b -n shop" },
      { run: "create service nodeport s1 --tcp=80:http --node-port=30111 -n shop" },
      { run: "create job j1 --image=x -n shop -- sleep 1" },
      { run: "create cronjob c1 --image=x --schedule=@hourly -n shop" },
      { run: "create quota q1 --hard=pods=10,limits.cpu=4 -n shop" },
      { run: "create role r --verb=get,list --resource=pods,deployments.apps -n shop" },
      { run: "create clusterrolebinding b --clusterrole=view --serviceaccount=shop:default --user=u" },
      { run: "create poddisruptionbudget p --selector=a=b --min-available=20% -n shop" },
      { run: "create priorityclass low --value=-10" },
      { run: "create ingress i1 --rule=a.b/*=s:80 -n shop" },
      { run: "run p2 --image=nginx -n shop --env=A=b --labels=c=d" },
      { run: "expose deploy shop --port=80 --target-port=http -n shop" },
      { run: "autoscale deploy shop --max=3 --cpu=80% -n shop" },
      ...each(
        "deploy/web2 cm/c1 secret/s1 svc/s1 job/j1 cj/c1 quota/q1 role/r pdb/p ing/i1 pod/p2 svc/shop hpa/shop clusterrolebinding/b pc/low",
        (name) => `get ${name} -n shop -o yaml`,
      ),
      { run: "describe quota q1 -n shop" },
      { run: "describe secret s1 -n shop" },
      { run: "create deployment web2 --image=nginx -n shop" },
      { run: "create deployment -n shop Web --image=nginx" },
      { run: "auth can-i create pods -n shop" },
      { run: "auth whoami" },
    ],
  },
  {
    name: "scales, labels, patches, sets, waits",
    steps: [
      { run: "scale rs web --replicas=5 -n shop" },
      { run: "scale rs web --replicas=6 --current-replicas=4 -n shop" },
      { run: "scale deploy shop --replicas=2 -n shop" },
      { run: "label rs web x=y -n shop" },
      { run: "label rs web x=z -n shop" },
      { run: "label rs web x=z --overwrite -n shop" },
      { run: "label rs web x- -n shop" },
      { run: "annotate rs web a=b -n shop" },
      { run: `patch rs web -n shop -p {"spec":{"replicas":3}}` },
      { run: `patch rs web -n shop --type=merge -p {"metadata":{"labels":{"m":"1"}}}` },
      { run: `patch rs web -n shop --type=json -p [{"op":"replace","path":"/spec/replicas","value":4}]` },
      { run: `patch rs web -n shop --type=json -p [{"op":"replace","path":"/spec/nope/x","value":4}]` },
      { run: `patch rs web -n shop -p {"spec":{"selector":{"matchLabels":{"app":"other"}}}}` },
      { run: "get rs web -n shop -o yaml" },
      { run: "set image deploy/shop main=nginx:2 -n shop" },
      { run: "set env deploy/shop B=c -n shop" },
      { run: "set resources deploy/shop --limits=cpu=1 -n shop" },
      { run: "rollout restart deploy/shop -n shop" },
      { run: "rollout pause deploy/shop -n shop" },
      { run: "rollout resume deploy/shop -n shop" },
      { run: "rollout history deploy/shop -n shop" },
      { run: "rollout status deploy/shop -n shop --timeout=1s" },
      { run: "get deploy shop -n shop -o yaml" },
      { run: "wait rs/web -n shop --for=jsonpath={.spec.replicas}=4 --timeout=5s" },
      { run: "wait pod/one -n shop --for=condition=Ready --timeout=5s" },
      { run: "wait pod/one -n shop --for=condition=Nope --timeout=1s" },
      { run: "cordon node-a" },
      { run: "uncordon node-a" },
      { run: "taint node node-a a=b:NoExecute" },
      { run: "taint node node-a a-" },
      { run: "replace -n shop -f -", stdin: replicaSet(7) },
      { run: "create -n shop -f -", stdin: replicaSet(7).replace("replicas", "replica") },
      { run: "create -n shop -f -", stdin: replicaSet(7) },
      { run: "create -n nope -f -", stdin: replicaSet(7) },
    ],
  },
  {
    name: "says what is not there",
    steps: [
      {
        run: "logs one -n shop -c main",
        differs: { because: noKubelet, prints: nothingRuns("pods/log") },
      },
      { run: "exec one -n shop -c main -- ls", differs: { because: noKubelet, prints: nothingRuns("pods/exec") } },
      { run: "attach one -n shop -c main", differs: { because: noKubelet, prints: nothingRuns("pods/attach") } },
      {
        run: "port-forward one -n shop 8080",
        differs: { because: noKubelet, prints: nothingRuns("pods/portforward") },
      },
      {
        run: "create token default -n shop",
        differs: { because: "there is nobody to sign tokens for", prints: nothingRuns("serviceaccounts/token") },
      },
      {
        run: "apply -n shop --server-side -f -",
        stdin: replicaSet(7),
        differs: {
          because: "server-side apply comes later",
          prints: "server-side apply is not served by this sandbox",
        },
      },
      { run: "top pod -n shop" },
    ],
  },
  {
    name: "asks the server about itself",
    steps: [
      { run: "api-resources" },
      { run: "api-versions" },
      { run: "version" },
      { run: "cluster-info" },
      { run: "get --raw /readyz" },
      { run: "get --raw /livez" },
      { run: "get --raw /version" },
    ],
  },
  {
    name: "deletes, with each cascade: the API server's part of it",
    steps: [
      { run: "delete rs web -n shop --cascade=foreground --wait=false" },
      { run: "get rs web -n shop -o jsonpath={.metadata.finalizers}" },
      { run: `patch rs web -n shop --type=merge -p {"metadata":{"finalizers":null}}` },
      { run: "get rs -n shop" },
      { run: "create -n shop -f -", stdin: replicaSet(1) },
      { run: "delete rs web -n shop --cascade=orphan --wait=false" },
      { run: "get rs web -n shop -o jsonpath={.metadata.finalizers}" },
      { run: `patch rs web -n shop --type=merge -p {"metadata":{"finalizers":null}}` },
      { run: "create -n shop -f -", stdin: replicaSet(1) },
      { run: "delete rs web -n shop --cascade=background" },
      { run: "delete rs web -n shop" },
      { run: "delete rs web -n shop --ignore-not-found" },
      { run: "delete pod one -n shop --wait=false" },
      { run: "get pod one -n shop" },
      { run: "drain node-a --force --ignore-daemonsets --timeout=2s" },
      { run: "delete pod one -n shop --grace-period=0 --force" },
      { run: "delete deploy --all -n shop" },
      { run: "delete pods -l app=zz -n shop" },
      { run: "wait pod/one -n shop --for=delete --timeout=1s" },
      { run: "delete ns shop --wait=false" },
      { run: "get ns shop" },
      { run: "create configmap late -n shop" },
    ],
  },
];
