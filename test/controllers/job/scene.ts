/** An embedded cluster with the Job controller on virtual time, and a Job `data`. */
import { Jobs, Pods } from "../../../src/api/kinds.ts";
import type { Job, Pod } from "../../../src/api/types.ts";
import { job as jobController } from "../../../src/controllers/job/job.ts";
import type { ControllerDefinition } from "../../../src/controller/api/definition.ts";
import type { EmbeddedOptions } from "../../../src/modes/run/embedded.ts";
import type { StageEvent } from "../../../src/trace/events.ts";
import { type EmbeddedScene, embeddedScene } from "../../support/embedded-scene.ts";

export interface SceneOptions {
  readonly seed?: number;
  /** True by default; otherwise the test writes the statuses of the pods. */
  readonly kubelet?: boolean;
  readonly wrap?: EmbeddedOptions["wrap"];
  /** Controllers in addition to the Job controller. */
  readonly controllers?: readonly ControllerDefinition[];
}

export interface JobScene extends EmbeddedScene {
  /** `spec`: fields in addition to a template with one container; `annotations`: those of the template. */
  create(spec?: object, parts?: JobParts): Promise<Job>;
  /** Sends a merge patch of the Job. */
  patch(body: object): Promise<unknown>;
  job(): Promise<Job>;
  pods(): Promise<readonly Pod[]>;
  /** Sends a strategic merge patch of a pod's status. */
  setStatus(pod: string, status: object): Promise<unknown>;
  /** Sets the status of a finished pod, as a kubelet reports it. */
  finish(pod: string, phase: "Succeeded" | "Failed", exitCode?: number): Promise<unknown>;
  /** Lets this virtual time pass, even if nothing happens. */
  pass(ms: number): Promise<void>;
  /** Sentences of the Job controller's decisions since the last call. */
  sentences(): string[];
  /** The Job controller's writes since the last call, as `VERB Kind/name[/subresource]`. */
  writes(): string[];
  /** Events about the Job since the last call, as `Reason: message`. */
  eventTexts(): string[];
  /** Makes the next call of each of these start here. */
  forget(): void;
}

export interface JobParts {
  readonly name?: string;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly podSpec?: object;
}

const at = { namespace: "default", name: "data" };

export function jobNamed(spec: object = {}, { name = "data", annotations, podSpec }: JobParts = {}): Job {
  return {
    metadata: { namespace: "default", name },
    spec: {
      ...spec,
      template: {
        ...(annotations !== undefined && { metadata: { annotations } }),
        spec: { restartPolicy: "Never", containers: [{ name: "main", image: "data:1" }], ...podSpec },
      },
    },
    // The form in which it is sent: the server adds the remaining fields.
  } as unknown as Job;
}

export async function jobScene({
  seed = 1,
  kubelet = true,
  wrap,
  controllers = [],
}: SceneOptions = {}): Promise<JobScene> {
  const scene = await embeddedScene({
    controllers: [jobController, ...controllers],
    seed,
    kubelet,
    ...(!kubelet && { scheduler: false, nodes: 0 }),
    ...(wrap !== undefined && { wrap }),
  });
  const read = { told: 0, writes: 0, events: 0 };
  const since = (what: keyof typeof read): readonly StageEvent[] => {
    const events = scene.events.slice(read[what]);
    read[what] = scene.events.length;
    return events;
  };
  const setStatus = (name: string, status: object): Promise<unknown> =>
    scene.during(
      scene.you.patch(
        Pods,
        { namespace: "default", name },
        { type: "strategic", body: { status } },
        { subresource: "status" },
      ),
    );
  return {
    ...scene,
    create: (spec, parts) => scene.during(scene.you.create(Jobs, jobNamed(spec, parts))),
    patch: (body) => scene.during(scene.you.patch(Jobs, at, { type: "merge", body })),
    job: () => scene.during(scene.you.get(Jobs, at)),
    pods: () => scene.list(Pods),
    setStatus,
    finish(pod, phase, exitCode = phase === "Succeeded" ? 0 : 1) {
      const finishedAt = new Date(scene.timeline.now()).toISOString().replace(/\.\d+Z/, "Z");
      const terminated = { exitCode, startedAt: finishedAt, finishedAt };
      const status = { name: "main", image: "data:1", imageID: "", ready: false, restartCount: 0 };
      return setStatus(pod, { phase, containerStatuses: [{ ...status, state: { terminated } }] });
    },
    async pass(ms) {
      scene.timeline.after(ms, "test", () => undefined);
      await scene.run(ms);
    },
    sentences: () =>
      since("told").flatMap((event) =>
        event.stage === "decision" && event.controller === "job" ? [event.sentence] : [],
      ),
    writes: () =>
      since("writes").flatMap((event) =>
        event.stage === "write" && event.controller?.startsWith("job") === true
          ? [`${event.verb} ${[event.of.kind, event.key.split("/")[1], event.subresource ?? []].flat().join("/")}`]
          : [],
      ),
    eventTexts: () =>
      since("events").flatMap((event) =>
        event.stage === "event" && event.controller === "job" ? [`${event.reason}: ${event.message}`] : [],
      ),
    forget() {
      for (const what of ["told", "writes", "events"] as const) since(what);
    },
  };
}
