/** What is put into the sources of Kubernetes, so that its tests meet our controllers in place of its own. */

/** Lines that are put behind, or before, a line of a file that occurs exactly once in it. */
export interface Insertion {
  /** Path below the module k8s.io/kubernetes. */
  readonly file: string;
  /** The whole line. */
  readonly line: string;
  readonly where: "before" | "after";
  readonly text: string;
}

const modulePath = "k8s.io/kubernetes/pkg/controller/ours";

/** The package with the calls, as a folder below the module. */
export const insertedPackage = "pkg/controller/ours";

function importOf(file: string): Insertion {
  return { file, line: "import (", where: "after", text: `\t"${modulePath}"` };
}

/** A controller of which ours runs instead, in Go expressions. */
interface Replaced {
  /** Its client. */
  readonly client: string;
  /** The name of ours. */
  readonly name: string;
  /** Its queues: they have been made before Run, and would be reported as leaked. */
  readonly queues: readonly string[];
}

/** Makes the Run method of a controller, which begins with `line`, run ours instead. */
function runsOurs(file: string, line: string, { client, name, queues }: Replaced): Insertion[] {
  const shutDown = queues.map((queue) => `\t\t${queue}.ShutDown()\n`).join("");
  const text = `\tif ours.Run(ctx, ${client}, ${name}, workers) {\n${shutDown}\t\treturn\n\t}`;
  return [importOf(file), { file, line, where: "after", text }];
}

const replicaSet = "pkg/controller/replicaset/replica_set.go";
const deployment = "pkg/controller/deployment/deployment_controller.go";
const daemonSet = "pkg/controller/daemon/daemon_controller.go";
const namespace = "pkg/controller/namespace/namespace_controller.go";
const serviceAccount = "pkg/controller/serviceaccount/serviceaccounts_controller.go";
const garbageCollector = "pkg/controller/garbagecollector/garbagecollector.go";

/**
 * The ReplicationController's is the ReplicaSet's with another kind. The garbage collector goes on in Go without writing, because tests look
 * into its graph.
 */
export const insertions: readonly Insertion[] = [
  ...runsOurs(replicaSet, "func (rsc *ReplicaSetController) Run(ctx context.Context, workers int) {", {
    client: "rsc.kubeClient",
    name: "strings.ToLower(rsc.Kind)",
    queues: ["rsc.queue"],
  }),
  ...runsOurs(deployment, "func (dc *DeploymentController) Run(ctx context.Context, workers int) {", {
    client: "dc.client",
    name: '"deployment"',
    queues: ["dc.queue"],
  }),
  ...runsOurs(daemonSet, "func (dsc *DaemonSetsController) Run(ctx context.Context, workers int) {", {
    client: "dsc.kubeClient",
    name: '"daemonset"',
    queues: ["dsc.queue", "dsc.nodeUpdateQueue"],
  }),
  ...runsOurs(serviceAccount, "func (c *ServiceAccountsController) Run(ctx context.Context, workers int) {", {
    client: "c.client",
    name: '"serviceaccount"',
    queues: ["c.queue"],
  }),
  ...runsOurs(namespace, "func (nm *NamespaceController) Run(ctx context.Context, workers int) {", {
    client: "ours.Remembered()",
    name: '"namespace"',
    queues: ["nm.queue"],
  }),
  {
    file: namespace,
    line: "	namespaceController := &NamespaceController{",
    where: "before",
    text: "\tours.Remember(kubeClient)",
  },
  importOf(garbageCollector),
  {
    file: garbageCollector,
    line: "func (gc *GarbageCollector) Run(ctx context.Context, workers int, initialSyncTimeout time.Duration) {",
    where: "after",
    text: `	if ended := ours.Start(ctx, gc.kubeClient, "garbagecollector", workers); ended != nil {
		gc.metadataClient = ours.ReadOnly(gc.metadataClient)
		defer ended()
	}`,
  },
];

/**
 * The text of a file with its insertions.
 *
 * @throws RangeError if a line is not there, or more than once: another version of Kubernetes needs other insertions.
 */
export function withInsertions(text: string, here: readonly Insertion[]): string {
  const lines = text.split("\n");
  for (const { file, line, where, text: inserted } of here) {
    const at = lines.indexOf(line);
    if (at === -1 || lines.indexOf(line, at + 1) !== -1)
      throw new RangeError(`${file}: ${at === -1 ? "no line" : "more than one line"} ${JSON.stringify(line)}`);
    lines.splice(where === "after" ? at + 1 : at, 0, inserted);
  }
  return lines.join("\n");
}
