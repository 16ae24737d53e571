/** Watches, while controllers run, for writes that only another owner of the same objects makes. */
import { type ObjectKey, splitKey } from "../../api/key.ts";
import type { Kind } from "../../api/kind.ts";
import { Nodes, Pods } from "../../api/kinds.ts";
import type { StoredObject } from "../../api/object.ts";
import { controllerOf } from "../../api/owner-references.ts";
import { parseTime } from "../../api/time.ts";
import type { Client } from "../../client/api/verbs.ts";
import type { ControllerDefinition } from "../../controller/api/definition.ts";
import type { ControllerManager } from "../../controller/runtime/controller-manager.ts";
import type { RunningController } from "../../controller/runtime/running-controller.ts";
import { schedulerName } from "../../controllers/scheduler/due.ts";
import type { Cancel, Timeline } from "../../platform/timeline.ts";
import type { TraceBus } from "../../trace/bus.ts";
import type { DeltaEvent, KindName, StageEvent, StoreEvent, WriteEvent } from "../../trace/events.ts";
import { GenerationalCache } from "../../trace/generational-cache.ts";
import { nodeHeartbeats } from "./owner-signs/node-heartbeats.ts";
import { isWrittenByMany, ownsStatus, writesStatus } from "./owner-signs/own-work.ts";
import { isOurs } from "./owner-signs/sign.ts";

/** What is watched, and who is notified. */
export interface OwnerWatchOptions {
  readonly manager: ControllerManager;
  /** Only reads. */
  readonly client: Client;
  readonly bus: TraceBus;
  readonly timeline: Timeline;
  /** The server's clock when the controllers started, in ms since 1970: older writes are ignored. */
  readonly since: number;
  /** Called once, with a clause: `kube-controller-manager has written the status of ReplicaSet shop/web`. */
  readonly onFound: (controller: string, clause: string) => void;
}

/** `created`: an object for one that is reconciled here; `bound`: a pod, to a node. */
interface Suspect {
  readonly running: RunningController;
  readonly is: "created" | "bound";
  readonly kind: Kind;
  readonly key: ObjectKey;
  readonly uid: string;
  /** Its controller, as a clause: `ReplicaSet web`. */
  readonly owner: string;
}

/** A delta may arrive before the response to our write that caused it. */
const responseWithinMs = 1000;
/** How many suspects are checked per second, newest first: an active owner creates more. */
const looksASecond = 5;
const mostSuspects = 1000;
const heartbeatsEveryMs = 15_000;
/** After a create with a lost response, deleted objects are not attributed to others for this time. */
const doubtMs = 30_000;

/**
 * Evidence: a status of an object reconciled here, by its writer; an object created for such an owner, or the binding of a pod, not caused
 * by our writes; heartbeats of nodes. A few objects per second are read from the server to find their creator. Writes by users with kubectl
 * are ignored. Deletions carry no name, so another garbage collector is not detected (`ownersUnnoticed`).
 */
export class OwnerWatch {
  #options: OwnerWatchOptions;
  #suspects = new Map<string, Suspect>();
  /** Uids in responses to our creates, and pods that we bind. */
  #own = new GenerationalCache<string, true>();
  #doubtUntil = 0;
  #found = false;
  #cancel: Cancel | undefined;
  #cancelHeartbeats: Cancel | undefined;
  #stopListening: () => void;

  constructor(options: OwnerWatchOptions) {
    this.#options = options;
    const listener = (event: StageEvent): void => {
      if (event.stage === "delta") this.#delta(event);
      else if (event.stage === "store") this.#stored(event);
      else if (event.stage === "write") this.#write(event);
    };
    this.#stopListening = options.bus.listen(listener, { stages: ["delta", "store", "write"] });
    this.#watchHeartbeats();
  }

  stop(): void {
    this.#found = true;
    this.#stopListening();
    this.#cancel?.();
    this.#cancelHeartbeats?.();
  }

