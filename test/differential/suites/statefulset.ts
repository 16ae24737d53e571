/** StatefulSets with their pods, claims and revisions. Nothing runs the pods: scripts bind them, make them ready, and end them. */
import { ControllerRevisions, PersistentVolumeClaims, Pods, StatefulSets } from "../../../src/api/kinds.ts";
import { statefulset } from "../../../src/controllers/statefulset/statefulset.ts";
import type { Effect } from "../../support/audit-log.ts";
import { namespaceInBody, noBodyOfDelete, ownFieldManager } from "../differences.ts";
import { type AnyObject, type Json, type Meta, podClass, type PodObject } from "../objects.ts";
import { randomScript } from "../scripts/statefulset/grammar.ts";
import { scripts } from "../scripts/statefulset/index.ts";
import type { SideLog } from "../side-log.ts";
import type { Stage } from "../stage.ts";
import type { Suite } from "../suite.ts";
import type { Names, Told } from "../told.ts";

interface CountedSet {
  readonly metadata: Meta;
  readonly spec: { readonly replicas: number };
  readonly status?: Readonly<Record<string, number | string | undefined>>;
}

const revisionLabel = "controller-revision-hash";

const isReady = ({ status }: PodObject): boolean =>
  status?.phase === "Running" &&
  status.conditions?.some(({ type, status: is }) => type === "Ready" && is === "True") === true;

/** Whether every set has seen its spec, and its status counts the pods as they are. */
async function setsAreSettled(stage: Stage): Promise<boolean> {
  const [sets, pods] = await Promise.all([stage.list("statefulsets"), stage.pods()]);
  return (sets as unknown as readonly CountedSet[]).every(({ metadata, status }) => {
    const own = pods.filter((pod) => pod.metadata.ownerReferences?.some(({ uid }) => uid === metadata.uid));
    const remaining = own.filter((pod) => pod.metadata.deletionTimestamp === undefined);
    const of = (name: unknown): number =>
      remaining.filter((pod) => pod.metadata.labels?.[revisionLabel] === name).length;
    return (
      status?.["observedGeneration"] === metadata.generation &&
      (status?.["replicas"] ?? 0) === own.length &&
      (status?.["readyReplicas"] ?? 0) === own.filter(isReady).length &&
      (status?.["updatedReplicas"] ?? 0) === of(status?.["updateRevision"])
    );
  });
}

/** So many Events about one object before the spam filter may hold some back. */
const spamBurst = 25;

/** Whether there are fewer Events than pods and claims were written: they are written in the background. */
function owesEvents({ effects }: SideLog): boolean {
  const written = effects.filter(
    ({ resource, verb, code }) =>
      code < 300 &&
      ((resource === "pods" && verb !== "patch") || (resource === "persistentvolumeclaims" && verb === "create")),
  ).length;
  return written < spamBurst && effects.filter(({ resource }) => resource.startsWith("events")).length < written;
}

/** A pod by its name, which is not made up, with the parts that make it the set's. */
function tellPod(object: AnyObject): Json {
  const pod = object as unknown as PodObject & { readonly spec: Json };
  const { hostname, subdomain, volumes } = pod.spec;
  return { ...podClass(pod), name: pod.metadata.name, hostname, subdomain, volumes };
}

/** The writes to pods, claims and revisions, one after the other: `create pods db-0`. */
function order(effects: readonly Effect[], _names: Names): Told[] {
  const steps = effects
    .filter(({ resource, code }) => code < 300 && ["pods", "persistentvolumeclaims"].includes(resource))
    .map(({ verb, resource, name }) => `${verb} ${resource} ${name}`);
  return [{ what: "order", content: { steps } }];
}

export const statefulSets: Suite = {
  name: "statefulset",
  oracle: "statefulset-controller",
  ours: [statefulset],
  kinds: [
    { kind: StatefulSets },
    { kind: Pods, tell: tellPod },
    { kind: PersistentVolumeClaims },
    { kind: ControllerRevisions },
  ],
  owes: owesEvents,
  isSettled: setsAreSettled,
  order,
  scripts,
  random: randomScript,
  seeds: { short: 6, long: 100 },
  differences: [namespaceInBody, noBodyOfDelete, ownFieldManager],
};
