/** Stage events for tests of views: numbered from 1, one millisecond apart. */
import type { StoredObject } from "../../src/api/object.ts";
import { DeltaDetail } from "../../src/trace/delta-detail.ts";
import type { DeltaEvent, EventHead, StageEvent, StageEventBody } from "../../src/trace/events.ts";
import { TriggerLog } from "../../src/trace/triggers.ts";

export const pods = { group: "", kind: "Pod" } as const;
export const replicaSets = { group: "apps", kind: "ReplicaSet" } as const;

/** An object with fields in addition to its metadata. */
export function objectOf(version: string, fields: object = {}): StoredObject {
  return { metadata: { name: "a", uid: "u", resourceVersion: version, creationTimestamp: "" }, ...fields };
}

export interface DeltaGiven extends Partial<Omit<DeltaEvent, "stage" | "detail">> {
  readonly before?: StoredObject;
  readonly after?: StoredObject;
  readonly writer?: string;
}

/** Creates events numbered as by a bus. */
export class Events {
  at: number;
  #seq = 0;

  constructor(startAt = 1000) {
    this.at = startAt;
  }

  make<B extends StageEventBody>(body: B): B & EventHead {
    return { v: 1, seq: ++this.#seq, at: ++this.at, ...body };
  }

  delta({ before, after, writer, ...given }: DeltaGiven = {}): DeltaEvent & EventHead {
    const of = given.of ?? pods;
    return this.make({
      stage: "delta",
      of,
      type: "Updated",
      key: "shop/web",
      uid: "u",
      resourceVersion: after?.metadata.resourceVersion ?? "5",
      receivedAt: this.at + 1,
      ...given,
      detail: new DeltaDetail(of, before, after, writer),
    });
  }

  notify(delta: number, handler = "replicaset"): StageEvent {
    return this.make({ stage: "notify", of: pods, key: "shop/web", delta, handler, waitedMs: 0, backlog: 0 });
  }

  enqueue(
    delta: number,
    more: {
      readonly key?: string;
      readonly merged?: boolean;
      readonly inFlight?: boolean;
      readonly delayMs?: number;
    } = {},
  ): StageEvent {
    const { key = "shop/web", merged = false, inFlight = false, delayMs } = more;
    return this.make({
      stage: "enqueue",
      controller: "replicaset",
      key,
      trigger: { cause: "delta", kind: "Pod", type: "Updated", key: "shop/web-1", resourceVersion: "5", delta },
      merged,
      inFlight,
      depth: 1,
      ...(delayMs !== undefined && { delayMs }),
    });
  }

  get(key = "shop/web", waitedMs = 1): StageEvent {
    const counts = { depth: 0, inFlight: 1, delayed: 0, failures: 0 };
    const triggers = new TriggerLog({ cause: "other", why: "test" });
    return this.make({
      stage: "get",
      controller: "replicaset",
      key,
      sync: 1,
      worker: 1,
      waitedMs,
      ...counts,
      triggers,
    });
  }

  done(key = "shop/web", ms = 1, error?: string): StageEvent {
    const outcome = error === undefined ? ({ is: "forgotten" } as const) : ({ is: "dropped", failures: 1 } as const);
    return this.make({
      stage: "done",
      controller: "replicaset",
      key,
      sync: 1,
      outcome,
      ms,
      ...(error !== undefined && { error }),
    });
  }
}
