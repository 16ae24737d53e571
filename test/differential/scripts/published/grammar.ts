/** Random scripts: one change at a time of ConfigMaps, ClusterRoles, pods, claims and policies. */
import { ClusterRoles, ValidatingAdmissionPolicies } from "../../../../src/api/kinds.ts";
import { type Random, seededRandom } from "../../../../src/platform/random.ts";
import { ownName, type Stage } from "../../stage.ts";
import type { Script, Step } from "../../suite.ts";
import { changePolicyTo, makePolicy, type PolicyParts } from "./policy-acts.ts";
import { kindsOfServer, walkIn } from "./policy-walks.ts";
import { act, endClaim, makeClaim, makePod, makeRole, mapName, note, roleBody, ruleOf } from "./acts.ts";

interface Scene {
  readonly random: Random;
  pods: number;
}

const colours = ["red", "blue", "green"];
const plain = ["a", "b", "c"];
/** No role selects one that selects it: the two would rewrite each other's rules forever. */
const aggregated = [
  { name: "low", selects: ["red"], colours: ["green"] },
  { name: "mid", selects: ["blue", "red"], colours: [] },
  { name: "top", selects: ["green"], colours: [] },
];
const resources = ["pods", "nodes", "secrets", "services"];

function oneOf<T>({ random }: Scene, items: readonly T[]): T {
  // The index is always within the array.
  return items[Math.floor(random.next() * items.length)] as T;
}

function some<T>({ random }: Scene, items: readonly T[]): readonly T[] {
  return items.filter(() => random.next() < 0.5);
}

/** Returns the script for a seed. */
export function randomScript(seed: number, length: number): Script {
  const scene: Scene = { random: seededRandom(seed), pods: 0 };
  const steps = [changeRole(scene), addPod(scene), checkTypes(scene), checkTypes(scene)];
  while (steps.length < length) steps.push(oneOf(scene, moves)(scene));
  return { name: `seed ${seed}`, steps: steps.map((each, n) => ({ ...each, name: `${n + 1}. ${each.name}` })) };
}

async function hasRole(stage: Stage, name: string): Promise<boolean> {
  return (await stage.all(ClusterRoles)).some(({ metadata }) => metadata.name === ownName(stage, name));
}

function changeRole(scene: Scene): Step {
  const [name, parts] = [
    oneOf(scene, plain),
    { rules: some(scene, resources).map((resource) => ruleOf(resource)), colours: some(scene, colours.slice(0, 2)) },
  ];
  return act(`set ClusterRole ${name} to ${JSON.stringify(parts)}`, async (stage) => {
    if (!(await hasRole(stage, name))) return makeRole(stage, name, parts);
    const { rules } = parts;
    // Removes labels that are not given.
    const without = Object.fromEntries(colours.map((colour) => [`example.com/${colour}`, null]));
    const { metadata } = roleBody(stage, parts) as { readonly metadata: { readonly labels: object } };
    return stage.patch("clusterroles", ownName(stage, name), {
      metadata: { labels: { ...without, ...metadata.labels } },
      rules,
    });
  });
}

function aggregate(scene: Scene): Step {
  const { name, ...parts } = oneOf(scene, aggregated);
  return act(`create aggregated ClusterRole ${name}`, async (stage) =>
    (await hasRole(stage, name)) ? undefined : makeRole(stage, name, parts),
  );
}

function meddle(scene: Scene): Step {
  const { name } = oneOf(scene, aggregated);
  const rules = oneOf(scene, [null, [ruleOf("configmaps")]]);
  return act(`set the rules of aggregated ClusterRole ${name} to ${JSON.stringify(rules)}`, async (stage) =>
    (await hasRole(stage, name)) ? stage.patch("clusterroles", ownName(stage, name), { rules }) : undefined,
  );
}

function removeRole(scene: Scene): Step {
  const name = oneOf(scene, [...plain, ...aggregated.map((each) => each.name)]);
  return act(`delete ClusterRole ${name}`, async (stage) =>
    (await hasRole(stage, name)) ? stage.remove("clusterroles", ownName(stage, name)) : undefined,
  );
}

