/** Random applies, updates, statuses and scales of a few objects by several managers: the same seed generates the same requests. */
import type { Random } from "../../../src/platform/random.ts";
import { apply, type Case, del, get, patch, paths, put, type Step } from "../case.ts";
import { diceOf, type Dice } from "./dice.ts";

type Json = Record<string, unknown>;

/** An object for server-side apply. */
interface Applied {
  readonly apiVersion: string;
  readonly kind: string;
  readonly path: string;
  /** A random part of the object, which can be invalid even after the merge. */
  part(dice: Dice): Json;
  /** Completes a part so that it is valid on its own. */
  whole(part: Json): Json;
  status?(dice: Dice): Json;
  readonly isScaled?: true;
}

const texts = ["1", "2"];
const labels = { app: "a" };

function someOf(dice: Dice, keys: readonly string[]): Json {
  return Object.fromEntries(dice.some(keys).map((key) => [key, dice.one(texts)]));
}

/** A random subset of the keys, in random order. */
function shuffled(dice: Dice, keys: readonly string[]): string[] {
  const left = dice.some(keys);
  const order: string[] = [];
  while (left.length > 0) order.push(...left.splice(dice.below(left.length), 1));
  return order;
}

function container(dice: Dice, name: string, isWhole: boolean): Json {
  return {
    name,
    image: isWhole || dice.chance(0.3) ? dice.one(["i", "j"]) : undefined,
    args: dice.maybe(0.2, () => dice.some(["x", "y"])),
    env: dice.maybe(0.5, () =>
      shuffled(dice, ["A", "B", "C", "D"]).map((key) => ({ name: key, value: dice.one(texts) })),
    ),
    ports: dice.maybe(0.2, () =>
      shuffled(dice, ["80", "81"]).map((port) => ({
        containerPort: Number(port),
        protocol: dice.maybe(0.4, () => dice.one(["TCP", "UDP"])),
      })),
    ),
    resources: dice.maybe(0.2, () => ({ limits: { cpu: dice.one(["1", "1000m", "2", 1]) } })),
    tty: dice.maybe(0.1, () => dice.one([true, false])),
  };
}

function podSpec(dice: Dice, isWhole: boolean): Json {
  const names = shuffled(dice, ["c", "d", "e"]);
  const used = isWhole && names.length === 0 ? ["c"] : names;
  return {
    containers: used.length === 0 ? undefined : used.map((name) => container(dice, name, isWhole)),
    nodeSelector: dice.maybe(0.15, () => someOf(dice, ["x", "y"])),
    tolerations: dice.maybe(0.1, () =>
      dice.some([
        { key: "a", operator: "Exists" },
        { key: "b", operator: "Exists" },
      ]),
    ),
    volumes: dice.maybe(0.2, () => shuffled(dice, ["v", "w"]).map((name) => ({ name, emptyDir: {} }))),
    terminationGracePeriodSeconds: dice.maybe(0.1, () => dice.one([1, 30])),
  };
}

const workload = (kind: string, more: (dice: Dice) => Json = () => ({})): Omit<Applied, "path"> => ({
  apiVersion: "apps/v1",
  kind,
  part: (dice) => ({
    spec: {
      replicas: dice.maybe(0.4, () => dice.one([0, 1, 2, 3])),
      minReadySeconds: dice.maybe(0.1, () => dice.one([0, 5])),
      template: dice.maybe(0.8, () => ({
        metadata: dice.maybe(0.3, () => ({ labels: { ...labels, ...someOf(dice, ["x"]) } })),
        spec: podSpec(dice, false),
      })),
      ...more(dice),
    },
  }),
  whole: ({ spec }) => {
    const given = spec as Json;
    const template = (given["template"] ?? {}) as Json;
    const pod = (template["spec"] ?? {}) as Json;
    const list = (pod["containers"] ?? [{ name: "c" }]) as Json[];
    return {
      spec: {
        ...given,
        selector: { matchLabels: labels },
        template: {
          ...template,
          metadata: { labels },
          spec: { ...pod, containers: list.map((one) => ({ image: "i", ...one })) },
        },
      },
    };
  },
  status: (dice) => ({
    replicas: dice.maybe(0.7, () => dice.one([0, 1, 2])),
    observedGeneration: dice.maybe(0.3, () => 1),
    conditions: dice.maybe(0.6, () =>
      shuffled(dice, ["A", "B"]).map((type) => ({
        type,
        status: dice.one(["True", "False"]),
        reason: "R",
        message: "m",
        lastTransitionTime: "2026-01-01T00:00:00Z",
      })),
    ),
  }),
  isScaled: true,
});

const asItIs = (part: Json): Json => part;

