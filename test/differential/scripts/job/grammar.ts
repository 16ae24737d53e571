/**
 * Random scripts for one Job. All random values are drawn before the script runs; the pod that a fraction selects is determined on each
 * side. Pods finish with a time an hour ago, so that no back-off delays anything.
 */
import { below, type Random, seededRandom } from "../../../../src/platform/random.ts";
import { bind, removePod, setPodState } from "../../acts.ts";
import type { PodObject } from "../../objects.ts";
import type { Stage } from "../../stage.ts";
import type { Script, Step } from "../../suite.ts";
import {
  endPod,
  finalizer,
  hasCondition,
  indexName,
  indexOf,
  jobName,
  type JobObject,
  jobOf,
  runningPods,
} from "./acts.ts";

interface Scene {
  readonly random: Random;
  /** Whether the Job is indexed, now or when it is next created. */
  indexed: boolean;
  completions: number;
}

const exitCodes = [1, 1, 1, 3, 5, 7];

/** Returns the script for a seed. */
export function randomScript(seed: number, length: number): Script {
  const scene: Scene = { random: seededRandom(seed), indexed: false, completions: 1 };
  const steps = [make(scene)];
  while (steps.length < length) steps.push(pick(moves, scene.random.next())(scene));
  return { name: `seed ${seed}`, steps };
}

function pick<T>(items: readonly T[], fraction: number): T {
  const item = items[Math.floor(fraction * items.length)];
  if (item === undefined) throw new RangeError(`Cannot pick at ${fraction} of ${items.length}`);
  return item;
}

type Move = (scene: Scene) => Step;

/** A move that is listed n times is n times as likely. */
const moves: readonly Move[] = [
  end,
  end,
  end,
  end,
  end,
  end,
  several,
  several,
  place,
  place,
  removeOne,
  removeOne,
  leave,
  leave,
  resize,
  resize,
  suspend,
  suspend,
  restart,
  renumber,
  orphan,
  touchStatus,
  anew,
];

function chance(random: Random, probability: number): boolean {
  return random.next() < probability;
}

const rules = (indexed: boolean): readonly object[] => [
  { action: "Ignore", onExitCodes: { operator: "In", values: [7] } },
  ...(indexed ? [{ action: "FailIndex", onExitCodes: { operator: "In", values: [5] } }] : []),
  { action: "FailJob", onExitCodes: { operator: "In", values: [3] } },
];

function drawSpec(scene: Scene): object {
  const { random } = scene;
  scene.indexed = chance(random, 0.5);
  scene.completions = 1 + below(random, 5);
  const perIndex = scene.indexed && chance(random, 0.6);
  const isQueue = !scene.indexed && chance(random, 0.2);
  const withPolicy = chance(random, 0.4);
  return {
    parallelism: 1 + below(random, 4),
    ...(!isQueue && { completions: scene.completions }),
    backoffLimit: below(random, 5),
    ...(scene.indexed && { completionMode: "Indexed" }),
    ...(perIndex && { backoffLimitPerIndex: below(random, 3), backoffLimit: 99 }),
    ...(perIndex && chance(random, 0.4) && { maxFailedIndexes: below(random, 2) }),
    ...(withPolicy && { podFailurePolicy: { rules: rules(perIndex) } }),
    ...((withPolicy || chance(random, 0.3)) && { podReplacementPolicy: "Failed" }),
    ...(scene.indexed &&
      chance(random, 0.3) && {
        successPolicy: { rules: [{ succeededCount: Math.min(2, scene.completions) }, { succeededIndexes: "0" }] },
      }),
    ...(chance(random, 0.2) && { suspend: true }),
    ...(chance(random, 0.1) && { activeDeadlineSeconds: 3600 }),
  };
}

function make(scene: Scene): Step {
  const spec = drawSpec(scene);
  const podSpec = chance(scene.random, 0.2) && !("podFailurePolicy" in spec) ? { restartPolicy: "OnFailure" } : {};
  return {
    name: `create ${JSON.stringify({ ...spec, ...podSpec })}`,
    act: (stage) => stage.create("jobs", jobOf(spec, { podSpec })),
  };
}

/** Deletes the Job, then removes its pods and their finalizers; then creates another Job. */
function anew(scene: Scene): Step {
  const made = make(scene);
  return {
    name: `recreate: ${made.name}`,
    async act(stage) {
      await stage.remove("jobs", jobName, { propagationPolicy: "Background" });
      const tracked = (): Promise<readonly PodObject[]> =>
        stage.pods(({ metadata }) => metadata.finalizers?.includes(finalizer) === true);
      for (let tries = 0; tries < 100 && (await tracked()).length > 0; tries++) await Bun.sleep(50);
      for (const { metadata } of await stage.pods()) {
        await stage.attempt("PATCH", `/pods/${metadata.name}`, { metadata: { finalizers: null } });
        await stage.attempt("DELETE", `/pods/${metadata.name}`, { gracePeriodSeconds: 0 });
      }
      await made.act(stage);
    },
  };
}

async function job(stage: Stage): Promise<JobObject> {
  return (await stage.get("jobs", jobName)) as unknown as JobObject;
}

/** Acts on a running pod, if there is one. */
function toOne({ random }: Scene, name: string, act: (stage: Stage, pod: PodObject) => Promise<unknown>): Step {
  const fraction = random.next();
  return {
    name: `${name} (at ${fraction.toFixed(2)})`,
    async act(stage) {
      const pods = await runningPods(stage);
      if (pods.length > 0) await act(stage, pick(pods, fraction));
    },
  };
}

