/** The parts of a differential test: the controllers, the compared objects, and the scripts. README.md explains how to add one. */
import type { Kind } from "../../src/api/kind.ts";
import type { ControllerDefinition } from "../../src/controller/api/definition.ts";
import type { Effect } from "../support/audit-log.ts";
import type { Allowed } from "./differences.ts";
import type { AnyObject } from "./objects.ts";
import type { SideLog } from "./side-log.ts";
import type { Stage, StageServer } from "./stage.ts";
import type { Names, Told } from "./told.ts";

export interface Step {
  readonly name: string;
  /** The user's action; the same on every stage, based only on what is visible there. */
  act(stage: Stage): Promise<unknown>;
  /** How long to wait before the check for quiet, for delayed effects. */
  readonly waitMs?: number;
  /** A delayed effect that is visible: the step continues until this is true on every stage when all is quiet, for a minute at most. */
  readonly until?: (stage: Stage) => Promise<boolean>;
  /** Whether the order of the writes counts, too. */
  readonly order?: boolean;
  /** Why kube-controller-manager's behavior varies: then only the final state is compared. */
  readonly chance?: string;
}

export interface Script {
  readonly name: string;
  readonly steps: readonly Step[];
  /** Whether it must run without other scripts, because it keeps a controller busy for long. */
  readonly alone?: boolean;
  /** Why its result depends on a race, upstream too. A known race does not count as a random difference (verdict.ts). */
  readonly race?: string;
  /** Why it cannot run on the sandbox, which then is left out. */
  readonly notOnSandbox?: string;
}

/** A kind whose objects are compared after each step. */
export interface ComparedKind {
  readonly kind: Kind;
  /** The part of an object that is compared. Default: everything except uid, versions, times and managedFields. */
  readonly tell?: (object: AnyObject) => object;
}

export interface Suite {
  /** Part of the names of its tests, and the name of its test file: `replicaset`. */
  readonly name: string;
  /** kube-controller-manager's controllers on its side, as in `--controllers`: `replicaset-controller`. */
  readonly oracle: string;
  /** Our controllers on our side and on the sandbox. */
  readonly ours: readonly ControllerDefinition[];
  /** The clients whose writes are compared, by the last word of their User-Agent, if more controllers run. Default: all. */
  readonly only?: { readonly theirs: readonly string[]; readonly ours: readonly string[] };
  /**
   * With nodes: kwok and kube-scheduler on both real clusters, our simulated kubelet and scheduler on the sandbox. Default 0: pods do not
   * change unless a script binds them and writes their status.
   */
  readonly nodes?: number;
  readonly apiServerFlags?: readonly string[];
  /** Whether the sandbox evaluates RBAC, too, as the real clusters do. Default: no. */
  readonly rbac?: true;
  /** The ranges of Service addresses. Default: one IPv4 range. */
  readonly serviceRanges?: readonly string[];
  /** Additional flags of kube-controller-manager. */
  readonly oracleFlags?: readonly string[];
  /** Prepares an API server before any action; returns a function that ends it. Not for the sandbox, where it is built in. */
  readonly prepare?: (server: StageServer) => Promise<() => Promise<void>>;
  readonly kinds: readonly ComparedKind[];
  /** Sorts parts of a body that have no order. */
  readonly arranged?: <T extends object>(body: T) => T;
  /**
   * Whether the objects match their owners. While they do not, a step ends only after a longer quiet period, because a controller may still
   * be working. `actedAt`: the end of the step's actions, in ms since 1970. Unset: the usual quiet period is sufficient.
   */
  readonly isSettled?: (stage: Stage, log: SideLog, actedAt: number) => boolean | Promise<boolean>;
  /** Whether writes are still to come, according to the log: a step then waits for them, for 15 s of silence at most. */
  readonly owes?: (log: SideLog, stage: Stage) => boolean | Promise<boolean>;
  /** The quiet period after which a step ends when everything is settled. Default 0.35 s. */
  readonly quietMs?: number;
  /** The quiet period after which a step ends although not everything is settled. Default 4 s. */
  readonly patienceMs?: number;
  /** Records the order of the writes, in steps where the order counts. Default: `podOrders`. */
  readonly order?: (effects: readonly Effect[], names: Names) => Told[];
  /** Adds names of equivalent objects before a step is recorded: keys of `names.generated` are replaced by their values. */
  readonly learn?: (names: Names, objects: (kind: Kind) => readonly AnyObject[]) => void;
  /** Writes, such as `delete configmaps 200`, of which equal ones count once per step, because the number of repetitions is random. */
  readonly repeated?: (what: string) => boolean;
  /**
   * How many times, over a script, our side may write a status, or something that is refused or repeated, beyond twice
   * kube-controller-manager's number. Default 8.
   */
  readonly spareWrites?: number;
  /** Writes, named in the same way, that depend on a timer, so that their step is random. They are compared once for the whole script. */
  readonly timed?: (what: string) => boolean;
  /** Writes, named in the same way, that are random: not compared at all. */
  readonly chance?: (what: string) => boolean;
  readonly scripts: readonly Script[];
  /** Returns a script with this number of steps for a seed. */
  readonly random: (seed: number, length: number) => Script;
  /** Default 14. */
  readonly randomSteps?: number;
  /** Number of seeds in the short and in the long form. */
  readonly seeds: { readonly short: number; readonly long: number };
  /** Number of scripts that run at the same time. Default 8. */
  readonly width?: number;
  readonly differences: readonly Allowed[];
}
