/** What each side of a comparison does, so nobody has to guess what a ratio compares. */

/** By group; printed below the figures. */
export const sides: Readonly<Record<string, readonly string[]>> = {
  sync: [
    "first sync: ours and kube-rs list by pages of 500, in JSON; client-go 0.36 asks for a WatchList, in the encoding that its figure names",
    "first sync: all drop managedFields, ours before it parses them; its clock starts with its process, the peers' with their main()",
    "resident memory: read after --idle seconds; ours gives back once, 2 s after its start, as `run` does; Go and Rust by their own rules",
  ],
  watch: ["watch events: the same updates of the same pods to all, in JSON; counted from the first to the last"],
  queue: [
    "queue cycles: one process a round, so ours pays for its compiler; ours keeps of each key why it was added and when, client-go neither",
  ],
  replicaset: [
    "ReplicaSet: ours is `run replicaset`: JSON, its text screen, a Lease, the requests of its preflight before it starts",
    "ReplicaSet: kube-controller-manager as it starts by default: protobuf, without leader election; neither side has a rate limit",
    "ReplicaSet: both write Events, held back by the same rule; how many is a figure of its own",
    "ReplicaSet: one more watch, in JSON, takes the time; it costs the server the same beside both",
  ],
  workloads: [
    "workloads: `run job`, `run statefulset`, … as a user starts them, beside kube-controller-manager with that controller alone; no rate limits",
    "workloads: 500 nodes of kwok's, which starts and ends all pods; kube-scheduler places the DaemonSet's, the others name their node",
    "workloads: a CronJob's Jobs are counted as they are created, from the minute's turn; nothing runs them",
  ],
  services: [
    "services: `run deployment replicaset endpoints endpointslice` beside kube-controller-manager with the same four; no rate limits",
    "services: 20 nodes of kwok's and kube-scheduler, the same for both; until the last write of an Endpoints object or EndpointSlice",
  ],
  nodes: [
    "nodes: `run node-lifecycle` beside kube-controller-manager with the same one, with its default periods: 5 s and 50 s",
    "nodes: this process renews the Leases; from the first node that is Unknown to the last pod that is not ready; processor time from the silence on",
  ],
  claims: [
    "claims: `run persistentvolume-binder` beside kube-controller-manager with the same one; the volumes exist before",
  ],
  all: [
    "run all: the same controllers on both sides, neither with keys or certificates; a round by kube-controller-manager that does not count comes first",
  ],
  proxy: [
    "proxy: as a user starts it, with its text screen; client-go runs unchanged, with the kubeconfig that `proxy` wrote",
    "proxy: lag is from the server's write of 100 events to the client's reading of the last; the 99th percentile of all such chunks",
  ],
  trace: [
    "trace: the same controller, once with nobody listening and once with the text of `trace`, whose lines nobody reads",
  ],
};
