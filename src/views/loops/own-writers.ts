/**
 * Names our own controllers as the writers in a loop. Their writes may be missing from managedFields, whose times are whole seconds: of
 * several writes in one second, all but the first may leave no trace there.
 */
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
}

/** Accepts every event; `named` corrects a loop. */
export class OwnWriters {
  readonly #deltas = new GenerationalCache<number, DeltaEvent>();
  readonly #writes = new GenerationalCache<number, WriteEvent>();
  readonly #objects = new GenerationalCache<string, ObjectMakers>(maxObjects);

  accept(event: StageEvent): void {
    if (event.stage === "delta" && event.type === "Updated") this.#deltas.set(event.seq, event);
    else if (event.stage === "write" && event.controller !== undefined) this.#writes.set(event.seq, event);
    else if (event.stage === "link") this.#link(event);
  }

  /** The loop, with the controllers in place of the field managers, or of unknown writers. */
  named(loop: RewriteLoop): RewriteLoop {
    const makers = this.#objects.get(nameOf(loop));
    if (makers === undefined) return loop;
    const fields = loop.fields.map(({ everyWriteOf, ...field }) => {
      const writers = namedShares(field.writers, makers.fields.get(field.path));
      const [only, another] = writers;
      const every = everyWriteOf !== undefined && another === undefined && only?.name !== undefined;
      return { ...field, writers, ...(every && { everyWriteOf: only.name }) };
    });
    return { ...loop, fields, writers: namedShares(loop.writers, makers.all) };
  }

  #link({ write, delta }: LinkEvent & EventHead): void {
    const [event, controller] = [this.#deltas.get(delta), this.#writes.get(write)?.controller];
    if (event === undefined || controller === undefined) return;
    const name = nameOf(event);
    const makers = this.#objects.get(name) ?? { all: new Map(), fields: new Map() };
    this.#objects.set(name, makers);
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

function namedShares(shares: readonly WriterShare[], makers: Makers | undefined): readonly WriterShare[] {
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
    add(share.name, left);
  }
  return sharesOf(writes);
}
