/** What a differential test is made of: which controllers act, which objects are looked at, what is played. README.md tells how to add one. */
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
  /** What the user does; the same on every stage, by what can be seen there. */
  act(stage: Stage): Promise<unknown>;
  /** How long to wait before looking whether all is quiet: for what comes by itself later. */
  readonly waitMs?: number;
  /** What comes by itself later, and shows: the step goes on until it is so on every stage when all is quiet; a minute at most. */
  readonly until?: (stage: Stage) => Promise<boolean>;
  /** Whether the order of the writes counts too. */
  readonly order?: boolean;
  /** Why kube-controller-manager itself goes now one way, now another: then only how things stand at the end is compared. */
  readonly chance?: string;
}

export interface Script {
  readonly name: string;
  readonly steps: readonly Step[];
  /** Not beside other scripts: it keeps a controller busy for long. */
  readonly alone?: boolean;
  /** Why its end depends on which of two things comes first, upstream too. A known race does not count as a chance (verdict.ts). */
  readonly race?: string;
  /** Why it cannot be played on the sandbox, which then has no part in it. */
  readonly notOnSandbox?: string;
}

/** A kind whose objects are held against each other when a step is over. */
export interface ComparedKind {
  readonly kind: Kind;
  /** What of an object counts. Default: all but what only its making says (uid, versions, times, managedFields). */
  readonly tell?: (object: AnyObject) => object;
}

export interface Suite {
  /** What stands in the names of its tests, and the name of its test file: `replicaset`. */
  readonly name: string;
  /** Those of kube-controller-manager that act on its side, as `--controllers` names them: `replicaset-controller`. */
  readonly oracle: string;
  /** Those of ours that act on our side and on the sandbox. */
  readonly ours: readonly ControllerDefinition[];
  /** Whose writes are compared, by the last word of their User-Agent, where more controllers act. Default: everybody's that act. */
  readonly only?: { readonly theirs: readonly string[]; readonly ours: readonly string[] };
  /**
   * With nodes: kwok and kube-scheduler on both real clusters, our simulated kubelet and scheduler on the sandbox. Default 0:
   * pods stand still unless a script binds them and writes their status.
   */
  readonly nodes?: number;
  readonly apiServerFlags?: readonly string[];
  /** Whether roles decide on the sandbox, too, as they do on the real clusters. Default: they do not. */
  readonly rbac?: true;
  /** The ranges that addresses of Services are from. Default: one of IPv4. */
  readonly serviceRanges?: readonly string[];
  /** More flags of kube-controller-manager. */
  readonly oracleFlags?: readonly string[];
  /** What an API server needs before anybody acts on it; answers how it ends. Not on the sandbox, which has it built in. */
  readonly prepare?: (server: StageServer) => Promise<() => Promise<void>>;
  readonly kinds: readonly ComparedKind[];
  /** Puts in order what has no order of its own in the body of a write. */
  readonly arranged?: <T extends object>(body: T) => T;
  /**
   * Whether the objects are as their owners say. While they are not, a step ends only after a longer silence, since a controller
   * may still be on its way. `actedAt`: when the step's actions were done, in ms since 1970. Unset: any silence will do.
   */
  readonly isSettled?: (stage: Stage, log: SideLog, actedAt: number) => boolean | Promise<boolean>;
  /** Whether writes are still to come, by what is in the log: a step then waits for them, for 15 s of silence at most. */
  readonly owes?: (log: SideLog, stage: Stage) => boolean | Promise<boolean>;
  /** How long the silence lasts after which a step ends when all is settled. Default 0.35 s. */
  readonly quietMs?: number;
  /** How long the silence lasts after which a step ends although not all is settled. Default 4 s. */
  readonly patienceMs?: number;
  /** What is told of the order of the writes, in steps where the order counts. Default: `podOrders`. */
  readonly order?: (effects: readonly Effect[], names: Names) => Told[];
  /** Names what only this suite knows to be alike, before a step is told: what stands in `names.generated` is told by its value. */
  readonly learn?: (names: Names, objects: (kind: Kind) => readonly AnyObject[]) => void;
  /** Writes, by `delete configmaps 200`, of which equal ones count once in a step: how often they are repeated is chance. */
  readonly repeated?: (what: string) => boolean;
  /**
   * How many times, over a script, our side may write a status, or something that is refused or repeated, beyond twice as often
   * as kube-controller-manager. Default 8.
   */
  readonly spareWrites?: number;
  /**
   * Writes, by the same names, that come when a timer says so: whether in this step or in the next is chance. They are compared once
   * for the whole script.
   */
  readonly timed?: (what: string) => boolean;
  /** Writes, by the same names, that are made or not by chance: not compared at all. */
  readonly chance?: (what: string) => boolean;
  readonly scripts: readonly Script[];
  /** A script made of a seed, so many steps long. */
  readonly random: (seed: number, length: number) => Script;
  /** Default 14. */
  readonly randomSteps?: number;
  /** How many seeds are played, in the short and in the long form. */
  readonly seeds: { readonly short: number; readonly long: number };
  /** How many scripts are played at the same time. Default 8. */
  readonly width?: number;
  readonly differences: readonly Allowed[];
}