  #write({ verb, key, uid, subresource, error, status }: WriteEvent): void {
    if (verb === "create" && uid !== "") this.#own.set(uid, true);
    const isLost = error !== undefined && (status === 0 || status >= 500);
    if (isLost && verb === "create") this.#doubtUntil = this.#options.timeline.now() + doubtMs;
    if (subresource === "binding") this.#own.set(`bound ${key}`, true);
  }

  #delta(delta: DeltaEvent): void {
    if (this.#found || delta.relist === true) return;
    for (const running of this.#options.manager.controllers) {
      const writer = statusWriter(running, delta);
      if (writer !== undefined)
        this.#report(running, `${writer} has written the status of ${delta.of.kind} ${delta.key}`);
      if (!isBinding(running, delta)) continue;
      this.#suspect({ running, is: "bound", kind: Pods, key: delta.key, uid: delta.uid, owner: "" });
    }
  }

  /** The object is cached now; it may be deleted before the server can be queried for it. */
  #stored({ of, key, replaced }: StoreEvent): void {
    if (this.#found || replaced !== "") return;
    for (const running of this.#options.manager.controllers) {
      const kind = running.definition.watches.find((watch) => watch.owned === true && isOf(watch.kind, of))?.kind;
      const object = kind === undefined ? undefined : running.cache(kind).get(key);
      const owner = object === undefined ? undefined : controllerOf(object);
      if (kind === undefined || object === undefined || owner?.kind !== running.definition.for?.kind) continue;
      const { uid, creationTimestamp } = object.metadata;
      if (!this.#isSince(parseTime(creationTimestamp))) continue;
      this.#suspect({ running, is: "created", kind, key, uid, owner: `${owner?.kind ?? ""} ${owner?.name ?? ""}` });
    }
  }

  #suspect(suspect: Suspect): void {
    const name = `${suspect.is} ${suspect.kind.kind} ${suspect.key}`;
    // Deleted first, so that it moves to the end.
    this.#suspects.delete(name);
    this.#suspects.set(name, suspect);
    for (const [oldest] of this.#suspects) {
      if (this.#suspects.size <= mostSuspects) break;
      this.#suspects.delete(oldest);
    }
    this.#cancel ??= this.#options.timeline.after(responseWithinMs, "owner watch", () => void this.#look(), {
      background: true,
    });
  }

  /** Never rejects: a suspect that cannot be checked now is suspected again at its next change. */
  async #look(): Promise<void> {
    const newest = [...this.#suspects.values()].reverse().filter((suspect) => !this.#isOwn(suspect));
    this.#suspects.clear();
    this.#cancel = undefined;
    for (const suspect of newest.slice(0, looksASecond)) {
      const clause = await this.#check(suspect).catch(() => undefined);
      if (clause !== undefined) this.#report(suspect.running, clause);
    }
  }

  #isOwn({ is, key, uid }: Suspect): boolean {
    return this.#own.get(is === "bound" ? `bound ${key}` : uid) === true;
  }

  /** A clause about the other owner, if it is one. */
  async #check({ is, kind, key, uid, running, owner }: Suspect): Promise<string | undefined> {
    if (is === "bound") {
      const pod = running.cache(Pods).get(key);
      return (pod?.spec?.nodeName ?? "") === "" ? undefined : `another scheduler has bound Pod ${key}`;
    }
    const { namespace, name } = splitKey(key);
    const page = await this.#options.client.list(kind, { namespace, fieldSelector: `metadata.name=${name}`, limit: 1 });
    const object = page.items.find(({ metadata }) => metadata.uid === uid);
    const by = object === undefined ? this.#creatorOfGone() : creatorOf(object);
    return by === undefined ? undefined : `${by} has created ${kind.kind} ${key} for ${owner}`;
  }

  /** No response to our creates contains its uid; but if a response was lost, it may be ours. */
  #creatorOfGone(): string | undefined {
    return this.#options.timeline.now() < this.#doubtUntil ? undefined : "another client";
  }

  /** Times are whole seconds: a write within the second of the start may precede it. */
  #isSince(at: number | undefined): boolean {
    return at !== undefined && at > this.#options.since;
  }

  #watchHeartbeats(): void {
    const { manager, client, timeline } = this.#options;
    // Other controllers of nodes run beside any kubelet.
    const running = manager.controllers.find(
      ({ definition }) => definition.for === Nodes && definition.upstreamComponent === "kubelet",
    );
    if (running === undefined) return;
    const look = async (): Promise<void> => {
      const { signs } = await nodeHeartbeats(client, running.definition.name);
      const sign = signs.find(({ at }) => this.#isSince(at));
      if (sign !== undefined) this.#report(running, sign.clause);
    };
    const again = (): void => {
      if (this.#found) return;
      this.#cancelHeartbeats = timeline.after(
        heartbeatsEveryMs,
        "owner watch heartbeats",
        // After a failure it is read again the next time.
        () =>
          void look()
            .catch(() => undefined)
            .then(again),
        { background: true },
      );
    };
    again();
  }

  #report({ definition }: RunningController, clause: string): void {
    if (this.#found) return;
    this.stop();
    this.#options.onFound(definition.name, clause);
  }
}

