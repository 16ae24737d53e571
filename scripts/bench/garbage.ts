/**
 * The garbage collector beside kube-controller-manager's: memory with many objects in its graph, and how a large cascade affects other
 * deletions.
 */
import { join } from "node:path";
import type { Cluster } from "../../test/support/cluster.ts";
import type { Child } from "./child.ts";
import { type RoundsOf, type Side, sides, startOurs, startSide } from "./contestants.ts";
import { post } from "./api-server.ts";
import { figure, type Result } from "./figures.ts";
import { type ObjectWatch, watchObjects } from "./object-watch.ts";

export interface GarbageOptions {
  readonly rounds: number;
  readonly cluster: Cluster;
  /** `dist/kubectl-reconcile`. */
  readonly program: string;
  readonly dir: string;
  /** Objects in the graph while memory is read; each has an owner. */
  readonly objects: number;
  /** Dependents of the owner that is deleted. */
  readonly dependents: number;
  /** How long each side is idle before its memory is read. */
  readonly idleMs: number;
}

interface Cascade {
  readonly allMs: number;
  readonly probeMs: number;
}

const owners = 100;
const atOnce = 64;
/** Small families that are deleted one after the other during the deletion of the large one. */
const probes = 10;
const probeEveryMs = 200;

/** Each side in turn, in a separate process: first with many objects, then through a cascade. */
export async function garbageFigures(options: GarbageOptions): Promise<readonly Result[]> {
  const { rounds, objects, dependents } = options;
  const cascades: RoundsOf<Cascade> = { ours: [], "kube-controller-manager": [] };
  const memory: RoundsOf<number> = { ours: [], "kube-controller-manager": [] };
  for (let round = 0; round < rounds; round++) {
    for (const side of sides) cascades[side].push(await cascade(options, () => start(side, options)));
  }
  const waits = await queueWaits(options);
  await fill(options);
  for (let round = 0; round < rounds; round++) {
    for (const side of sides) memory[side].push(await memoryOf(options, side));
  }
  const ofCascade = (name: string, of: keyof Cascade): Result =>
    figure(
      `gc, an owner of ${dependents} goes: ${name}`,
      "ms",
      { is: "at most", ratio: 1 },
      {
        ours: cascades.ours.map((one) => one[of]),
        peer: cascades["kube-controller-manager"].map((one) => one[of]),
      },
    );
  return [
    ofCascade("until the last dependent is gone", "allMs"),
    ofCascade("another family's end meanwhile, from its deletion, at most", "probeMs"),
    figure(
      "gc: longest wait of another family's key for a worker, beside one of the large one's",
      "ms",
      { is: "below", limit: 50 },
      { ours: [waits.others], peer: [waits.large] },
    ),
    figure(
      `gc, ${objects} objects: resident memory, idle`,
      "MB",
      { is: "at most", ratio: 1 },
      {
        ours: memory.ours,
        peer: memory["kube-controller-manager"],
      },
    ),
  ];
}

function start(side: Side, options: GarbageOptions): Child {
  return startSide(side, options, ["garbage-collector"]);
}

const path = (namespace: string): string => `/api/v1/namespaces/${namespace}/configmaps`;

let namespaces = 0;

async function newNamespace({ cluster }: GarbageOptions): Promise<string> {
  const name = `garbage-${++namespaces}`;
  await cluster.createNamespace(name);
  return name;
}

/** Creates an owner; returns the reference to it. */
async function owner({ cluster }: GarbageOptions, namespace: string, name: string): Promise<object> {
  const { status, body } = await cluster.request("POST", path(namespace), { metadata: { name } });
  if (status !== 201) throw new Error(`Cannot create an owner: ${JSON.stringify(body)}`);
  return { apiVersion: "v1", kind: "ConfigMap", name, uid: body.metadata.uid as string, blockOwnerDeletion: true };
}

