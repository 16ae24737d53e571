/** What happens while a node is silent or drained, and when: a fold over the changes of the store. Times in ms since it began. */
import { objectKey, type ObjectKey } from "../../api/key.ts";
import { EndpointSlices, Nodes, Pods } from "../../api/kinds.ts";
import type { StoredObject } from "../../api/object.ts";
import type { EndpointSlice, Node } from "../../api/types.ts";
import { nodeCondition } from "../../controller/workload/node-conditions.ts";
import type { State } from "../../views/state.ts";
import type { StoreChange } from "./store.ts";

/** What happened to a node. */
export interface NodeTimes {
  /** When its condition Ready became Unknown. */
  readonly unknownAfterMs?: number;
  /** When it got the taint that evicts pods. */
  readonly taintedAfterMs?: number;
}

/** A Service that had ready endpoints, and then none for some time. */
export interface Outage {
  readonly service: ObjectKey;
  /** How many it had before. */
  readonly endpoints: number;
  /** When it lost the last one for the first time. */
  readonly fromMs: number;
  /** How long it had none in total; undefined if it has none at the end. */
  readonly forMs: number | undefined;
}

/** How many endpoints of a slice are ready; a dual-stack Service has each pod in two slices. */
interface Count {
  readonly family: string;
  readonly ready: number;
}

interface Watched {
  readonly before: number;
  /** By slice. */
  readonly ready: Map<string, Count>;
  firstAt: number | undefined;
  since: number | undefined;
  lostMs: number;
}

const serviceLabel = "kubernetes.io/service-name";
const noExecute = "node.kubernetes.io/unreachable";

/** Receives every change from the beginning. */
export class NodeRecord {
  readonly #startedAt: number;
  readonly #times = new Map<string, NodeTimes>();
  readonly #deletedAfterMs = new Map<string, number>();
  readonly #services = new Map<ObjectKey, Watched>();

  constructor(state: State, startedAt: number) {
    this.#startedAt = startedAt;
    const slices = [...state.values()].filter(({ of }) => of.kind === EndpointSlices.kind);
    const counts = new Map<ObjectKey, Map<string, Count>>();
    for (const { object } of slices) {
      const service = serviceOf(object);
      if (service === undefined) continue;
      const ready = counts.get(service) ?? new Map<string, Count>();
      counts.set(service, ready.set(object.metadata.name, readyIn(object)));
    }
    for (const [service, ready] of counts) {
      const before = sumOf(ready);
      this.#services.set(service, { before, ready, firstAt: undefined, since: undefined, lostMs: 0 });
    }
  }

  /** Atomic. */
  accept({ of, at, before, after }: StoreChange): void {
    const ms = at - this.#startedAt;
    if (of.group === "" && of.kind === Nodes.kind && after !== undefined) this.#node(after, ms);
    else if (of.group === "" && of.kind === Pods.kind) {
      const { uid, deletionTimestamp } = (after ?? before)?.metadata ?? {};
      const isGoing = after === undefined || deletionTimestamp !== undefined;
      if (uid !== undefined && isGoing && !this.#deletedAfterMs.has(uid)) this.#deletedAfterMs.set(uid, ms);
    } else if (of.kind === EndpointSlices.kind) this.#slice({ before, after }, ms);
  }

  timesOf(node: string): NodeTimes {
    return this.#times.get(node) ?? {};
  }

  /** When the pod was marked for deletion; undefined if it was not. */
  deletedAfterMs(uid: string): number | undefined {
    return this.#deletedAfterMs.get(uid);
  }

  /** Services that lost all ready endpoints, in that order. */
  outages(): readonly Outage[] {
    const all = [...this.#services].flatMap(([service, { before, firstAt, since, lostMs }]): readonly Outage[] =>
      firstAt === undefined || before === 0
        ? []
        : [{ service, endpoints: before, fromMs: firstAt, forMs: since === undefined ? lostMs : undefined }],
    );
    return all.sort((a, b) => a.fromMs - b.fromMs || (a.service < b.service ? -1 : 1));
  }

  #node(node: Node, ms: number): void {
    const { name } = node.metadata;
    const known = this.timesOf(name);
    const isUnknown = nodeCondition(node, "Ready")?.status === "Unknown";
    const isTainted = (node.spec?.taints ?? []).some(({ key, effect }) => key === noExecute && effect === "NoExecute");
    this.#times.set(name, {
      ...known,
      ...(isUnknown && known.unknownAfterMs === undefined && { unknownAfterMs: ms }),
      ...(isTainted && known.taintedAfterMs === undefined && { taintedAfterMs: ms }),
    });
  }

  #slice({ before, after }: Pick<StoreChange, "before" | "after">, ms: number): void {
    const slice = after ?? before;
    const service = slice === undefined ? undefined : serviceOf(slice);
    const watched = service === undefined ? undefined : this.#services.get(service);
    if (slice === undefined || watched === undefined) return;
    if (after === undefined) watched.ready.delete(slice.metadata.name);
    else watched.ready.set(slice.metadata.name, readyIn(after));
    const isNone = sumOf(watched.ready) === 0;
    if (isNone && watched.since === undefined) {
      watched.since = ms;
      watched.firstAt ??= ms;
    } else if (!isNone && watched.since !== undefined) {
      watched.lostMs += ms - watched.since;
      watched.since = undefined;
    }
  }
}

function serviceOf({ metadata }: StoredObject): ObjectKey | undefined {
  const name = metadata.labels?.[serviceLabel];
  return name === undefined ? undefined : objectKey(metadata.namespace, name);
}

/** An endpoint without conditions is ready. */
function readyIn(slice: StoredObject): Count {
  // The kind implies the type.
  const { addressType: family, endpoints } = slice as EndpointSlice;
  // A slice without endpoints is stored with null.
  const all = (endpoints as typeof endpoints | null) ?? [];
  return { family, ready: all.filter(({ conditions }) => conditions?.ready !== false).length };
}

/** The count of the IP family with the most. */
function sumOf(counts: ReadonlyMap<string, Count>): number {
  const sums = new Map<string, number>();
  for (const { family, ready } of counts.values()) sums.set(family, (sums.get(family) ?? 0) + ready);
  return Math.max(0, ...sums.values());
}
