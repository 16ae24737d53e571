/**
 * Random scripts: claims and volumes that are created, deleted, name each other and are separated. Each volume suits one claim name, and no
 * two have the same size: the order of two claims, or of two equal volumes, is random.
 */
import { type Random, seededRandom } from "../../../../src/platform/random.ts";
import type { Script, Step } from "../../suite.ts";
import { removeVolume, makeClaim, makeClass, makePod, makeVolume, patchVolume, removeClaim } from "./acts.ts";
import { ownName } from "../../stage.ts";

const claims = ["c0", "c1", "c2"] as const;
const classes = ["static", "fast", "late"] as const;
const policies = ["Retain", "Delete", "Recycle"] as const;

interface Scene {
  readonly random: Random;
  /** Names of the volumes created so far, including deleted ones. */
  readonly volumes: string[];
  pods: number;
}

function oneOf<T>({ random }: Scene, items: readonly T[]): T {
  // The index is always within the array.
  return items[Math.floor(random.next() * items.length)] as T;
}

/** Returns the script for a seed. */
export function randomScript(seed: number, length: number): Script {
  const scene: Scene = { random: seededRandom(seed), volumes: [], pods: 0 };
  const steps = [begin];
  while (steps.length < length) steps.push(oneOf(scene, moves)(scene));
  return { name: `seed ${seed}`, steps };
}

const begin: Step = {
  name: "create classes",
  async act(stage) {
    await makeClass(stage, "fast");
    await makeClass(stage, "late", { waits: true });
  },
};

const moves: readonly ((scene: Scene) => Step)[] = [
  addClaim,
  addClaim,
  addClaim,
  addVolume,
  addVolume,
  addVolume,
  addVolume,
  addPod,
  dropClaim,
  dropClaim,
  dropOne,
  free,
  free,
  turn,
];

function addClaim(scene: Scene): Step {
  const name = oneOf(scene, claims);
  const storageClass = oneOf(scene, classes);
  const size = `${1 + Math.floor(scene.random.next() * 6)}Gi`;
  const isBlock = scene.random.next() < 0.2;
  const volume = scene.random.next() < 0.2 && scene.volumes.length > 0 ? oneOf(scene, scene.volumes) : undefined;
  return {
    name: `create claim ${name} of ${size}, ${storageClass}${isBlock ? ", Block" : ""}, for ${volume ?? "any"}, unless it exists`,
    async act(stage) {
      const there = await stage.list("persistentvolumeclaims");
      if (there.some(({ metadata }) => (metadata as { readonly name: string }).name === name)) return;
      const selector = { matchLabels: { for: name } };
      const spec = { selector, ...(isBlock && { volumeMode: "Block" }) };
      await makeClaim(stage, name, { size, storageClass, ...(volume !== undefined && { volume }), spec });
    },
  };
}

function addVolume(scene: Scene): Step {
  const name = `v${scene.volumes.length}`;
  // Each volume has a different size.
  const size = `${1 + Math.floor(scene.random.next() * 8)}${String(scene.volumes.length).padStart(3, "0")}Mi`;
  scene.volumes.push(name);
  const claim = oneOf(scene, claims);
  const storageClass = oneOf(scene, classes);
  const policy = oneOf(scene, policies);
  const modes = oneOf(scene, [["ReadWriteOnce"], ["ReadWriteOnce", "ReadWriteMany"], ["ReadOnlyMany"]]);
  const isBlock = scene.random.next() < 0.2;
  const isReserved = scene.random.next() < 0.3;
  const isProvisioned = scene.random.next() < 0.2;
  return {
    name: `create volume ${name} of ${size}, ${storageClass}, ${policy}, for ${claim}${isReserved ? " only" : ""}`,
    act: (stage) =>
      makeVolume(stage, name, {
        size,
        storageClass,
        policy: policy === "Recycle" && isBlock ? "Retain" : policy,
        modes,
        labels: { for: claim },
        ...(isReserved && { reservedFor: claim }),
        ...(isProvisioned && { annotations: { "pv.kubernetes.io/provisioned-by": "example.com/disks" } }),
        ...(isBlock && { spec: { volumeMode: "Block" } }),
      }),
  };
}

function addPod(scene: Scene): Step {
  const name = `p${scene.pods++}`;
  const claim = oneOf(scene, claims);
  return { name: `create pod ${name} with ${claim}`, act: (stage) => makePod(stage, name, claim) };
}

function dropClaim(scene: Scene): Step {
  const name = oneOf(scene, claims);
  return {
    name: `delete ${name} and the pods that use it`,
    async act(stage) {
      const users = await stage.pods(({ spec }) => JSON.stringify(spec).includes(`"claimName":"${name}"`));
      for (const { metadata } of users) await stage.remove("pods", metadata.name, { gracePeriodSeconds: 0 });
      const there = await stage.list("persistentvolumeclaims");
      if (there.some(({ metadata }) => (metadata as { readonly name: string }).name === name)) {
        await removeClaim(stage, name);
      }
    },
  };
}

function ofVolume(
  scene: Scene,
  what: string,
  act: (...args: Parameters<typeof removeVolume>) => Promise<unknown>,
): Step {
  const name = oneOf(scene, scene.volumes.length === 0 ? ["none"] : scene.volumes);
  return {
    name: `${what} ${name}`,
    async act(stage) {
      const there = await stage.list("persistentvolumes");
      const isThere = there.some(
        ({ metadata }) => (metadata as { readonly name: string }).name === ownName(stage, name),
      );
      if (isThere) await act(stage, name);
    },
  };
}

function dropOne(scene: Scene): Step {
  return ofVolume(scene, "delete", removeVolume);
}

function free(scene: Scene): Step {
  return ofVolume(scene, "remove the claimRef of", (stage, name) =>
    patchVolume(stage, name, { spec: { claimRef: null } }),
  );
}

function turn(scene: Scene): Step {
  const policy = oneOf(scene, ["Retain", "Delete"]);
  return ofVolume(scene, `set the policy ${policy} of`, (stage, name) =>
    patchVolume(stage, name, { spec: { persistentVolumeReclaimPolicy: policy } }),
  );
}
