/** Random scenarios for dry-run: the existing objects, and what is then done to them. Seeded: the same number gives the same scenario. */
import { below, type Random, seededRandom } from "../../src/platform/random.ts";

export type Json = Readonly<Record<string, unknown>>;

/** An action of a user. */
export type Deed =
  | { readonly do: "apply"; readonly objects: readonly Json[] }
  | { readonly do: "scale"; readonly target: string; readonly replicas: number }
  | { readonly do: "delete"; readonly target: string };

export interface Scenario {
  readonly seed: number;
  readonly before: readonly Json[];
  readonly deeds: readonly Deed[];
}

interface Workload {
  readonly kind: "Deployment" | "ReplicaSet" | "ReplicationController";
  readonly name: string;
  readonly replicas: number;
  readonly image: string;
  readonly more: Json;
  readonly labels: Readonly<Record<string, string>>;
}

const strategies: readonly Json[] = [
  {},
  { strategy: { type: "Recreate" } },
  { strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } },
  { strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 0, maxUnavailable: "50%" } } },
  { minReadySeconds: 1 },
  { revisionHistoryLimit: 0 },
  { paused: true },
];

/** An object in its first form, and how it may change. */
export interface Part {
  /** `deployment/web`, as kubectl takes it. */
  readonly target: string;
  readonly object: Json;
  /** Drawn at the time of the call; undefined: it must not change. */
  readonly changed?: () => Json;
  readonly scales: boolean;
  /** Whether it may be deleted, and the outcome is independent of what else is done at the same time. */
  readonly ends: boolean;
}

/** Draws the parts of one group; `name` begins the names of all of them. */
export type Draw = (random: Random, name: string) => readonly Part[];

/** One or two groups of objects, the actions on them, and possibly another group that is applied later. */
export function scenarioOf(seed: number, draw: Draw): Scenario {
  const random = seededRandom(seed);
  const there = Array.from({ length: 1 + below(random, 2) }, (_, n) => draw(random, `w${n}`)).flat();
  const before = there.map(({ object }) => object);
  const deeds: Deed[] = [];
  const applied: Json[] = [];
  for (const { target, changed, scales, ends } of there) {
    const what = below(random, 6);
    if (what === 0 && scales) deeds.push({ do: "scale", target, replicas: below(random, 6) });
    else if (what === 1 && ends) deeds.push({ do: "delete", target });
    else if (changed !== undefined) applied.push(changed());
  }
  if (below(random, 2) === 0) applied.push(...draw(random, "late").map(({ object }) => object));
  return { seed, before, deeds: applied.length > 0 ? [{ do: "apply", objects: applied }, ...deeds] : deeds };
}

/** One of the items, each as likely as the others. */
export function pick<T>(random: Random, list: readonly T[]): T {
  return list[below(random, list.length)] as T;
}

function workload(random: Random, name: string): Workload {
  const kind = pick(random, ["Deployment", "Deployment", "Deployment", "ReplicaSet", "ReplicationController"] as const);
  return {
    kind,
    name,
    replicas: below(random, 6),
    image: `nginx:1.${below(random, 3)}`,
    more: kind === "Deployment" ? pick(random, strategies) : {},
    labels: {},
  };
}

function objectOf({ kind, name, replicas, image, more, labels }: Workload): Json {
  const own = { app: name };
  const template = {
    metadata: { labels: own },
    spec: { terminationGracePeriodSeconds: 0, containers: [{ name: "main", image }] },
  };
  const selector = kind === "ReplicationController" ? own : { matchLabels: own };
  return {
    apiVersion: kind === "ReplicationController" ? "v1" : "apps/v1",
    kind,
    metadata: { name, labels },
    spec: { replicas, selector, template, ...more },
  };
}

/** A pod without an owner; a later ReplicaSet with this selector adopts it. */
function barePod(name: string, app: string): Json {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, labels: { app } },
    spec: { terminationGracePeriodSeconds: 0, containers: [{ name: "main", image: "nginx:1.0" }] },
  };
}

function changed(random: Random, workload: Workload): Workload {
  switch (below(random, 5)) {
    case 0:
      return { ...workload, replicas: below(random, 8) };
    case 1:
      return { ...workload, image: `nginx:1.${3 + below(random, 3)}` };
    case 2:
      return { ...workload, image: `nginx:1.${3 + below(random, 3)}`, replicas: 1 + below(random, 6) };
    case 3:
      return { ...workload, labels: { touched: "yes" } };
    default:
      return workload.kind === "Deployment"
        ? { ...workload, more: pick(random, strategies), image: "nginx:1.9" }
        : workload;
  }
}

function deedsOf(random: Random, there: readonly Workload[]): readonly Deed[] {
  const deeds: Deed[] = [];
  const applied: Json[] = [];
  for (const each of there) {
    const target = `${each.kind.toLowerCase()}/${each.name}`;
    switch (below(random, 6)) {
      case 0:
        deeds.push({ do: "scale", target, replicas: below(random, 7) });
        break;
      case 1:
        deeds.push({ do: "delete", target });
        break;
      default:
        applied.push(objectOf(changed(random, each)));
    }
  }
  if (below(random, 2) === 0) applied.push(objectOf(workload(random, "late")));
  return applied.length > 0 ? [{ do: "apply", objects: applied }, ...deeds] : deeds;
}

export function scenario(seed: number): Scenario {
  const random = seededRandom(seed);
  const workloads = Array.from({ length: 1 + below(random, 3) }, (_, n) => workload(random, `w${n}`));
  const config: Json = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "settings" }, data: { a: "1" } };
  const pods = Array.from({ length: below(random, 3) }, (_, n) =>
    barePod(`bare-${n}`, pick(random, ["late", "alone"])),
  );
  return {
    seed,
    before: [config, ...workloads.map(objectOf), ...pods],
    deeds: deedsOf(random, workloads),
  };
}