/** Creates `count` objects, the n-th owned by `ownerOf(n)`. */
async function make(
  { cluster }: GarbageOptions,
  namespace: string,
  count: number,
  ownerOf: (n: number) => object,
): Promise<void> {
  const left = Array.from({ length: count }, (_, n) => n).values();
  const work = async (): Promise<void> => {
    for (const n of left) {
      await post(cluster, path(namespace), { metadata: { name: `child-${n}`, ownerReferences: [ownerOf(n)] } });
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
}

async function fill(options: GarbageOptions): Promise<void> {
  process.stderr.write(`filling a cluster with ${options.objects} owned objects\n`);
  const namespace = await newNamespace(options);
  const references: object[] = [];
  for (let n = 0; n < owners; n++) references.push(await owner(options, namespace, `owner-${n}`));
  await make(options, namespace, options.objects - owners, (n) => references[n % owners] as object);
}

/** Deletes a family of two; returns how long it took until both were gone. */
async function probe(options: GarbageOptions, namespace: string, watch: ObjectWatch, gone: number): Promise<number> {
  const from = watch.now();
  await options.cluster.request("DELETE", `${path(namespace)}/owner-${gone / 2}`, { propagationPolicy: "Background" });
  await watch.deleted(gone + 2);
  return watch.at() - from;
}

/** Creates small families; the first is deleted to check that the controller works. */
async function families(options: GarbageOptions): Promise<{ readonly namespace: string; readonly watch: ObjectWatch }> {
  const namespace = await newNamespace(options);
  const watch = await watchObjects(options.cluster, path(namespace));
  const references: object[] = [];
  for (let n = 0; n <= probes; n++) references.push(await owner(options, namespace, `owner-${n}`));
  await make(options, namespace, probes + 1, (n) => references[n] as object);
  return { namespace, watch };
}

/** Once more, with its stage events: the longest time that a key waited for a worker. */
async function queueWaits(options: GarbageOptions): Promise<{ readonly large: number; readonly others: number }> {
  const events = join(options.dir, "garbage.jsonl");
  await cascade(options, () => startOurs(options, ["garbage-collector"], events));
  const waits = new Map<string, number[]>();
  for (const line of (await Bun.file(events).text()).split("\n")) {
    if (!line.includes('"stage":"get"')) continue;
    const { key, waitedMs } = JSON.parse(line) as { readonly key: string; readonly waitedMs: number };
    const family = key.slice(0, key.indexOf("/"));
    const known = waits.get(family);
    if (known === undefined) waits.set(family, [waitedMs]);
    else known.push(waitedMs);
  }
  const [large = [], ...others] = [...waits.values()].sort((a, b) => b.length - a.length);
  return { large: Math.max(...large), others: Math.max(...others.flat()) };
}

async function cascade(options: GarbageOptions, begin: () => Child): Promise<Cascade> {
  const { cluster, dependents } = options;
  const large = await newNamespace(options);
  const reference = await owner(options, large, "owner");
  await make(options, large, dependents, () => reference);
  const { namespace, watch } = await families(options);
  const all = await watchObjects(cluster, path(large));
  const child = begin();
  try {
    await probe(options, namespace, watch, 0);
    await Bun.sleep(1000);
    const from = all.now();
    await cluster.request("DELETE", `${path(large)}/owner`, { propagationPolicy: "Background" });
    const whole = all.deleted(dependents + 1);
    const waits: number[] = [];
    for (let n = 1; n <= probes; n++) {
      waits.push(await probe(options, namespace, watch, 2 * n));
      await Bun.sleep(probeEveryMs);
    }
    await whole;
    return { allMs: all.at() - from, probeMs: Math.max(...waits) };
  } finally {
    await child.stop();
    watch.stop();
    all.stop();
  }
}

async function memoryOf(options: GarbageOptions, side: Side): Promise<number> {
  const { namespace, watch } = await families(options);
  const child = start(side, options);
  try {
    await probe(options, namespace, watch, 0);
    await Bun.sleep(options.idleMs);
    return child.usage().rssKb / 1024;
  } finally {
    await child.stop();
    watch.stop();
  }
}
