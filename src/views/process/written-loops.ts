/** Finds loops of the objects that a process writes, for the final report. */
import type { StageEvent } from "../../trace/events.ts";
import { GenerationalCache } from "../../trace/generational-cache.ts";
import {
  type CauseShare,
  isObjectLoop,
  minWrites,
  type LoopsOptions,
  nameOf,
  type ObjectLoop,
  type WriterShare,
} from "../loops/loop.ts";
import { Loops } from "../loops/loops.ts";
import { because } from "./because.ts";
import type { ProcessLine } from "./process-report.ts";
import { WriteCauses } from "./write-causes.ts";

/** A loop, and why the process wrote its object. */
export interface WrittenLoop {
  readonly loop: ObjectLoop;
  readonly causes: readonly CauseShare[];
}

/** The writes of at least this many objects are counted. */
const maxObjects = 20_000;

/**
 * Needs every event of a proxy (`accept`) and the lines that they complete (`take`). Changes of objects that the process has hardly
 * written are ignored, because thousands may pass in a second.
 */
export class WrittenLoops {
  readonly #loops: Loops;
  readonly #causes = new WriteCauses();
  readonly #writes = new GenerationalCache<string, number>(maxObjects);
  /** The field managers that the process writes as. */
  readonly #managers = new Set<string>();

  constructor(options: LoopsOptions) {
    this.#loops = new Loops(options);
  }

  accept(event: StageEvent): void {
    if (event.stage === "delta") {
      if ((this.#writes.get(nameOf(event)) ?? 0) >= minWrites) this.#loops.accept(event);
    } else if (event.stage === "write" && event.agent !== undefined && event.error === undefined) {
      const name = nameOf(event);
      this.#writes.set(name, (this.#writes.get(name) ?? 0) + 1);
      this.#managers.add(event.fieldManager);
    }
  }

  take(lines: readonly ProcessLine[]): void {
    for (const line of lines) {
      if (line.is !== "reconcile") continue;
      const why = because(line.episode);
      for (const { write } of line.writes) this.#causes.add(write, why);
    }
  }

  /** The loops so far that the process takes part in; a loop comes before those that follow from it. */
  found(): readonly WrittenLoop[] {
    return this.#loops
      .settled()
      .filter(isObjectLoop)
      .filter((loop) => this.#takesPart(loop))
      .map((loop) => ({ loop, causes: this.#causes.of(loop) }));
  }

  /** False if only other writers change the looping fields. A field's removal has no known writer, so it may be the process's own. */
  #takesPart(loop: ObjectLoop): boolean {
    const isOwn = ({ name }: WriterShare): boolean => name === undefined || this.#managers.has(name);
    if (loop.is === "recreated") return [...loop.createdBy, ...loop.deletedBy].some(isOwn);
    return loop.fields.length === 0 ? loop.writers.some(isOwn) : loop.fields.some(({ writers }) => writers.some(isOwn));
  }
}
