/**
 * Names our own controllers as the writers in a loop. Their writes may be missing from managedFields, whose times are whole seconds: of
 * several writes in one second, all but the first may leave no trace there.
 */
import { controllerNamedBy } from "../../api/own-field-manager.ts";
import type { DeltaEvent, EventHead, LinkEvent, StageEvent, WriteEvent } from "../../trace/events.ts";
import { GenerationalCache } from "../../trace/generational-cache.ts";
import { sharesOf } from "./field-history.ts";
import { nameOf, type RewriteLoop, type WriterShare } from "./loop.ts";

/** Objects whose writers are counted. */
const maxObjects = 20_000;

/** By the writer in managedFields, undefined if these show none: how many of its writes each controller made. */
type Makers = Map<string | undefined, Map<string, number>>;

interface ObjectMakers {
  /** Of the writes to the object. */
  readonly all: Makers;
  /** Of the changes of each field, by path. */
  readonly fields: Map<string, Makers>;
  /** The latest delta, if it may be of a write whose response has not arrived yet. */
  pending: DeltaEvent | undefined;
}

/** Accepts every event; `named` corrects a loop. */
export class OwnWriters {
  readonly #deltas = new GenerationalCache<number, DeltaEvent>();
  readonly #writes = new GenerationalCache<number, WriteEvent>();
  readonly #objects = new GenerationalCache<string, ObjectMakers>(maxObjects);

  accept(event: StageEvent): void {
    if (event.stage === "delta" && event.type === "Updated") this.#delta(event);
    else if (event.stage === "write" && event.controller !== undefined) this.#writes.set(event.seq, event);
    else if (event.stage === "link") this.#link(event);
  }

  /** The loop, with the controllers in place of the field managers, or of unknown writers. */
  named(loop: RewriteLoop): RewriteLoop {
    const makers = this.#objects.get(nameOf(loop));
    if (makers === undefined) return loop;
    const fields = loop.fields.map(({ everyWriteOf, ...field }) => {
      const writers = namedShares(field.writers, {
        makers: makers.fields.get(field.path),
        pending: pendingOf(makers, field.path),
      });
      const [only, another] = writers;
      const every = everyWriteOf !== undefined && another === undefined && only?.name !== undefined;
      return { ...field, writers, ...(every && { everyWriteOf: only.name }) };
    });
    return { ...loop, fields, writers: namedShares(loop.writers, { makers: makers.all, pending: makers.pending }) };
  }

  #delta(event: DeltaEvent & EventHead): void {
    this.#deltas.set(event.seq, event);
    const makers = this.#objects.get(nameOf(event));
    if (makers === undefined) return;
    const { writer } = event.detail;
    makers.pending = writer === undefined || controllerNamedBy(writer) !== undefined ? event : undefined;
  }

  #link({ write, delta }: LinkEvent & EventHead): void {
    const [event, controller] = [this.#deltas.get(delta), this.#writes.get(write)?.controller];
    if (event === undefined || controller === undefined) return;
    const name = nameOf(event);
    const makers = this.#objects.get(name) ?? { all: new Map(), fields: new Map(), pending: undefined };
    this.#objects.set(name, makers);
    if (makers.pending === event) makers.pending = undefined;
    const { writer, changes } = event.detail;
    addOne(countsOf(makers.all, writer), controller);
    for (const { path } of changes) {
      const ofField: Makers = makers.fields.get(path) ?? new Map();
      makers.fields.set(path, ofField);
      addOne(countsOf(ofField, writer), controller);
    }
  }
}

function countsOf(makers: Makers, writer: string | undefined): Map<string, number> {
  const counts = makers.get(writer) ?? new Map<string, number>();
  makers.set(writer, counts);
  return counts;
}

function addOne(counts: Map<string, number>, controller: string): void {
  counts.set(controller, (counts.get(controller) ?? 0) + 1);
}

/** The pending delta, if it changes the field. */
function pendingOf({ pending }: ObjectMakers, field: string): DeltaEvent | undefined {
  return pending?.detail.changes.some(({ path }) => path === field) === true ? pending : undefined;
}

interface Known {
  readonly makers: Makers | undefined;
  readonly pending: DeltaEvent | undefined;
}

/** Without the pending delta, whose writer is not known yet. */
function namedShares(shares: readonly WriterShare[], { makers, pending }: Known): readonly WriterShare[] {
  const writes = new Map<string | undefined, number>();
  const add = (name: string | undefined, more: number): void => {
    if (more > 0) writes.set(name, (writes.get(name) ?? 0) + more);
  };
  for (const share of shares) {
    let left = share.writes;
    for (const [controller, made] of makers?.get(share.name) ?? []) {
      const theirs = Math.min(left, made);
      add(controller, theirs);
      left -= theirs;
    }
    add(share.name, left - (pending !== undefined && pending.detail.writer === share.name ? 1 : 0));
  }
  return sharesOf(writes);
}
