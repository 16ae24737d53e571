/** Random scripts: Endpoints, their Services and their slices change in any order, one at a time. */
import { EndpointSlices } from "../../../../src/api/kinds.ts";
import { type Random, seededRandom } from "../../../../src/platform/random.ts";
import type { Resource, Stage } from "../../stage.ts";
import type { Script, Step } from "../../suite.ts";
import { dnsPort, h2cPort, httpPort, leader, makeService, mirrorSlices, skip, subset } from "./acts.ts";

interface Scene {
  readonly random: Random;
}

/**
 * `api` has IPv6 addresses. Only written scripts use addresses of both families with changing ports: upstream sometimes confuses the new
 * slices of the two families and retries (docs/differences.md).
 */
const names = ["web", "api"] as const;
type Name = (typeof names)[number];
const portLists = [[httpPort], [dnsPort], [httpPort, dnsPort], [h2cPort, dnsPort], []];

function oneOf<T>({ random }: Scene, items: readonly T[]): T {
  // The index is always within the array.
  return items[Math.floor(random.next() * items.length)] as T;
}

/** Returns the script for a seed. */
export function randomScript(seed: number, length: number): Script {
  const scene: Scene = { random: seededRandom(seed) };
  const steps: Step[] = [
    {
      name: "create Services",
      async act(stage) {
        for (const name of names) await makeService(stage, {}, name);
      },
    },
    fill(scene),
    fill(scene),
  ];
  while (steps.length < length) steps.push(oneOf(scene, moves)(scene));
  return { name: `seed ${seed}`, steps: steps.map((each, n) => ({ ...each, name: `${n + 1}. ${each.name}` })) };
}

/** Only four different addresses, as many as are mirrored: of more in subsets with equal ports, random ones are left out. */
function subsetsOf(scene: Scene, name: Name): readonly object[] {
  const count = oneOf(scene, [0, 1, 1, 2, 2]);
  const address = (): string =>
    `${name === "web" ? "192.0.2." : "2001:db8::"}${1 + Math.floor(scene.random.next() * 4)}`;
  const some = (most: number): string[] => [
    ...new Set(Array.from({ length: Math.floor(scene.random.next() * (most + 1)) }, address)),
  ];
  return Array.from({ length: count }, () => {
    const ready = some(4);
    return subset(
      ready,
      oneOf(scene, portLists),
      some(2).filter((ip) => !ready.includes(ip)),
    );
  }).filter((each) => JSON.stringify(each).includes('"ip"'));
}

async function has(stage: Stage, resource: Resource, name: string): Promise<boolean> {
  const there = await stage.list(resource);
  return there.some(({ metadata }) => (metadata as { readonly name: string }).name === name);
}

/** Changes an object, or creates it if it does not exist. */
function put(resource: "services" | "endpoints", name: Name, body: object): Step {
  return {
    name: `set ${resource} ${name} to ${JSON.stringify(body)}`,
    async act(stage) {
      if (await has(stage, resource, name)) await stage.patch(resource, name, body);
      else if (resource === "services") await makeService(stage, {}, name);
      else {
        const { metadata = {}, ...rest } = body as { readonly metadata?: object };
        await stage.create(resource, { metadata: { ...withoutNulls(metadata), name }, ...rest });
      }
    },
  };
}

function withoutNulls(object: object): object {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null));
}

function fill(scene: Scene): Step {
  const name = oneOf(scene, names);
  return put("endpoints", name, { subsets: subsetsOf(scene, name) });
}

function take(resource: "services" | "endpoints"): (scene: Scene) => Step {
  return (scene) => {
    const name = oneOf(scene, names);
    return {
      name: `delete ${resource} ${name}`,
      act: async (stage) => ((await has(stage, resource, name)) ? stage.remove(resource, name) : undefined),
    };
  };
}

function meddle(what: string, act: (stage: Stage, name: string) => Promise<unknown>): (scene: Scene) => Step {
  return ({ random }) => {
    const fraction = random.next();
    return {
      name: `a slice ${what}`,
      async act(stage) {
        const slices = await mirrorSlices(stage);
        const slice = slices[Math.floor(fraction * slices.length)];
        if (slice !== undefined) await act(stage, slice.metadata.name);
      },
      waitMs: 500,
    };
  };
}

const moves: readonly ((scene: Scene) => Step)[] = [
  fill,
  fill,
  fill,
  fill,
  (scene) => put("endpoints", oneOf(scene, names), { metadata: { labels: { team: oneOf(scene, ["red", "blue"]) } } }),
  (scene) => put("endpoints", oneOf(scene, names), { metadata: { annotations: { note: oneOf(scene, ["a", "b"]) } } }),
  (scene) => put("endpoints", oneOf(scene, names), { metadata: { labels: oneOf(scene, [skip, null]) } }),
  (scene) => put("endpoints", oneOf(scene, names), { metadata: { annotations: oneOf(scene, [leader, null]) } }),
  (scene) => put("services", oneOf(scene, names), { spec: { selector: oneOf(scene, [{ app: "web" }, null, null]) } }),
  (scene) => put("services", oneOf(scene, names), { metadata: { labels: { team: oneOf(scene, ["red", "blue"]) } } }),
  take("endpoints"),
  take("services"),
  meddle("loses its endpoints", (stage, name) => stage.patch(EndpointSlices, name, { endpoints: [] })),
  meddle("is deleted", (stage, name) => stage.remove(EndpointSlices, name)),
];
