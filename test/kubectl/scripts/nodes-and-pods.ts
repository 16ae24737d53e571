/** Nodes that are tainted, cordoned and drained; commands that need a kubelet; Events. */
import type { Difference, Script } from "../script.ts";
import { pod, running } from "./manifests.ts";

const differs = (prints: string): Difference => ({
  because: "the real server asks a node that is not there; the sandbox says that nothing runs behind it",
  prints,
});
const noProcess = (what: string): Difference => differs(`the sandbox has no process ${what}`);

const nodes: Script = {
  name: "nodes",
  long: "timeouts pass, and a machine under load changes what is printed",
  files: {
    "node.yaml": `
apiVersion: v1
kind: Node
metadata: {name: nodes-a, labels: {zone: nodes, node-role.kubernetes.io/worker: ""}}
spec: {podCIDR: 10.2.0.0/24}
`,
    "status.json": JSON.stringify({
      status: {
        capacity: { cpu: "4", memory: "8Gi", pods: "110" },
        allocatable: { cpu: "4", memory: "8Gi", pods: "110" },
        addresses: [{ type: "InternalIP", address: "192.168.1.1" }],
        conditions: [{ type: "Ready", status: "True", reason: "KubeletReady", message: "ready" }],
        nodeInfo: { kubeletVersion: "v1.36.3", osImage: "Linux", architecture: "amd64", operatingSystem: "linux" },
      },
    }),
    // Only one, because several are evicted in no particular order.
    "pod.yaml": pod("one", { node: "nodes-a" }),
    "budget.yaml": `
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: all}
spec: {minAvailable: 1, selector: {matchLabels: {app: shop}}}
`,
  },
  commands: [
    "create -f node.yaml",
    "patch node nodes-a --subresource=status --type=merge --patch-file=status.json",
    "get nodes -l zone=nodes -o wide",
    "create -f pod.yaml",
    "taint node nodes-a a=b:NoSchedule",
    "taint node nodes-a a=b:NoSchedule",
    "taint node nodes-a a=c:NoSchedule",
    "taint node nodes-a a=c:NoSchedule --overwrite",
    "taint node nodes-a a=b:NoExecute c:PreferNoSchedule",
    "taint node nodes-a a:NoExecute-",
    "taint node nodes-a none-",
    "taint node nodes-a a=b:Never",
    "taint node -l zone=nodes d=e:NoSchedule",
    "taint node nodes-none a=b:NoSchedule",
    "get node nodes-a -o jsonpath={.spec.taints}",
    "cordon nodes-a",
    "cordon nodes-a",
    "get node nodes-a",
    "uncordon nodes-a",
    "cordon nodes-none",
    "cordon -l zone=nodes --dry-run=server",
    "describe node nodes-a",
    "drain nodes-a --dry-run=client --force",
    "drain nodes-a",
    "get pods",
    "create -f budget.yaml",
    "drain nodes-a --force --timeout=2s --grace-period=0 --pod-selector=app=shop",
    "drain nodes-a --force --disable-eviction --grace-period=0",
    "drain nodes-none",
    "label node nodes-a zone=other --overwrite",
    "get node nodes-a --show-labels",
    "delete node nodes-a",
  ],
};

const pods: Script = {
  name: "pods",
  files: { "one.yaml": pod("one", { node: "pods-far" }), "pending.yaml": pod("pending") },
  commands: [
    "create -f one.yaml -f pending.yaml",
    `patch pod one --subresource=status --type=merge -p '${running}'`,
    { run: "logs one", differs: differs("what main prints is set by the pod's annotation") },
    "logs none",
    "logs pending",
    "logs one -c none",
    "logs one --tail=-5",
    "logs deploy/none",
    "exec none -- date",
    "exec pending -- date",
    "exec one",
    { run: "exec one -- date", differs: noProcess("in which a command could run") },
    "exec one -c none -- date",
    "attach none",
    { run: "attach one", differs: noProcess("to attach to") },
    "port-forward none 80",
    { run: "port-forward one 8080", differs: noProcess("that listens on a port") },
    "port-forward pending 80",
    "cp none:/x y",
    "top pod",
    "top node",
    "debug one --image=busybox -c debugger --target=main -- sleep 1",
    "get pod one -o jsonpath={.spec.ephemeralContainers[*].name}",
    "debug one --image=busybox -c debugger",
    "debug one --copy-to=copied --image=busybox -c debugger",
    "get pod copied -o yaml",
    "debug none --image=busybox -c debugger",
    `patch pod one --subresource=resize --type=merge -p '{"spec":{"containers":[{"name":"main","image":"nginx:1","resources":{"requests":{"cpu":"1"}}}]}}'`,
    `patch pod one --type=merge -p '{"spec":{"activeDeadlineSeconds":10}}'`,
    `patch pod one --type=merge -p '{"spec":{"hostNetwork":true}}'`,
    "describe pod one",
  ],
};

const eventOf = (name: string, about: string, more: string): string => `
apiVersion: v1
kind: Event
metadata: {name: ${name}}
involvedObject: {apiVersion: v1, kind: Pod, name: ${about}, namespace: happening}
source: {component: somebody}
lastTimestamp: "2026-01-0${name.length % 9}T00:00:00Z"
${more}
`;

const happening: Script = {
  name: "happening",
  files: {
    "events.yaml": [
      eventOf(
        "a",
        "one",
        "reason: Started\ntype: Normal\nmessage: it runs\ncount: 2\nfirstTimestamp: '2026-01-01T00:00:00Z'",
      ),
      eventOf("bb", "one", "reason: BackOff\ntype: Warning\nmessage: it does not"),
      eventOf("ccc", "two", "reason: Started\ntype: Normal\nmessage: it runs, too"),
    ].join("---"),
    "pod.yaml": pod("one"),
  },
  commands: [
    "create -f events.yaml -f pod.yaml",
    "events",
    "events --types=Warning",
    "events --for=pod/one --no-headers",
    "events -o yaml",
    "events --types=Other",
    "get events --sort-by=.lastTimestamp",
    "get events --field-selector=involvedObject.name=two",
    "get events --field-selector=reason=Started,type=Normal -o name",
    "get events --field-selector=source=somebody -o custom-columns=R:.reason",
    "get events -o wide",
    "get event a -o yaml",
    "get events.v1.events.k8s.io a -o yaml",
    "describe event bb",
    `patch event a --type=merge -p '{"count":3}'`,
    `patch event a --type=merge -p '{"involvedObject":{"namespace":"other"}}'`,
    "create -f events.yaml",
    "delete events --all",
  ],
};

export const nodesAndPods: readonly Script[] = [nodes, pods, happening];