const objects: readonly Applied[] = [
  {
    apiVersion: "v1",
    kind: "ConfigMap",
    path: `${paths.configmaps}/m`,
    part: (dice) => ({
      data: dice.maybe(0.9, () => someOf(dice, ["a", "b", "c"])),
      immutable: dice.maybe(0.03, () => false),
    }),
    whole: asItIs,
  },
  {
    ...workload("Deployment", (dice) => ({
      strategy: dice.maybe(0.1, () => ({ type: dice.one(["RollingUpdate", "Recreate"]) })),
      paused: dice.maybe(0.1, () => dice.one([true, false])),
    })),
    path: `${paths.deployments}/d`,
  },
  { ...workload("ReplicaSet"), path: `${paths.replicasets}/r` },
  {
    apiVersion: "v1",
    kind: "Service",
    path: `${paths.services}/s`,
    part: (dice) => ({
      spec: {
        selector: dice.maybe(0.3, () => someOf(dice, ["x", "y"])),
        ports: dice.maybe(0.8, () =>
          shuffled(dice, ["80", "81", "82"]).map((port) => ({
            port: Number(port),
            name: `p${port}`,
            protocol: dice.maybe(0.3, () => dice.one(["TCP", "UDP"])),
            targetPort: dice.maybe(0.3, () => dice.one([8080, "http"])),
          })),
        ),
        sessionAffinity: dice.maybe(0.1, () => dice.one(["None", "ClientIP"])),
      },
    }),
    whole: ({ spec }) => ({
      spec: { ...(spec as Json), ports: (spec as Json)["ports"] ?? [{ port: 80, name: "p80" }] },
    }),
  },
  {
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    path: `${paths.poddisruptionbudgets}/b`,
    part: (dice) => ({
      spec: {
        minAvailable: dice.maybe(0.4, () => dice.one([1, "50%"])),
        selector: dice.maybe(0.4, () => ({ matchLabels: someOf(dice, ["x", "y"]) })),
      },
    }),
    whole: asItIs,
    status: (dice) => ({
      ...Object.fromEntries(
        ["currentHealthy", "desiredHealthy", "disruptionsAllowed", "expectedPods"].map((key) => [key, dice.below(3)]),
      ),
      disruptedPods: dice.maybe(0.3, () =>
        Object.fromEntries(dice.some(["p", "q"]).map((pod) => [pod, "2026-01-01T00:00:00Z"])),
      ),
    }),
  },
  ...(["v1", "v2"] as const).map((version): Applied => ({
    apiVersion: `autoscaling/${version}`,
    kind: "HorizontalPodAutoscaler",
    path: `/apis/autoscaling/${version}/namespaces/{ns}/horizontalpodautoscalers/h`,
    part: (dice) => ({
      spec: {
        maxReplicas: dice.maybe(0.5, () => dice.one([3, 4])),
        minReplicas: dice.maybe(0.4, () => dice.one([1, 2])),
      },
    }),
    whole: ({ spec }) => ({
      spec: {
        maxReplicas: 3,
        ...(spec as Json),
        scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "d" },
      },
    }),
  })),
];

const managers = ["one", "two", "three", "kubectl"];

function metadataOf(dice: Dice, name: string): Json {
  return {
    name,
    labels: dice.maybe(0.4, () => someOf(dice, ["x", "y", "z"])),
    annotations: dice.maybe(0.3, () => someOf(dice, ["n", "m"])),
    finalizers: dice.maybe(0.1, () => shuffled(dice, ["example.com/a", "example.com/b"])),
  };
}

function applyOf(dice: Dice, object: Applied): Step {
  const name = object.path.split("/").at(-1) ?? "";
  const part = object.part(dice);
  const body = {
    apiVersion: object.apiVersion,
    kind: object.kind,
    metadata: metadataOf(dice, name),
    ...(dice.chance(0.6) ? object.whole(part) : part),
  };
  const query = [...(dice.chance(0.35) ? ["force=true"] : []), ...(dice.chance(0.05) ? ["dryRun=All"] : [])].join("&");
  return apply(object.path, dice.one(managers), body, query === "" ? undefined : query);
}

function statusOf(dice: Dice, object: Applied): Step {
  const name = object.path.split("/").at(-1) ?? "";
  const status = object.status?.(dice) ?? {};
  const manager = dice.one(managers);
  if (dice.chance(0.4)) return patch("merge", `${object.path}/status`, { status }, `fieldManager=${manager}`);
  const body = { apiVersion: object.apiVersion, kind: object.kind, metadata: { name }, status };
  return apply(`${object.path}/status`, manager, body, dice.chance(0.4) ? "force=true" : undefined);
}

function scaleOf(dice: Dice, object: Applied): Step {
  const name = object.path.split("/").at(-1) ?? "";
  const spec = { replicas: dice.below(4) };
  const manager = dice.one(managers);
  if (dice.chance(0.4)) return patch("merge", `${object.path}/scale`, { spec }, `fieldManager=${manager}`);
  const body = { apiVersion: "autoscaling/v1", kind: "Scale", metadata: { name }, spec };
  return apply(`${object.path}/scale`, manager, body, dice.chance(0.5) ? "force=true" : undefined);
}

function updateOf(dice: Dice, object: Applied): Step {
  const name = object.path.split("/").at(-1) ?? "";
  const manager = `fieldManager=${dice.one(managers)}`;
  const part = object.part(dice);
  if (dice.chance(0.1)) return patch("merge", object.path, { metadata: { managedFields: [{}] } }, manager);
  if (dice.chance(0.2)) return put(object.path, { metadata: metadataOf(dice, name), ...object.whole(part) }, manager);
  const metadata = { labels: dice.maybe(0.5, () => ({ x: dice.one(["1", null]) })) };
  return patch(dice.one(["merge", "strategic"]), object.path, { metadata, ...part }, manager);
}

function stepOf(dice: Dice): Step {
  const object = dice.one(objects);
  if (object.status !== undefined && dice.chance(0.12)) return statusOf(dice, object);
  if (object.isScaled === true && dice.chance(0.1)) return scaleOf(dice, object);
  const kind = dice.below(20);
  if (kind === 0) return del(object.path);
  if (kind === 1) return get(object.path);
  return kind < 6 ? updateOf(dice, object) : applyOf(dice, object);
}

/** A case of `length` requests, followed by reads of the final state. */
export function randomApplies(random: Random, length: number, name: string): Case {
  const dice = diceOf(random);
  return {
    name,
    steps: [...Array.from({ length }, () => stepOf(dice)), ...objects.map(({ path }) => get(path))],
  };
}
