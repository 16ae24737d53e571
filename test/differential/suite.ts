/** Defines a differential test: which controllers act, which objects are compared, which scripts run. See README.md for how to add one. */
import type { Kind } from "../../src/api/kind.ts";
import type { ControllerDefinition } from "../../src/controller/api/definition.ts";
import type { Effect } from "../support/audit-log.ts";
import type { Allowed } from "./differences.ts";
import type { AnyObject } from "./objects.ts";
import type { SideLog } from "./side-log.ts";
import type { Stage, StageServer } from "./stage.ts";
import type { Names, Entry } from "./step-record.ts";

export interface Step {
  readonly name: string;
  /** The user's actions, the same on every stage, chosen only by what can be read there. */
  act(stage: Stage): Promise<unknown>;
  /** How long to wait before checking whether all is quiet: for effects that occur later without further action. */
  readonly waitMs?: number;
  /** A later effect that can be observed: the step continues until it holds on every stage when all is quiet, three minutes at most. */
  readonly until?: (stage: Stage) => Promise<boolean>;
  /** Whether the order of the writes is compared too. */
  readonly order?: boolean;
  /** Why kube-controller-manager itself does not always do the same. If set, only the final objects are compared. */
  readonly chance?: string;
}

export interface Script {
  readonly name: string;
  readonly steps: readonly Step[];
  /** Whether to run it without other scripts at the same time, because it keeps a controller busy for long. */
  readonly alone?: boolean;
  /** Why the outcome depends on which of two things happens first, upstream too. A known race does not count as a chance (verdict.ts). */
  readonly race?: string;
  /** Why it cannot run on the sandbox, which is then left out. */
  readonly notOnSandbox?: string;
  /** Why it holds only while no other controllers run: what another one would change. Skipped with ALL=1. */
  readonly withoutOthers?: string;
}

/** A kind whose objects are compared after each step. */
export interface ComparedKind {
  readonly kind: Kind;
  /** The part of an object that is compared. Default: all except what is unique to each creation (uid, versions, times, managedFields). */
  readonly compared?: (object: AnyObject) => object;
}

export interface Suite {
  /** Part of the names of its tests, and the name of its test file: `replicaset`. */
  readonly name: string;
  /** The controllers of kube-controller-manager that run on its side, in the syntax of `--controllers`: `replicaset-controller`. */
  readonly oracle: string;
  /** Our controllers that run on our side and on the sandbox. */
  readonly ours: readonly ControllerDefinition[];
  /** If more controllers run: whose writes are compared, by the last word of their User-Agent. Default: those of all that run. */
  readonly only?: { readonly theirs: readonly string[]; readonly ours: readonly string[] };
  /**
   * Our names of controllers that are off even with ALL=1, because the scripts play their part (they delete what the garbage collector would
   * delete), or because they change at times of their own what the scripts set up.
   */
  readonly runsWithout?: readonly string[];
  /**
   * If there are nodes: kwok and kube-scheduler on both real clusters, our simulated kubelet and scheduler on the sandbox. Default 0: pods
   * do not change unless a script binds them and writes their status.
   */
  readonly nodes?: number;
  readonly apiServerFlags?: readonly string[];
  /** Whether RBAC is enforced on the sandbox, as it is on the real clusters. Default: it is not. */
  readonly rbac?: true;
  /** The IP ranges of Services. Default: one IPv4 range. */
  readonly serviceRanges?: readonly string[];
  /** Additional flags of kube-controller-manager. */
  readonly oracleFlags?: readonly string[];
  /** Prepares an API server before any controller runs, and returns the cleanup. Not for the sandbox, which has it built in. */
  readonly prepare?: (server: StageServer) => Promise<() => Promise<void>>;
  readonly kinds: readonly ComparedKind[];
  /** Sorts the unordered parts of the body of a write. */
  readonly arranged?: <T extends object>(body: T) => T;
  /**
   * Whether all objects are in their desired state. If not, a step ends only after a longer silence, because a controller may still be
   * working. `actedAt`: when the step's actions were done, in ms since 1970. If unset, any silence is enough.
   */
  readonly isSettled?: (stage: Stage, log: SideLog, actedAt: number) => boolean | Promise<boolean>;
  /** Whether more writes must follow, according to the log: a step then waits for them, for at most 15 s of silence. */
  readonly hasPendingWrites?: (log: SideLog, stage: Stage) => boolean | Promise<boolean>;
  /** The length of the silence that ends a step if everything is settled. Default 0.35 s. */
  readonly quietMs?: number;
  /** The length of the silence that ends a step if not everything is settled. Default 4 s. */
  readonly patienceMs?: number;
  /** What is recorded about the order of the writes, in steps that compare it. Default: `podOrders`. */
  readonly order?: (effects: readonly Effect[], names: Names) => Entry[];
  /** Adds names for values that only this suite can match, before a step is normalized: keys of `names.generated` become their values. */
  readonly learn?: (names: Names, objects: (kind: Kind) => readonly AnyObject[]) => void;
  /** Writes, such as `delete configmaps 200`, whose duplicates count once per step, because the number of repetitions is random. */
  readonly repeated?: (what: string) => boolean;
  /**
   * How many status writes, or rejected or repeated writes, our side can make in a script beyond twice the number of
   * kube-controller-manager's. Default 8.
   */
  readonly spareWrites?: number;
  /**
   * Writes, in the same notation, that a timer triggers: whether they happen in this step or in the next is random. They are compared once
   * for the whole script.
   */
  readonly timed?: (what: string) => boolean;
  /** Writes, in the same notation, that happen or not at random: not compared at all. */
  readonly chance?: (what: string) => boolean;
  readonly scripts: readonly Script[];
  /** Generates a script of `length` steps from a seed. */
  readonly random: (seed: number, length: number) => Script;
  /** Number of steps of a random script. Default 14. */
  readonly randomSteps?: number;
  /** Number of seeds, in the short and in the long form. */
  readonly seeds: { readonly short: number; readonly long: number };
  /** Number of scripts that run concurrently. Default 8. */
  readonly width?: number;
  readonly differences: readonly Allowed[];
}
