/** What would change after a run has ended, if the cluster went on. */
import { deepEqual } from "../../api/deep-equal.ts";
import type { ObjectKey } from "../../api/key.ts";
import type { StoredObject } from "../../api/object.ts";
import type { TraceBus } from "../../trace/bus.ts";
import type { KindName } from "../../trace/names.ts";
import { normalizeForDiff } from "../../views/normalize-for-diff.ts";
import { countsOf } from "./availability.ts";
import type { Recordable } from "./recording.ts";
import type { StoreChange } from "./store.ts";

/** A change of a status, after the end of a run. */
export interface LaterChange {
  readonly of: KindName;
  readonly key: ObjectKey;
  /** Simulated ms since the end of the run. */
  readonly inMs: number;
  /** The controller that makes it, if it is known. */
  readonly controller?: string;
}

/** Looks at changes from its creation. */
export class LookAhead {
  /** Whether objects are created, changed or deleted, or become available or unavailable: the run had not converged. */
  isMoving = false;
  /** The first change that is only one of a status. */
  next: LaterChange | undefined;
  readonly #ends: readonly (() => void)[];

  constructor({ timeline, bus, onChange }: Pick<Recordable, "timeline" | "onChange"> & { readonly bus: TraceBus }) {
    const startedAt = timeline.now();
    this.#ends = [
      onChange((change) => this.#accept(change, startedAt)),
      bus.listen(
        (event) => {
          const { next } = this;
          if (event.stage !== "write" || next?.controller !== undefined || event.key !== next?.key) return;
          if (event.controller !== undefined && event.of.kind === next.of.kind)
            this.next = { ...next, controller: event.controller };
        },
        { stages: ["write"] },
      ),
    ];
  }

  end(): void {
    for (const end of this.#ends) end();
  }

  #accept(change: StoreChange, startedAt: number): void {
    const { of, key, at, before, after } = change;
    if (of.kind === "Event" || of.kind === "Lease") return;
    if (before === undefined || after === undefined) this.isMoving = true;
    else if (!deepEqual(withoutStatus(of, before), withoutStatus(of, after))) this.isMoving = true;
    else if (!deepEqual(countsOf(of, before), countsOf(of, after))) this.isMoving = true;
    else if (!deepEqual(normalizeForDiff(of, before, {}), normalizeForDiff(of, after, {})))
      this.next ??= { of, key, inMs: at - startedAt };
  }
}

function withoutStatus(of: KindName, object: StoredObject): object {
  const { status: _status, ...rest } = normalizeForDiff(of, object, {});
  return rest;
}
