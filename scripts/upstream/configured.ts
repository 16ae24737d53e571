/**
 * A controller with the options that a test in Go sets: a file for `run`, which `ours/ours.go` runs from the sources, since the compiled
 * program does not expose these options.
 */
import type { ControllerDefinition } from "../../src/controller/api/definition.ts";
import { defineDisruption } from "../../src/controllers/disruption/disruption.ts";
import { defineJob } from "../../src/controllers/job/job.ts";
import { defineNodeLifecycle } from "../../src/controllers/node-lifecycle/node-lifecycle.ts";
import { definePersistentVolumeBinder } from "../../src/controllers/persistentvolume-binder/persistentvolume-binder.ts";
import { definePodGarbageCollector } from "../../src/controllers/pod-garbage-collector/pod-garbage-collector.ts";

const controllers: Readonly<Record<string, (options: never) => ControllerDefinition>> = {
  disruption: defineDisruption,
  job: defineJob,
  "node-lifecycle": defineNodeLifecycle,
  "persistentvolume-binder": definePersistentVolumeBinder,
  "pod-garbage-collector": definePodGarbageCollector,
};

/** What `ours.go` puts into KUBECTL_RECONCILE_OPTIONS. */
interface Configured {
  readonly controller: string;
  /** Of the controller's own options type. */
  readonly options: never;
}

const { controller, options } = JSON.parse(process.env["KUBECTL_RECONCILE_OPTIONS"] ?? "{}") as Configured;
const define = controllers[controller];
if (define === undefined) throw new RangeError(`no options for a controller ${controller}`);

const configured: ControllerDefinition = define(options);
export default configured;
