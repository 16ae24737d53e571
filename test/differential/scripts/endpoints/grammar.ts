/** Random scripts: Services and pods that change in any order, one at a time. */
import { type Random, seededRandom } from "../../../../src/platform/random.ts";
import { isReady, type PodObject } from "../../objects.ts";
import type { Resource, Stage } from "../../stage.ts";
import type { Script, Step } from "../../suite.ts";
import { endPod, makeNode, makePod, makeService, report } from "./acts.ts";

interface Scene {
  readonly random: Random;
  pods: number;
  /** Increases, so that each change of readiness is later than all previous ones. */
  at: number;
}

const serviceNames = ["web", "api"] as const;
const podLabels = [{ app: "web" }, { app: "web", tier: "front" }, { app: "api", tier: "front" }, { app: "none" }];
const selectors = [{ app: "web" }, { tier: "front" }, { app: "api", tier: "front" }];
const portLists = [
  [{ name: "http", port: 80, targetPort: 8080 }],
  [{ name: "http", port: 80, targetPort: "web" }],
  [
    { name: "http", port: 80, targetPort: "web" },
    { name: "dns", port: 53, protocol: "UDP", targetPort: 5353 },
    { name: "admin", port: 81, targetPort: 9000, appProtocol: "kubernetes.io/h2c" },
  ],
];

function oneOf<T>({ random }: Scene, items: readonly T[]): T {
  // The index is always within the array.
  return items[Math.floor(random.next() * items.length)] as T;
}

const chance = ({ random }: Scene, of: number): boolean => random.next() < of;

/** Returns the script for a seed. */
export function randomScript(seed: number, length: number): Script {
  const scene: Scene = { random: seededRandom(seed), pods: 0, at: 0 };
  const steps = [begin(scene)];
  while (steps.length < length) steps.push(oneOf(scene, moves)(scene));
  return { name: `seed ${seed}`, steps };
}

function begin(scene: Scene): Step {
  const specs = serviceNames.map(() => specOf(scene));
  return {
    name: `create nodes and Services with ${JSON.stringify(specs)}`,
    async act(stage) {
      await makeNode(stage, "one", { zone: "a" });
      await makeNode(stage, "two", { zone: "b" });
      for (const [n, name] of serviceNames.entries()) await makeService(stage, specs[n], { name });
    },
  };
}

function specOf(scene: Scene): object {
  return {
    selector: oneOf(scene, selectors),
    ports: oneOf(scene, portLists),
    publishNotReadyAddresses: chance(scene, 0.2),
    ...(chance(scene, 0.3) && { ipFamilyPolicy: "PreferDualStack" }),
    ...(chance(scene, 0.3) && { trafficDistribution: oneOf(scene, ["PreferClose", "PreferSameNode"]) }),
    ...(chance(scene, 0.3) && { clusterIP: "None" }),
  };
}

const moves: readonly ((scene: Scene) => Step)[] = [
  addPod,
  addPod,
  addPod,
  addPod,
  turn,
  turn,
  turn,
  finish,
  remove,
  end,
  end,
  relabel,
  reselect,
  reports,
  publish,
  distribute,
  label,
  renew,
];

function addPod(scene: Scene): Step {
  const n = ++scene.pods;
  const name = `p${n}`;
  const parts = {
    labels: oneOf(scene, podLabels),
    ports: { web: oneOf(scene, [8080, 8081]) },
    node: oneOf(scene, ["one", "two"]),
    ready: chance(scene, 0.7),
    ips: [`10.1.0.${n}`, ...(chance(scene, 0.5) ? [`2001:db8::${n}`] : [])],
    at: ++scene.at,
  };
  return { name: `create pod ${name} with ${JSON.stringify(parts)}`, act: (stage) => makePod(stage, name, parts) };
}

/** Acts on an object if it still exists. */
function ifThere(
  [resource, name]: readonly [Resource, string],
  what: string,
  act: (stage: Stage) => Promise<unknown>,
): Step {
  return {
    name: `${what} ${name}`,
    async act(stage) {
      const there = await stage.list(resource);
      if (there.some(({ metadata }) => (metadata as { readonly name: string }).name === name)) await act(stage);
    },
  };
}