/** Whether this controller writes the status of its objects, and no other does; kubelets write those of pods and nodes. */
export function showsOwnersByStatus(
  definition: Pick<ControllerDefinition, "for" | "appliesAs" | "upstreamComponent" | "permissions">,
): boolean {
  return definition.upstreamComponent === undefined && ownsStatus(definition) && !isWrittenByMany(definition.for);
}

/**
 * The controllers for which another owner cannot be detected while they run: they delete objects and remove finalizers, which leaves
 * no name in an object, or create objects with neither owner nor status, or apply a status under upstream's own name.
 */
export function ownersUnnoticed(controllers: readonly Noticeable[]): readonly string[] {
  const isNoticed = (controller: Noticeable): boolean =>
    controller.upstreamComponent !== undefined ||
    // What it creates of its own kind is for others: no search for such an owner.
    controller.watches.some(({ owned, kind }) => owned === true && kind !== controller.for) ||
    showsOwnersByStatus(controller);
  return controllers.filter((controller) => !isNoticed(controller)).map(({ name }) => name);
}

type Noticeable = Pick<
  ControllerDefinition,
  "name" | "for" | "appliesAs" | "watches" | "upstreamComponent" | "permissions"
>;

/** The writer of a status that this controller writes; undefined if it was us, a user, or is unknown. */
function statusWriter(running: RunningController, delta: DeltaEvent): string | undefined {
  const { definition } = running;
  if (delta.type !== "Updated" || !showsOwnersByStatus(definition) || !isOf(definition.for, delta.of)) return undefined;
  if (!running.inScope(delta.key)) return undefined;
  const { writer } = delta.detail;
  if (writer === undefined || !writesStatus({ manager: writer, subresource: "status" })) return undefined;
  return delta.detail.changes.every(({ path }) => path.startsWith(".status")) ? writer : undefined;
}

/** The process that created it; undefined for ours, and for users. */
function creatorOf({ metadata }: StoredObject): string | undefined {
  const managers = (metadata.managedFields ?? []).flatMap(({ manager = "", subresource }) =>
    subresource === undefined || subresource === "" ? [manager] : [],
  );
  return managers.some((each) => isOurs(each) || each.startsWith("kubectl")) ? undefined : managers[0];
}

function isOf(kind: Kind | undefined, of: KindName): boolean {
  return kind !== undefined && kind.kind === of.kind && kind.group === of.group;
}

/** Whether a pod for which this scheduler is responsible has been bound. */
function isBinding(running: RunningController, delta: DeltaEvent): boolean {
  if (running.definition.upstreamComponent !== "kube-scheduler" || delta.type !== "Updated" || !isOf(Pods, delta.of))
    return false;
  const pod = running.cache(Pods).get(delta.key);
  if ((pod?.spec?.schedulerName ?? schedulerName) !== schedulerName) return false;
  return delta.detail.changes.some(({ path, before }) => path === ".spec.nodeName" && (before ?? "") === "");
}