function addPod(scene: Scene): Step {
  const name = `p${++scene.pods}`;
  const kinds = ["emptyDir", {}, {}, { labels: { team: "red" } }] as const;
  const drawn = some(scene, ["x", "y", "z"]).map((volume) => [volume, oneOf(scene, kinds)] as const);
  const volumes = Object.fromEntries(drawn);
  return act(`create pod ${name} with ${JSON.stringify(volumes)}`, (stage) => makePod(stage, name, volumes));
}

/** Creates a claim with the name of one that the next pod needs. */
function claimAhead(scene: Scene): Step {
  const name = `p${scene.pods + 1}-${oneOf(scene, ["x", "y", "z"])}`;
  return act(`create claim ${name}`, async (stage) => {
    const claims = await stage.list("persistentvolumeclaims");
    if (!claims.some(({ metadata }) => (metadata as { readonly name: string }).name === name))
      await makeClaim(stage, name);
  });
}

function ofSome(
  resource: "pods" | "persistentvolumeclaims",
  what: string,
  does: (stage: Stage, name: string) => Promise<void>,
): (scene: Scene) => Step {
  return ({ random }) => {
    const fraction = random.next();
    return act(what, async (stage) => {
      const there = (await stage.list(resource)) as unknown as readonly {
        readonly metadata: { readonly name: string };
      }[];
      const names = there.map(({ metadata }) => metadata.name).toSorted();
      const name = names[Math.floor(fraction * names.length)];
      if (name !== undefined) await does(stage, name);
    });
  };
}

const toMap = (what: string, body: object): (() => Step) => {
  return () => act(`set ${what} in the ConfigMap`, (stage) => stage.patch("configmaps", mapName, body));
};

/** A policy for several kinds, whose expressions compare the types of their fields, sometimes of nonexistent ones. */
function checkTypes(scene: Scene): Step {
  const name = oneOf(scene, plain);
  const all = kindsOfServer();
  const about = [oneOf(scene, all), oneOf(scene, all), oneOf(scene, all)];
  const params = oneOf(scene, [undefined, oneOf(scene, all)]);
  const checks = about.flatMap((kind) => [
    `${walkIn(scene.random, kind)} == type(1)`,
    `${walkIn(scene.random, kind)} == ${walkIn(scene.random, kind)}`,
  ]);
  const ofParams = params === undefined ? [] : [`${walkIn(scene.random, params, "params")} == type(1)`];
  const parts: PolicyParts = {
    rules: about.map(({ group, version, plural }) => [[group], [version], [plural]]),
    checks: [...checks, ...ofParams],
    ...(params !== undefined && {
      params: [[params.group, params.version].filter((each) => each !== "").join("/"), params.kind],
    }),
  };
  return act(`create or change policy ${name} for ${about.map(({ kind }) => kind).join(", ")}`, async (stage) => {
    const there = await stage.all(ValidatingAdmissionPolicies);
    if (!there.some(({ metadata }) => metadata.name === ownName(stage, name))) return makePolicy(stage, name, parts);
    // Removes what is not given.
    return changePolicyTo(stage, name, { ...parts, rest: { ...(params === undefined && { paramKind: null }) } });
  });
}

const moves: readonly ((scene: Scene) => Step)[] = [
  changeRole,
  changeRole,
  changeRole,
  aggregate,
  aggregate,
  meddle,
  removeRole,
  checkTypes,
  checkTypes,
  checkTypes,
  addPod,
  addPod,
  claimAhead,
  ofSome("persistentvolumeclaims", "delete a claim", endClaim),
  ofSome("pods", "delete a pod", (stage, name) => stage.remove("pods", name, { gracePeriodSeconds: 0 })),
  toMap("another key", { data: { more: "x" } }),
  toMap("another certificate", { data: { "ca.crt": "x" } }),
  toMap("no description", { metadata: { annotations: { [note]: null } } }),
  () => act("delete the ConfigMap", (stage) => stage.remove("configmaps", mapName)),
];
