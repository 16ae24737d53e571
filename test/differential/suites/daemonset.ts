/** DaemonSets with their pods and revisions. Pods do not run and nodes have no kubelet: scripts write their status. */
import { ControllerRevisions, DaemonSets, Nodes, Pods } from "../../../src/api/kinds.ts";
import { matches, selectorOf } from "../../../src/api/labels.ts";
import { fnv32a } from "../../../src/controller/workload/safe-hash.ts";
import { podTemplateHash } from "../../../src/controller/workload/pod-template/hash.ts";
import { daemonset } from "../../../src/controllers/daemonset/daemonset.ts";
import { type Allowed, namespaceInBody, noBodyOfDelete, ownFieldManager } from "../differences.ts";
import { type AnyObject, type Json, type Meta, podClass, type PodObject } from "../objects.ts";
import { hasPendingPodEvents } from "../quiet.ts";
import { nodeClass, nodeOf } from "../scripts/daemonset/acts.ts";
import { randomScript } from "../scripts/daemonset/grammar.ts";
import { scripts } from "../scripts/daemonset/index.ts";
import type { Stage } from "../stage.ts";
import type { Suite } from "../suite.ts";
import type { Names } from "../step-record.ts";

interface CountedSet {
  readonly metadata: Meta;
  readonly spec: { readonly template: Json; readonly selector: Parameters<typeof selectorOf>[0] };
  readonly status?: Readonly<Record<string, number | undefined>>;
}

const isReady = ({ status }: PodObject): boolean =>
  status?.conditions?.some(({ type, status: is }) => type === "Ready" && is === "True") === true;
const isGoing = ({ metadata }: PodObject): boolean => metadata.deletionTimestamp !== undefined;
const hasEnded = ({ status }: PodObject): boolean => status?.phase === "Failed" || status?.phase === "Succeeded";

/** Whether every DaemonSet has observed its spec, and its status matches its pods. */
async function setsAreSettled(stage: Stage): Promise<boolean> {
  const [sets, pods, nodes] = await Promise.all([stage.list("daemonsets"), stage.pods(), stage.all(Nodes)]);
  const there = new Set(nodes.map(({ metadata }) => metadata.name));
  return (sets as unknown as readonly CountedSet[]).every(({ metadata, spec, status = {} }) => {
    const own = pods.filter(
      (pod) =>
        pod.metadata.ownerReferences?.some(({ uid }) => uid === metadata.uid) === true &&
        there.has(nodeOf(pod)) &&
        !(isGoing(pod) && hasEnded(pod)),
    );
    // It must release these, but still owns them.
    if (
      metadata.deletionTimestamp === undefined &&
      own.some((pod) => !matches(selectorOf(spec.selector), pod.metadata.labels))
    )
      return false;
    const places = new Set(own.map(nodeOf));
    const ready = [...places].filter((node) => own.filter((pod) => nodeOf(pod) === node).every(isReady)).length;
    const hash = podTemplateHash(spec.template, { collisionCount: status["collisionCount"] });
    const isOld = ({ metadata: { labels } }: PodObject): boolean => labels?.["controller-revision-hash"] !== hash;
    const areAllNew = own.length === places.size && !own.some(isOld);
    const { currentNumberScheduled = 0, numberMisscheduled = 0, desiredNumberScheduled = 0, numberReady = 0 } = status;
    return (
      status["observedGeneration"] === metadata.generation &&
      currentNumberScheduled + numberMisscheduled === places.size &&
      currentNumberScheduled === desiredNumberScheduled &&
      numberReady + numberMisscheduled >= ready &&
      (!areAllNew || (status["updatedNumberScheduled"] ?? 0) + numberMisscheduled === places.size) &&
      !own.some((pod) => hasEnded(pod))
    );
  });
}

/** A revision's hash depends on the stage's name in its template. A correct hash is replaced by one of the template without that name. */
function learnHashes(names: Names, revisions: readonly AnyObject[]): void {
  for (const { metadata, data } of revisions) {
    const { spec } = (data ?? {}) as { readonly spec?: { readonly template?: Json } };
    if (spec?.template === undefined) continue;
    const { $patch: _, ...template } = spec.template;
    const content = JSON.stringify(template).replaceAll(names.namespace, "NAMESPACE");
    for (const collisionCount of [undefined, 0, 1, 2, 3, 4, 5]) {
      const hash = podTemplateHash(template, { collisionCount });
      if (!metadata.name.endsWith(`-${hash}`)) continue;
      const stable = `HASH.T${fnv32a(new TextEncoder().encode(`${content} ${collisionCount}`))}`;
      names.generated.set(hash, stable);
      names.generated.set(metadata.name, metadata.name.replace(hash, stable));
    }
  }
}

/** Gives nodes that a controller cannot distinguish the same name: which one a rollout begins with is random. */
function learnNodes(names: Names, nodes: readonly AnyObject[]): void {
  for (const node of nodes) {
    // Every node has a spec.
    names.generated.set(node.metadata.name, `NODE ${nodeClass(node as unknown as Parameters<typeof nodeClass>[0])}`);
  }
}

/** A pod by its class, plus the affinity to its node and the tolerations. */
function podState(object: AnyObject): Json {
  const pod = object as unknown as PodObject & { readonly spec: Json };
  const { affinity, tolerations } = pod.spec;
  return { ...podClass(pod), affinity, tolerations };
}

const staleHistory: Allowed = {
  id: "a revision is created or deleted twice",
  category: "noise",
  upstream: "pkg/controller/daemon/update.go:snapshot",
  why: "a sync does not wait for earlier writes of revisions: it may begin before the cache contains them",
  matches: ({ what }) =>
    /^(?:(?:create|update) controllerrevisions\.apps 409|delete controllerrevisions\.apps 404)$/.test(what),
};

const deletedTwice: Allowed = {
  id: "a pod is deleted twice",
  category: "noise",
  upstream: "pkg/controller/daemon/daemon_controller.go:syncNodes",
  why: "kube-controller-manager only counts deletions: it may delete a pod again that its cache still contains; ours expects each by name",
  matches: ({ what }) => what === "delete pods 404",
};

export const daemonSets: Suite = {
  name: "daemonset",
  oracle: "daemonset-controller",
  ours: [daemonset],
  // Scripts taint nodes as the node lifecycle controller does.
  runsWithout: ["garbage-collector", "node-lifecycle", "pod-garbage-collector"],
  kinds: [
    { kind: Nodes, compared: (node) => ({ is: nodeClass(node as unknown as Parameters<typeof nodeClass>[0]) }) },
    { kind: DaemonSets },
    { kind: Pods, compared: podState },
    { kind: ControllerRevisions },
  ],
  hasPendingWrites: hasPendingPodEvents,
  isSettled: setsAreSettled,
  learn(names, objects) {
    learnNodes(names, objects(Nodes));
    learnHashes(names, objects(ControllerRevisions));
  },
  // A sync of kube-controller-manager lists its pods several times and adopts them each time, until its cache shows the adoption.
  repeated: (what) => what === "patch pods 200" || what === "patch controllerrevisions.apps 200",
  scripts,
  random: randomScript,
  seeds: { short: 6, long: 100 },
  differences: [namespaceInBody, noBodyOfDelete, ownFieldManager, staleHistory, deletedTwice],
};
