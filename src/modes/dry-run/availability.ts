/** How much of what was applied has become available, and what stands in the way of the rest. */
import type { ObjectKey } from "../../api/key.ts";
import type { StoredObject } from "../../api/object.ts";
import { controllerOf } from "../../api/owner-references.ts";
import type { Deployment, Pod, ReplicaSet } from "../../api/types.ts";
import type { ControllerDefinition } from "../../controller/definition.ts";
import { isPodReady } from "../../controller/pod-status.ts";
import type { KindName } from "../../trace/names.ts";
import { entryName, type State } from "../../views/state.ts";
import type { Done } from "./apply.ts";
import { isFollowed } from "./followed.ts";

export interface Availability {
  readonly of: KindName;
  readonly key: ObjectKey;
  readonly available: number;
  readonly desired: number;
  /** What stands in the way where not all are available, as far as it is known: `Pod …: 0/3 nodes are available: …` */
  readonly why: string | undefined;
}

/** Of each Pod, Deployment, ReplicaSet and ReplicationController that was applied and that somebody here follows. */
export function availabilityOf(
  done: readonly Done[],
  state: State,
  controllers: readonly ControllerDefinition[],
): readonly Availability[] {
  return done.flatMap((each) => {
    const { of, key } = each;
    const object = state.get(entryName(of, key))?.object;
    if (object === undefined || each.did === "deleted" || !isFollowed(each, controllers)) return [];
    const counts = countsOf(of, object);
    if (counts === undefined) return [];
    return [{ of, key, ...counts, why: isShort(counts) ? reasonFor(object, state) : undefined }];
  });
}

/** Whether fewer are available than are desired. */
export function isShort({ available, desired }: Pick<Availability, "available" | "desired">): boolean {
  return available < desired;
}

/** Undefined for kinds that do not become available. */
export function countsOf(
  of: KindName,
  object: StoredObject,
): { readonly available: number; readonly desired: number } | undefined {
  switch (of.kind) {
    case "Pod": {
      const pod = object as Pod;
      const isThere = isPodReady(pod) || pod.status?.phase === "Succeeded";
      return { available: isThere ? 1 : 0, desired: 1 };
    }
    case "Deployment": {
      const { spec, status, metadata } = object as Deployment;
      const { availableReplicas = 0, updatedReplicas = 0, observedGeneration = 0 } = status ?? {};
      const isSeen = observedGeneration >= (metadata.generation ?? 0);
      return { available: isSeen ? Math.min(availableReplicas, updatedReplicas) : 0, desired: spec?.replicas ?? 1 };
    }
    case "ReplicaSet":
    case "ReplicationController": {
      const { spec, status } = object as ReplicaSet;
      return { available: status?.availableReplicas ?? 0, desired: spec?.replicas ?? 1 };
    }
    default:
      return undefined;
  }
}

interface Conditioned {
  readonly status?: {
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly reason?: string;
      readonly message?: string;
    }[];
  };
}

/** Looked for from the pods upwards: the lowest thing that is wrong explains the rest. */
function reasonFor(object: StoredObject, state: State): string | undefined {
  const below = [object, ...ownedBy(object, state)];
  for (const each of below) {
    if (each.kind !== "Pod") continue;
    const why = podReason(each);
    if (why !== undefined) return why;
  }
  for (const each of below.toReversed()) {
    const wrong = (each as Conditioned).status?.conditions?.find(
      ({ type, status }) =>
        (type === "ReplicaFailure" && status === "True") || (type === "Progressing" && status === "False"),
    );
    if (wrong !== undefined)
      return `${each.kind} ${each.metadata.name}: ${wrong.message ?? wrong.reason ?? wrong.type}`;
  }
  return undefined;
}

/** Deployments own ReplicaSets, which own pods: nothing is deeper than a few floors. */
const mostFloors = 6;

/** Its children, then theirs. */
function ownedBy(owner: StoredObject, state: State): StoredObject[] {
  const byOwner = new Map<string, StoredObject[]>();
  for (const { object } of state.values()) {
    const uid = controllerOf(object)?.uid;
    if (uid === undefined) continue;
    const siblings = byOwner.get(uid);
    if (siblings === undefined) byOwner.set(uid, [object]);
    else siblings.push(object);
  }
  const owned: StoredObject[] = [];
  let floor: readonly StoredObject[] = [owner];
  for (let depth = 0; depth < mostFloors && floor.length > 0; depth++) {
    floor = floor.flatMap(({ metadata }) => byOwner.get(metadata.uid) ?? []);
    owned.push(...floor);
  }
  return owned;
}

function podReason(pod: Pod): string | undefined {
  if (isPodReady(pod) || pod.metadata.deletionTimestamp !== undefined) return undefined;
  const name = `Pod ${pod.metadata.generateName === undefined ? pod.metadata.name : `${pod.metadata.generateName}…`}`;
  const unscheduled = pod.status?.conditions?.find(({ type, status }) => type === "PodScheduled" && status === "False");
  if (unscheduled !== undefined) return `${name}: ${unscheduled.message ?? unscheduled.reason ?? "not scheduled"}`;
  for (const { name: container, state } of pod.status?.containerStatuses ?? []) {
    const wrong = state?.waiting?.reason ?? state?.terminated?.reason;
    if (wrong !== undefined) return `${name}: container ${container}: ${wrong}`;
  }
  return `${name} is not ready`;
}
