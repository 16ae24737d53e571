/** What `trace` is asked to show. */
import type { ControllerDefinition } from "../../../src/controller/api/definition.ts";
import type { Scope } from "../../cli/scope.ts";
import type { Globals } from "../../connections/globals.ts";
import type { Failure } from "./screen.ts";

/** Which controllers are traced, and which object's syncs of them are shown. */
export interface TraceSubject {
  readonly controllers: readonly ControllerDefinition[];
  /** `TYPE/NAME`: only this object's syncs are shown. */
  readonly object: string | undefined;
  /** With it those of the objects above and below it. */
  readonly chain: boolean;
  /** The controllers were not named one by one: those that do not fit the scope may be left out. */
  readonly all: boolean;
}

/** The request: controllers resolved, defaults filled in. What a TYPE means is asked of the server. */
export interface TraceRequest extends TraceSubject {
  /** Which cluster, as whom, and where in it. */
  readonly flags: Globals & Scope;
  /** `TYPE/NAME`: only its chain is shown, each sync with its first cause. */
  readonly why: string | undefined;
  /** Every sync has its block. */
  readonly everySync: boolean;
  readonly sandbox: boolean;
  readonly once: boolean;
  readonly forMs: number | undefined;
  readonly count: number | undefined;
  readonly failOn: Failure | undefined;
  readonly json: boolean;
  readonly sinceStart: boolean;
}
