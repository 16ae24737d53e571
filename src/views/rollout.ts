/** Follows rollouts: the pod counts of each owner step by step, and the fewest ready pods. A fold over changes of objects. */
import { type ObjectKey, objectKey } from "../api/key.ts";
import type { StoredObject } from "../api/object.ts";
import { controllerOf } from "../api/owner-references.ts";
import type { KindName } from "../trace/names.ts";

/** The pod counts of one ReplicaSet or other set at one moment. */
export interface SetState {
  readonly key: ObjectKey;
  readonly kind: string;
  readonly desired: number;
  readonly pods: number;
  readonly ready: number;
  readonly terminating: number;
}

/** The sets of a rollout at one moment. */
export interface RolloutStep {
  /** Ms since the start. */
  readonly at: number;
  readonly sets: readonly SetState[];
  /** Ready pods of all sets. */
  readonly ready: number;
}

/** A rollout, step by step. Immutable. */
export interface Rollout {
  /** The owner of the sets, such as a Deployment, or the set itself if it has no owner. */
  readonly of: KindName;
  readonly key: ObjectKey;
  /** The state before the first change, then one step for each moment at which a count changed. */
  readonly steps: readonly RolloutStep[];
  /** The fewest ready pods at any step. */
  readonly fewestReady: number;
}

interface Counted {
  readonly uid: string;
  readonly of: KindName;
  readonly key: ObjectKey;
  readonly root: string;
  desired: number;
  pods: number;
  ready: number;
  terminating: number;
}

interface Root {
  readonly of: KindName;
  readonly key: ObjectKey;
  readonly sets: Map<string, Counted>;
  readonly steps: RolloutStep[];
  fewest: number;
}

interface ReplicatedLike extends StoredObject {
  readonly spec?: { readonly replicas?: number };
}

interface PodLike extends StoredObject {
  readonly status?: {
    readonly phase?: string;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
}

const setKinds: ReadonlySet<string> = new Set([
  "ReplicaSet",
  "ReplicationController",
  "StatefulSet",
  "DaemonSet",
  "Job",
]);

/** A change of an object. `at` in ms since 1970. */
export interface RolloutChange {
  readonly of: KindName;
  readonly key: ObjectKey;
  readonly at: number;
  readonly before: StoredObject | undefined;
  readonly after: StoredObject | undefined;
}

/** Follows all rollouts in a cluster. Changes must be passed in the order of their times. */
export class Rollouts {
  readonly #startedAt: number;
  #sets = new Map<string, Counted>();
  #roots = new Map<string, Root>();
  /** Roots whose counts have changed since `#at`. */
  #changed = new Set<Root>();
  #at: number;
  #counting = true;

  /** `initial`: the existing objects. */
  constructor(
    startedAt: number,
    initial: Iterable<{ readonly of: KindName; readonly key: ObjectKey; readonly object: StoredObject }>,
  ) {
    this.#startedAt = startedAt;
    this.#at = startedAt;
    const all = [...initial];
    const take = ({ of, key, object }: (typeof all)[number]): void =>
      this.accept({ of, key, at: startedAt, before: undefined, after: object });
    this.#counting = false;
    for (const entry of all) if (entry.of.kind !== "Pod") take(entry);
    for (const entry of all) if (entry.of.kind === "Pod") take(entry);
    this.#counting = true;
    for (const root of this.#roots.values()) {
      root.fewest = readyOf(root);
      root.steps.push(stepOf(root, 0));
    }
    this.#changed.clear();
  }

  accept({ of, key, at, before, after }: RolloutChange): void {
    if (at !== this.#at) this.#flush(at);
    if (of.kind === "Pod") this.#pod(before, after);
    else if (setKinds.has(of.kind)) this.#set(of, key, before, after);
  }

  /** The rollouts in which any count has changed. */
  rollouts(): readonly Rollout[] {
    this.#flush(this.#at);
    return [...this.#roots.values()]
      .filter(({ steps }) => steps.length > 1)
      .map(({ of, key, steps, fewest }) => ({ of, key, steps, fewestReady: fewest }));
  }

  #set(of: KindName, key: ObjectKey, before: StoredObject | undefined, after: StoredObject | undefined): void {
    const object = (after ?? before) as ReplicatedLike;
    const { uid, namespace } = object.metadata;
    let set = this.#sets.get(uid);
    if (set === undefined) {
      const owner = controllerOf(object);
      const rootKey = owner === undefined ? key : objectKey(namespace, owner.name);
      const rootOf = owner === undefined ? of : { group: owner.apiVersion.split("/")[0] ?? "", kind: owner.kind };
      const root = `${rootOf.kind} ${rootKey}`;
      set = { uid, of, key, root, desired: 0, pods: 0, ready: 0, terminating: 0 };
      this.#sets.set(uid, set);
      let there = this.#roots.get(root);
      if (there === undefined) {
        there = { of: rootOf, key: rootKey, sets: new Map(), steps: [], fewest: 0 };
        this.#roots.set(root, there);
        if (this.#counting) there.steps.push({ at: 0, sets: [], ready: 0 });
      }
      there.sets.set(uid, set);
    }
    const desired = after === undefined ? 0 : ((after as ReplicatedLike).spec?.replicas ?? 1);
    if (desired === set.desired) return;
    set.desired = desired;
    this.#touch(set);
  }

  #pod(before: StoredObject | undefined, after: StoredObject | undefined): void {
    this.#count(before, -1);
    this.#count(after, 1);
  }

  #count(pod: PodLike | undefined, by: 1 | -1): void {
    if (pod === undefined || pod.status?.phase === "Failed" || pod.status?.phase === "Succeeded") return;
    const set = this.#sets.get(controllerOf(pod)?.uid ?? "");
    if (set === undefined) return;
    if (pod.metadata.deletionTimestamp !== undefined) set.terminating += by;
    else {
      set.pods += by;
      if (isReady(pod)) set.ready += by;
    }
    this.#touch(set);
  }

  #touch(set: Counted): void {
    const root = this.#roots.get(set.root);
    if (root !== undefined) this.#changed.add(root);
  }

  /** Changes at the same time make up one step. */
  #flush(at: number): void {
    for (const root of this.#changed) {
      const step = stepOf(root, this.#at - this.#startedAt);
      const last = root.steps.at(-1);
      if (last !== undefined && sameSets(last.sets, step.sets)) continue;
      root.steps.push(step);
      root.fewest = Math.min(root.fewest, step.ready);
    }
    this.#changed.clear();
    this.#at = at;
  }
}

function isReady(pod: PodLike): boolean {
  return (pod.status?.conditions ?? []).some(({ type, status }) => type === "Ready" && status === "True");
}

function readyOf({ sets }: Root): number {
  return [...sets.values()].reduce((sum, { ready }) => sum + ready, 0);
}

function stepOf(root: Root, at: number): RolloutStep {
  const sets = [...root.sets.values()]
    .filter(({ desired, pods, terminating }) => desired > 0 || pods > 0 || terminating > 0)
    .map(({ of, key, desired, pods, ready, terminating }) => ({
      key,
      kind: of.kind,
      desired,
      pods,
      ready,
      terminating,
    }));
  return { at, sets, ready: readyOf(root) };
}

function sameSets(a: readonly SetState[], b: readonly SetState[]): boolean {
  return a.length === b.length && a.every((set, index) => same(set, b[index] as SetState));
}

function same(a: SetState, b: SetState): boolean {
  return (
    a.key === b.key &&
    a.desired === b.desired &&
    a.pods === b.pods &&
    a.ready === b.ready &&
    a.terminating === b.terminating
  );
}
