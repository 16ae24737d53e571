/** The request of `trace`. */
import type { ControllerDefinition } from "../../../src/controller/api/definition.ts";
import type { Scope } from "../../cli/scope.ts";
import type { Globals } from "../../connections/globals.ts";
import type { Failure } from "./screen.ts";

/** The controllers to trace, and optionally one object whose syncs are shown. */
export interface TraceSubject {
  readonly controllers: readonly ControllerDefinition[];
  /** `TYPE/NAME`: only this object's syncs are shown. */
  readonly object: string | undefined;
  /** Also show syncs of the object's owners and dependents. */
  readonly chain: boolean;
  /** The controllers were not named individually: those that do not support the scope may be left out. */
  readonly all: boolean;
}

/** The request with controllers resolved and defaults filled in. A TYPE is resolved later, with the server's discovery. */
export interface TraceRequest extends TraceSubject {
  /** The cluster, user and namespace. */
  readonly flags: Globals & Scope;
  /** `TYPE/NAME`: show only its chain, each sync with its first cause. */
  readonly why: string | undefined;
  /** Show every sync as a block. */
  readonly everySync: boolean;
  readonly sandbox: boolean;
  readonly once: boolean;
  readonly forMs: number | undefined;
  readonly count: number | undefined;
  readonly failOn: Failure | undefined;
  readonly json: boolean;
  readonly sinceStart: boolean;
}
