/** What `run` is asked to do: to run controllers, or a program. */
import type { Selector } from "../../../src/api/labels.ts";
import type { ControllerDefinition } from "../../../src/controller/api/definition.ts";
import type { ProcessTarget } from "../../connections/process-connection.ts";
import type { ProcessRequest } from "../../process/running.ts";
import type { RunTarget } from "../../connections/run-connection.ts";
import type { BindAddress } from "../../telemetry/endpoint.ts";
import type { LeaderElect } from "./leader-elect.ts";

/** The request: controllers resolved, defaults filled in. */
export interface RunRequest {
  readonly controllers: readonly ControllerDefinition[];
  /** The word was `all`: controllers that cannot be run in one namespace are left out there. */
  readonly isAll: boolean;
  /** Which cluster, as whom, and where in it. */
  readonly flags: RunTarget & { readonly allNamespaces?: true };
  /** Undefined: every object. */
  readonly selector: Selector | undefined;
  /** For each controller; undefined: as many as kube-controller-manager has. */
  readonly workers: number | undefined;
  readonly resyncMs: number | undefined;
  readonly once: boolean;
  readonly forMs: number | undefined;
  readonly json: boolean;
  readonly sinceStart: boolean;
  readonly force: boolean;
  readonly freeze: boolean;
  /** Undefined: it begins at once, and is refused where another copy works. */
  readonly leaderElect: LeaderElect | undefined;
  /** Controllers in files are taken up again when they are saved. */
  readonly reloads: boolean;
  /** Each sync becomes a span of OpenTelemetry. */
  readonly sendsSpans: boolean;
  /** Where metrics are served; undefined: nowhere. */
  readonly metrics: BindAddress | undefined;
}

/** A program instead of controllers. */
export interface ProgramRequest extends ProcessRequest {
  readonly flags: ProcessTarget & { readonly allNamespaces?: true };
}
