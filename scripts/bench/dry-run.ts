/** A rollout of a Deployment of 200 replicas in dry-run, without a cluster: from the start of the process to its exit. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { controllersEnabledByDefault } from "../../src/controllers/index.ts";
import type { ToApply } from "../../src/modes/dry-run/apply.ts";
import { emptyCluster } from "../../src/modes/dry-run/initial-state.ts";
import { dryRun } from "../../src/modes/dry-run/dry-run.ts";
import { figure, type Goal, type Result } from "./figures.ts";

const replicas = 200;
const goalMs = 1000;
/** 201 created (the pods and a ReplicaSet), 2 changed, 200 deleted. */
const expected = `${replicas + 1} created, 2 changed, ${replicas} deleted. Deployment default/web: available ${replicas} of ${replicas}`;

export interface DryRunOptions {
  readonly rounds: number;
  /** `dist/kubectl-reconcile`. */
  readonly program: string;
  readonly dir: string;
}

function deployment(image: string): ToApply {
  const labels = { app: "web" };
  const template = { metadata: { labels }, spec: { containers: [{ name: "web", image }] } };
  const spec = { replicas, selector: { matchLabels: labels }, template };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web", namespace: "default" },
    spec,
  } as ToApply;
}

/** The peer of both is the upper limit: one second. */
export async function dryRunFigures({ rounds, program, dir }: DryRunOptions): Promise<readonly Result[]> {
  const file = (name: string, value: unknown): string => {
    const path = join(dir, name);
    writeFileSync(path, JSON.stringify(value));
    return path;
  };
  const before = deployment("nginx:1.26");
  const after = file("after.json", deployment("nginx:1.27"));
  const baselines = [
    { name: "the old one is a manifest", path: file("before.json", before) },
    { name: "the old one is saved with its pods", path: file("saved.json", await saved(before)) },
  ];
  const goal: Goal = { is: "at most", ratio: 1 };
  const results: Result[] = [];
  for (const { name, path } of baselines) {
    const ours: number[] = [];
    for (let round = 0; round < rounds; round++) ours.push(await once(program, path, after));
    const title = `dry-run of a Deployment of ${replicas} rolled over; ${name}`;
    results.push(figure(title, "ms", goal, { ours, peer: ours.map(() => goalMs) }));
  }
  return results;
}

/** The objects of a cluster in which the Deployment is complete, as kubectl would print them. */
async function saved(object: ToApply): Promise<object> {
  const run = await dryRun({
    initialState: emptyCluster([]),
    baseline: [],
    requestedChanges: [{ is: "apply", object, namespace: "default" }],
    controllers: controllersEnabledByDefault,
    seed: 1,
    shown: {},
    fold: true,
  });
  const kinds = new Set(["Deployment", "ReplicaSet", "Pod", "Node"]);
  const items = [...run.state.values()].filter(({ of }) => kinds.has(of.kind)).map((entry) => entry.object);
  return { apiVersion: "v1", kind: "List", items };
}

async function once(program: string, baseline: string, after: string): Promise<number> {
  const startedAt = performance.now();
  const run = Bun.spawn([program, "dry-run", "--from", "manifests", "--baseline", baseline, "-f", after], {
    env: { HOME: "/nonexistent", PATH: process.env["PATH"] ?? "" },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "ignore",
  });
  const text = await new Response(run.stdout).text();
  const code = await run.exited;
  const ms = performance.now() - startedAt;
  const last = text.trimEnd().split("\n").at(-1) ?? "";
  if (code !== 1 || !last.endsWith(expected)) throw new Error(`it ended with ${code}: ${last}`);
  return ms;
}
