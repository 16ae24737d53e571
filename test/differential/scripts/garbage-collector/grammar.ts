/**
 * Random scripts: ConfigMaps, Secrets and ClusterRoles with valid or invalid references to each other, deleted with every policy. All
 * random values are drawn before the script runs; objects that no longer exist by then are skipped, the same on every side.
 */
import { type Random, seededRandom } from "../../../../src/platform/random.ts";
import type { ResourceName } from "../../kinds.ts";
import type { Stage } from "../../stage.ts";
import type { Script, Step } from "../../suite.ts";
import { hold, make, nameOn, type Policy, type Reference, to, toNobody } from "./owning.ts";

interface Thing {
  readonly name: string;
  readonly resource: ResourceName;
}

const things: readonly Thing[] = [
  { name: "h", resource: "clusterroles" },
  ...["a", "b", "c", "d", "e"].map((name) => ({ name, resource: "configmaps" as const })),
  ...["f", "g"].map((name) => ({ name, resource: "secrets" as const })),
];

const policies: readonly Policy[] = ["Background", "Foreground", "Orphan"];

function pick<T>(random: Random, items: readonly T[]): T {
  return items[Math.floor(random.next() * items.length)] as T;
}

async function exists(stage: Stage, { name, resource }: Thing): Promise<boolean> {
  const there = await stage.list(resource);
  return there.some((object) => (object["metadata"] as { name: string }).name === nameOn(stage, resource, name));
}

/** An owner reference to create, usually to an existing object. */
interface Drawn {
  readonly thing: Thing;
  readonly block: boolean;
  readonly wrong: "nothing" | "kind" | "name" | "uid";
}

function drawOwners(random: Random, of: Thing): readonly Drawn[] {
  const count = pick(random, [0, 1, 1, 1, 2]);
  const drawn: Drawn[] = [];
  for (let n = 0; n < count; n++) {
    // Only earlier objects, because it is random which object of a cycle is unblocked. The cluster-scoped one is first, without owner.
    const others = things
      .slice(0, things.indexOf(of))
      .filter(({ name }) => !drawn.some((one) => one.thing.name === name));
    if (others.length === 0) break;
    drawn.push({
      thing: pick(random, others),
      block: random.next() < 0.7,
      wrong: pick(random, ["nothing", "nothing", "nothing", "nothing", "nothing", "nothing", "kind", "name", "uid"]),
    });
  }
  return drawn;
}

async function referencesOf(stage: Stage, owners: readonly Drawn[]): Promise<readonly Reference[]> {
  const references: Reference[] = [];
  for (const { thing, block, wrong } of owners) {
    if (!(await exists(stage, thing))) continue;
    const right = await to(stage, thing.name, thing.resource, { blockOwnerDeletion: block });
    if (wrong === "nothing") references.push(right);
    else if (wrong === "kind") references.push({ ...right, kind: "ServiceAccount", apiVersion: "v1" });
    else if (wrong === "name") references.push({ ...right, name: `not-${right.name}` });
    else references.push({ ...right, uid: toNobody(stage).uid + thing.name });
  }
  return references;
}

type Move = (random: Random) => Step;

const create: Move = (random) => {
  const thing = pick(random, things);
  const owners = drawOwners(random, thing);
  const held = random.next() < 0.3;
  return {
    name: `create ${thing.name} owned by ${describe(owners)}${held ? ", held" : ""}`,
    async act(stage) {
      if (await exists(stage, thing)) return;
      await make(stage, thing.name, {
        resource: thing.resource,
        owners: (on) => referencesOf(on, owners),
        ...(held && { finalizers: hold }),
      });
    },
  };
};

function describe(owners: readonly Drawn[]): string {
  if (owners.length === 0) return "no object";
  return owners
    .map(
      ({ thing, block, wrong }) =>
        `${thing.name}${block ? "" : " (not blocking)"}${wrong === "nothing" ? "" : ` (wrong ${wrong})`}`,
    )
    .join(", ");
}

const remove: Move = (random) => {
  const thing = pick(random, things);
  const policy = pick(random, policies);
  return {
    name: `delete ${thing.name} with ${policy}`,
    async act(stage) {
      if (await exists(stage, thing)) {
        await stage.remove(thing.resource, nameOn(stage, thing.resource, thing.name), { propagationPolicy: policy });
      }
    },
  };
};

const own: Move = (random) => {
  const thing = pick(random, things);
  const owners = drawOwners(random, thing);
  return {
    name: `set the owners of ${thing.name} to ${describe(owners)}`,
    async act(stage) {
      if (!(await exists(stage, thing))) return;
      const ownerReferences = await referencesOf(stage, owners);
      await stage.patch(thing.resource, nameOn(stage, thing.resource, thing.name), { metadata: { ownerReferences } });
    },
  };
};

const release: Move = (random) => {
  const thing = pick(random, things);
  return {
    name: `remove the finalizers of ${thing.name}`,
    async act(stage) {
      if (!(await exists(stage, thing))) return;
      const name = nameOn(stage, thing.resource, thing.name);
      const { metadata } = (await stage.get(thing.resource, name)) as { metadata: { finalizers?: string[] } };
      const finalizers = (metadata.finalizers ?? []).filter((one) => !hold.includes(one));
      await stage.patch(thing.resource, name, { metadata: { finalizers: finalizers.length > 0 ? finalizers : null } });
    },
  };
};

/** A move that is listed n times is n times as likely. */
const moves: readonly Move[] = [create, create, create, create, own, own, remove, remove, remove, release, release];

export function randomScript(seed: number, length: number): Script {
  const random = seededRandom(seed);
  const steps: Step[] = [
    {
      name: "create some objects",
      async act(stage) {
        for (const thing of things.slice(0, 5)) await make(stage, thing.name, { resource: thing.resource });
      },
    },
  ];
  while (steps.length < length) steps.push(pick(random, moves)(random));
  return { name: `seed ${seed}`, steps };
}