function end(scene: Scene): Step {
  const { random } = scene;
  const phase = chance(random, 0.5) ? "Succeeded" : "Failed";
  const exitCode = phase === "Succeeded" ? 0 : pick(exitCodes, random.next());
  return toOne(scene, `a pod finishes as ${phase} with exit code ${exitCode}`, (stage, pod) =>
    endPod(stage, pod, { phase, exitCode }),
  );
}

function several({ random }: Scene): Step {
  const ends = Array.from({ length: 2 + below(random, 3) }, () => (chance(random, 0.6) ? "Succeeded" : "Failed"));
  return {
    name: `pods finish as ${ends.join()}`,
    async act(stage) {
      const pods = await runningPods(stage);
      for (const [n, phase] of ends.entries()) {
        const pod = pods[n];
        if (pod !== undefined) await endPod(stage, pod, { phase });
      }
    },
  };
}

function place(scene: Scene): Step {
  const ready = chance(scene.random, 0.6);
  return toOne(scene, `bind a pod, ${ready ? "ready" : "not ready"}`, async (stage, pod) => {
    if (pod.spec.nodeName === undefined) await bind(stage, pod, "node-1");
    await setPodState(stage, pod, { ready });
  });
}

/** The pod first becomes unready with a time an hour ago, because it counts as finished since then. */
function removeOne(scene: Scene): Step {
  const how = chance(scene.random, 0.5) ? "gracefully" : "at once";
  return toOne(scene, `delete a pod ${how}`, async (stage, pod) => {
    await setPodState(stage, pod, { ready: false });
    await removePod(stage, pod, how);
  });
}

function leave({ random }: Scene): Step {
  const phase = chance(random, 0.5) ? undefined : "Failed";
  return {
    name: `remove terminating pods${phase === undefined ? "" : ` as ${phase}`}`,
    async act(stage) {
      for (const pod of await stage.pods(({ metadata }) => metadata.deletionTimestamp !== undefined)) {
        if (phase !== undefined && pod.status?.phase !== "Failed" && pod.status?.phase !== "Succeeded") {
          await endPod(stage, pod, { phase: "Failed" });
        }
        await stage.attempt("DELETE", `/pods/${pod.metadata.name}`, { gracePeriodSeconds: 0 });
      }
    },
  };
}

function resize(scene: Scene): Step {
  const { random } = scene;
  const size = below(random, 5);
  const both = scene.indexed && chance(random, 0.5);
  const spec = both ? { parallelism: size, completions: size } : { parallelism: size };
  // The API server can reject this if the Job has a limit per index.
  return {
    name: `resize: ${JSON.stringify(spec)}`,
    act: (stage) => patchJob(stage, { spec }),
  };
}

function patchJob(stage: Stage, body: object, subresource = ""): Promise<unknown> {
  const path = `/apis/batch/v1/namespaces/${stage.namespace}/jobs/${jobName}${subresource}`;
  return stage.cluster.request("PATCH", path, body, { "content-type": "application/merge-patch+json" });
}

function suspend(): Step {
  return {
    name: "suspend or resume",
    async act(stage) {
      const { spec } = await job(stage);
      await patchJob(stage, { spec: { suspend: spec.suspend !== true } });
    },
  };
}

function restart(scene: Scene): Step {
  const restarts = 1 + below(scene.random, 3);
  return toOne(scene, `a container has restarted ${restarts} times`, (stage, pod) =>
    setPodState(stage, pod, { restarts, ready: false }),
  );
}

/** A restart count that no other pod has decides which of two pods with the same index is deleted first. */
function renumber(scene: Scene): Step {
  const to = String(below(scene.random, scene.completions + 1));
  const restarts = 10 + below(scene.random, 1000);
  return toOne(scene, `set the index of a pod to ${to}`, async (stage, pod) => {
    if (indexOf(pod) < 0) return;
    if (pod.spec.nodeName === undefined) await bind(stage, pod, "node-1");
    await setPodState(stage, pod, { restarts, ready: false });
    await stage.patch("pods", pod.metadata.name, { metadata: { annotations: { [indexName]: to } } });
  });
}

/** A pod that no Job selects. It has the finalizer, and only when its owner reference is removed is it an orphan. */
function orphan({ random }: Scene): Step {
  const leaving = chance(random, 0.3);
  return {
    name: `create an orphan with the finalizer${leaving ? ", terminating" : ""}`,
    async act(stage) {
      const owner = { apiVersion: "example.com/v1", kind: "Batch", name: "b", uid: "1-2", controller: true };
      const metadata = {
        generateName: "orphan-",
        finalizers: [finalizer, "example.com/keep"],
        labels: { app: "orphan" },
      };
      const made = await stage.create("pods", {
        metadata: { ...metadata, ownerReferences: [owner] },
        spec: { containers: [{ name: "main", image: "main:1" }] },
      });
      const { name } = made["metadata"] as { readonly name: string };
      await stage.patch("pods", `${name}/status`, { status: { phase: "Succeeded" } });
      if (leaving) await stage.remove("pods", name, { gracePeriodSeconds: 0 });
      await stage.patch("pods", name, { metadata: { ownerReferences: null } });
    },
  };
}

/** Writes a value to the status, as another client would, that the controller will correct. */
function touchStatus({ random }: Scene): Step {
  const ready = below(random, 2);
  return {
    name: `set the ready count of the status to ${ready}`,
    async act(stage) {
      const there = await job(stage);
      if (hasCondition(there, "Complete") || hasCondition(there, "Failed") || (there.status?.active ?? 0) < ready)
        return;
      await patchJob(stage, { status: { ready } }, "/status");
    },
  };
}
