/** What is recorded of a run until it ends. */
import type { Timeline } from "../../platform/timeline.ts";
import type { TraceBus } from "../../trace/bus.ts";
import { type Rollout, Rollouts } from "../../views/rollout.ts";
import type { State } from "../../views/state.ts";
import { WriteAttribution } from "../../views/write-attribution.ts";
import type { FailingKey } from "./failing.ts";
import { NodeRecord } from "./node-record.ts";
import { addProgramWrites } from "./program-writes.ts";
import type { SentWrite } from "./server-validate.ts";
import type { StoreChange } from "./store.ts";

/** What can be recorded. */
export interface Recordable {
  readonly timeline: Pick<Timeline, "now">;
  /** Receives the events of everything that runs. */
  readonly bus: TraceBus;
  /** The writes as sent, if they are recorded. */
  readonly writes: SentWrite[];
  /** Calls the listener for each change of the store, synchronously. Returns an unsubscribe function. */
  onChange(listener: (change: StoreChange) => void): () => void;
  state(): State;
  /** The keys whose last sync failed. */
  failing(): readonly FailingKey[];
}

/** The state in which a run has ended. */
export interface Ending {
  /** When it ended, by the cluster's clock, in ms since 1970. */
  readonly now: number;
  readonly state: State;
  readonly failing: readonly FailingKey[];
  readonly writes: readonly SentWrite[];
}

/** Records from its creation until `end`: what happens later is not part of the run. */
export class Recording {
  readonly attribution: WriteAttribution = new WriteAttribution();
  readonly nodeRecord: NodeRecord;
  readonly #world: Recordable;
  readonly #rollouts: Rollouts;
  readonly #ends: readonly (() => void)[];
  #ending: Ending | undefined;

  /** @param before the state in which it begins. */
  constructor(world: Recordable, before: State) {
    this.#world = world;
    world.writes.length = 0;
    const { attribution } = this;
    const rollouts = new Rollouts(world.timeline.now(), before.values());
    const nodeRecord = new NodeRecord(before, world.timeline.now());
    this.nodeRecord = nodeRecord;
    this.#rollouts = rollouts;
    this.#ends = [
      world.bus.listen(attribution.listener),
      addProgramWrites(world.bus, attribution),
      world.onChange((change) => rollouts.accept(change)),
      world.onChange((change) => nodeRecord.accept(change)),
    ];
  }

  get rollouts(): readonly Rollout[] {
    return this.#rollouts.rollouts();
  }

  /** Ends it, unless it has ended. */
  end(): Ending {
    if (this.#ending !== undefined) return this.#ending;
    for (const end of this.#ends) end();
    const { timeline, writes } = this.#world;
    this.#ending = {
      now: timeline.now(),
      state: this.#world.state(),
      failing: this.#world.failing(),
      writes: [...writes],
    };
    return this.#ending;
  }
}
