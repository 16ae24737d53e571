/** The options of shadow mode. */
import type { Selector } from "../../api/labels.ts";
import type { Transport } from "../../api/transport.ts";
import type { ServerVersion } from "../../api/server-version.ts";
import type { ControllerDefinition } from "../../controller/api/definition.ts";
import type { Random } from "../../platform/random.ts";
import type { Timeline } from "../../platform/timeline.ts";
import type { TraceBus } from "../../trace/bus.ts";

/** The controllers to run in shadow, and the cluster that they watch. */
export interface ShadowOptions {
  readonly controllers: readonly ControllerDefinition[];
  /** Must be read-only. */
  readonly transport: Transport;
  readonly bus: TraceBus;
  readonly timeline: Timeline;
  readonly random: Random;
  /** The PEM certificates of the authorities trusted for the API server, if the connection has any. */
  readonly serverCa?: string | undefined;
  /** The version of the API server. Default: 1.36. */
  readonly serverVersion?: ServerVersion;
  readonly namespace?: string;
  readonly selector?: Selector;
  readonly workers?: number;
  /** The owner of a controller's objects. */
  readonly ownerOf: (controller: string) => ShadowOwner;
  /** Called once for an owner that the preflight did not find, when its first write is seen. */
  readonly onOwnerSeen?: (controller: string, manager: string) => void;
  readonly freeze?: boolean;
}

/** The process that runs a controller on the cluster. */
export interface ShadowOwner {
  /** Its field manager, such as `kube-controller-manager`; undefined if it is not compared. */
  readonly manager: string | undefined;
  /** Whether it was found to be running. */
  readonly found: boolean;
}