function toPod(scene: Scene, what: string, act: (stage: Stage, name: string) => Promise<unknown>): Step {
  const name = `p${1 + Math.floor(scene.random.next() * Math.max(1, scene.pods))}`;
  return ifThere(["pods", name], what, (stage) => act(stage, name));
}

function toService(scene: Scene, spec: object, metadata: object = {}): Step {
  const name = oneOf(scene, serviceNames);
  return ifThere(["services", name], `set ${JSON.stringify({ spec, metadata })} on`, (stage) =>
    stage.patch("services", name, { spec, metadata }),
  );
}

function turn(scene: Scene): Step {
  const at = ++scene.at;
  return toPod(scene, "toggle the readiness of", async (stage, name) => {
    const pod = await running(stage, name);
    if (pod !== undefined) await report(stage, name, { ready: !isReady(pod), at });
  });
}

/** Only ready pods finish: a new phase of an unready pod triggers no sync until something else changes, upstream too. */
function finish(scene: Scene): Step {
  const phase = oneOf(scene, ["Succeeded", "Failed"]);
  const at = ++scene.at;
  return toPod(scene, `set the phase ${phase} of`, async (stage, name) => {
    const pod = await running(stage, name);
    if (pod !== undefined && isReady(pod)) await report(stage, name, { ready: false, at, phase });
  });
}

/** Returns the pod if its phase is Running. */
async function running(stage: Stage, name: string): Promise<PodObject | undefined> {
  const [pod] = await stage.pods(({ metadata }) => metadata.name === name);
  return pod?.status?.phase === "Running" ? pod : undefined;
}

function remove(scene: Scene): Step {
  return toPod(scene, "delete", (stage, name) => stage.remove("pods", name));
}

/** Deletes a pod in two steps, because a pod deleted at once could be seen as one change or as two. */
function end(scene: Scene): Step {
  return toPod(scene, "delete, or finish deleting,", async (stage, name) => {
    const [pod] = await stage.pods(({ metadata }) => metadata.name === name);
    if (pod?.metadata.deletionTimestamp === undefined) await stage.remove("pods", name);
    else await endPod(stage, name);
  });
}

function relabel(scene: Scene): Step {
  const labels = { tier: null, ...oneOf(scene, podLabels) };
  return toPod(scene, `set the labels ${JSON.stringify(labels)} of`, (stage, name) =>
    stage.patch("pods", name, { metadata: { labels } }),
  );
}

/** For pods with different ports, two slices appear at once, one of which reuses the old one. */
const anyTakesThePlace = { chance: "which of several new slices replaces an old one" } as const;

function reselect(scene: Scene): Step {
  return {
    ...anyTakesThePlace,
    ...toService(scene, { selector: { app: null, tier: null, ...oneOf(scene, selectors) } }),
  };
}

function reports(scene: Scene): Step {
  return { ...anyTakesThePlace, ...toService(scene, { ports: oneOf(scene, portLists) }) };
}

function publish(scene: Scene): Step {
  return toService(scene, { publishNotReadyAddresses: chance(scene, 0.5) });
}

function distribute(scene: Scene): Step {
  return toService(scene, {
    trafficDistribution: oneOf(scene, [null, "PreferClose", "PreferSameZone", "PreferSameNode"]),
  });
}

function label(scene: Scene): Step {
  return toService(scene, {}, { labels: { team: oneOf(scene, [null, "red", "blue"]) } });
}

/** The API server deletes Endpoints together with their Service. A controller that sees that first creates them again. */
export const goesWithItsService = { chance: "Endpoints may be deleted before their Service is synced" } as const;

function renew(scene: Scene): Step {
  const spec = specOf(scene);
  const name = oneOf(scene, serviceNames);
  return {
    ...goesWithItsService,
    name: `delete ${name}, or recreate it with ${JSON.stringify(spec)}`,
    async act(stage) {
      const there = await stage.list("services");
      if (there.some(({ metadata }) => (metadata as { readonly name: string }).name === name))
        await stage.remove("services", name);
      else await makeService(stage, spec, { name });
    },
  };
}
