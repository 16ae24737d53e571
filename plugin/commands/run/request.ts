/** The request of `run`: controllers or a program. */
import type { Selector } from "../../../src/api/labels.ts";
import type { ControllerDefinition } from "../../../src/controller/api/definition.ts";
import type { ProcessTarget } from "../../connections/process-connection.ts";
import type { ProcessRequest } from "../../process/running.ts";
import type { RunTarget } from "../../connections/run-connection.ts";
import type { BindAddress } from "../../telemetry/endpoint.ts";
import type { LeaderElect } from "./leader-elect.ts";

/** The request with controllers resolved and defaults filled in. */
export interface RunRequest {
  readonly controllers: readonly ControllerDefinition[];
  /** The word was `all`: with a namespace, controllers that cannot be restricted to it are left out. */
  readonly isAll: boolean;
  /** The cluster, user and namespace. */
  readonly flags: RunTarget & { readonly allNamespaces?: true };
  /** Undefined for every object. */
  readonly selector: Selector | undefined;
  /** The number of workers per controller; undefined for kube-controller-manager's. */
  readonly workers: number | undefined;
  readonly resyncMs: number | undefined;
  readonly once: boolean;
  readonly forMs: number | undefined;
  readonly json: boolean;
  readonly sinceStart: boolean;
  readonly force: boolean;
  readonly freeze: boolean;
  /** Undefined without leader election: it starts at once, and is refused if another copy is running. */
  readonly leaderElect: LeaderElect | undefined;
  /** Reload controllers from files when they are saved. */
  readonly reloads: boolean;
  /** Send each sync as an OpenTelemetry span. */
  readonly sendsSpans: boolean;
  /** Where to serve metrics; undefined for nowhere. */
  readonly metrics: BindAddress | undefined;
}

/** The request to run a program instead of controllers. */
export interface ProgramRequest extends ProcessRequest {
  readonly flags: ProcessTarget & { readonly allNamespaces?: true };
}
