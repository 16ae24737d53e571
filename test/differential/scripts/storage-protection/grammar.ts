/** Random scripts: claims, volumes and classes that are used, released and deleted in any order. */
import { VolumeAttributesClasses } from "../../../../src/api/kinds.ts";
import { type Random, seededRandom } from "../../../../src/platform/random.ts";
import type { Resource, Stage } from "../../stage.ts";
import type { Script, Step } from "../../suite.ts";
import {
  bindPod,
  claim,
  endPod,
  ephemeralClaim,
  foreign,
  makeClass,
  makePod,
  makeVolume,
  report,
  setFinalizers,
  setPhase,
} from "./acts.ts";
import { ownName } from "../../stage.ts";

const claimNames = ["c0", "c1", "c2", "c3"] as const;
const classNames = ["gold", "silver"] as const;
const phases = ["Available", "Bound", "Released", "Failed"] as const;

interface Scene {
  readonly random: Random;
  /** Names of the pods created so far, including deleted ones; then the same for volumes. */
  readonly pods: string[];
  readonly volumes: string[];
}

function oneOf<T>({ random }: Scene, items: readonly T[]): T {
  // The index is always within the array.
  return items[Math.floor(random.next() * items.length)] as T;
}

function some<T>({ random }: Scene, items: readonly T[]): readonly T[] {
  return items.filter(() => random.next() < 0.4);
}

/** Returns the script for a seed. */
export function randomScript(seed: number, length: number): Script {
  const scene: Scene = { random: seededRandom(seed), pods: [], volumes: [] };
  const steps = [begin];
  while (steps.length < length) steps.push(oneOf(scene, moves)(scene));
  return { name: `seed ${seed}`, steps };
}

const begin: Step = {
  name: "create claims and classes",
  async act(stage) {
    for (const name of classNames) await makeClass(stage, name);
    for (const name of claimNames) await stage.create("persistentvolumeclaims", claim(name));
  },
};

const moves: readonly ((scene: Scene) => Step)[] = [
  addPod,
  addPod,
  addPod,
  ephemeral,
  bindOne,
  stop,
  removePod,
  removePod,
  end,
  end,
  end,
  addClaim,
  addClaim,
  removeClaim,
  removeClaim,
  removeClaim,
  removeAll,
  refinalize,
  modify,
  addVolume,
  turn,
  turn,
  removeVolume,
  removeClass,
];

/** Acts on an object if it still exists. */
function ifThere(
  [resource, name]: readonly [Resource, string],
  {
    what,
    act,
    isOwn = false,
  }: {
    readonly what: string;
    readonly act: (stage: Stage, name: string) => Promise<unknown>;
    readonly isOwn?: boolean;
  },
): Step {
  return {
    name: `${what} ${name}`,
    async act(stage) {
      const called = isOwn ? ownName(stage, name) : name;
      const there = await stage.list(resource);
      if (there.some(({ metadata }) => (metadata as { readonly name: string }).name === called)) await act(stage, name);
    },
  };
}

function addPod(scene: Scene): Step {
  const name = `p${scene.pods.length}`;
  scene.pods.push(name);
  const claims = some(scene, claimNames);
  const bound = scene.random.next() < 0.75;
  const finalizers = scene.random.next() < 0.2 ? [foreign] : [];
  return {
    name: `create pod ${name} with ${claims.join(", ") || "no claim"}${bound ? ", bound" : ""}`,
    act: (stage) => makePod(stage, name, { claims, bound, finalizers }),
  };
}

function ephemeral(scene: Scene): Step {
  const name = `p${scene.pods.length}`;
  scene.pods.push(name);
  const isOwn = scene.random.next() < 0.8;
  const finalizers = scene.random.next() < 0.6 ? [foreign] : [];
  return {
    name: `create pod ${name} with an ephemeral volume, and delete a claim with the name${isOwn ? " and owner" : ""}`,
    async act(stage) {
      await makePod(stage, name, { ephemeral: ["tmp"], finalizers });
      const made = isOwn ? await ephemeralClaim(stage, name, "tmp") : claim(`${name}-tmp`);
      await stage.create("persistentvolumeclaims", made);
      await stage.remove("persistentvolumeclaims", `${name}-tmp`);
    },
  };
}

function toPod(scene: Scene, what: string, act: (stage: Stage, name: string) => Promise<unknown>): Step {
  return ifThere(["pods", oneOf(scene, scene.pods.length === 0 ? ["none"] : scene.pods)], { what, act });
}

function bindOne(scene: Scene): Step {
  return toPod(scene, "bind", async (stage, name) => {
    const [pod] = await stage.pods(({ metadata }) => metadata.name === name);
    if (pod?.spec.nodeName === undefined && pod?.metadata.deletionTimestamp === undefined) await bindPod(stage, name);
  });
}

function stop(scene: Scene): Step {
  const phase = oneOf(scene, ["Running", "Succeeded", "Failed"]);
  const runs = phase === "Running" && scene.random.next() < 0.5;
  return toPod(
    scene,
    `set the phase ${phase}${runs ? ", with a running container, of" : " of"}`,
    async (stage, name) => {
      const [pod] = await stage.pods(({ metadata }) => metadata.name === name);
      const isOver = ["Succeeded", "Failed"].includes(pod?.status?.phase ?? "");
      if (!isOver) await report(stage, name, { phase, runs });
    },
  );
}

function removePod(scene: Scene): Step {
  return toPod(scene, "delete", (stage, name) => stage.remove("pods", name));
}

function end(scene: Scene): Step {
  const withFinalizers = scene.random.next() < 0.6;
  return toPod(scene, withFinalizers ? "remove for good" : "remove", async (stage, name) => {
    if (withFinalizers) await setFinalizers(stage, ["pods", name], []);
    await endPod(stage, name);
  });
}

function addClaim(scene: Scene): Step {
  const name = oneOf(scene, claimNames);
  const of = oneOf(scene, [undefined, ...classNames]);
  return {
    name: `create claim ${name}${of === undefined ? "" : ` with class ${of}`}, unless it exists`,
    async act(stage) {
      const there = await stage.list("persistentvolumeclaims");
      if (there.some(({ metadata }) => (metadata as { readonly name: string }).name === name)) return;
      const spec = of === undefined ? {} : { volumeAttributesClassName: ownName(stage, of) };
      await stage.create("persistentvolumeclaims", claim(name, spec));
    },
  };
}

function removeClaim(scene: Scene): Step {
  const act = (stage: Stage, name: string): Promise<void> => stage.remove("persistentvolumeclaims", name);
  return ifThere(["persistentvolumeclaims", oneOf(scene, claimNames)], { what: "delete", act });
}

function removeAll(): Step {
  return {
    name: "delete all claims",
    async act(stage) {
      const there = await stage.list("persistentvolumeclaims");
      const names = there.map(({ metadata }) => (metadata as { readonly name: string }).name);
      await Promise.all(names.map((name) => stage.remove("persistentvolumeclaims", name)));
    },
  };
}

function refinalize(scene: Scene): Step {
  const finalizers = scene.random.next() < 0.5 ? [] : [foreign];
  const act = (stage: Stage, name: string): Promise<unknown> => {
    const here = ["persistentvolumeclaims", name] as const;
    // An object that is being deleted accepts no new finalizers.
    return stage.get(...here).then(({ metadata }) => {
      const { deletionTimestamp } = metadata as { readonly deletionTimestamp?: string };
      return setFinalizers(stage, here, deletionTimestamp === undefined ? finalizers : []);
    });
  };
  return ifThere(["persistentvolumeclaims", oneOf(scene, claimNames)], {
    what: `set the finalizers [${finalizers.join()}] of`,
    act,
  });
}

function modify(scene: Scene): Step {
  const of = oneOf(scene, [null, ...classNames]);
  const field = oneOf(scene, ["current", "target"]);
  const act = (stage: Stage, name: string): Promise<unknown> => {
    const className = of === null ? null : ownName(stage, of);
    const modifyVolumeStatus =
      className === null ? null : { status: "InProgress", targetVolumeAttributesClassName: className };
    const status = field === "current" ? { currentVolumeAttributesClassName: className } : { modifyVolumeStatus };
    return stage.patch("persistentvolumeclaims", `${name}/status`, { status });
  };
  return ifThere(["persistentvolumeclaims", oneOf(scene, claimNames)], {
    what: `set the ${field} class ${of} of`,
    act,
  });
}

function addVolume(scene: Scene): Step {
  const name = `v${scene.volumes.length}`;
  scene.volumes.push(name);
  const of = oneOf(scene, [undefined, ...classNames]);
  return {
    name: `create volume ${name} of class ${of ?? "none"}`,
    act: (stage) => makeVolume(stage, name, of === undefined ? {} : { volumeAttributesClassName: ownName(stage, of) }),
  };
}

function toVolume(scene: Scene, what: string, act: (stage: Stage, name: string) => Promise<unknown>): Step {
  const name = oneOf(scene, scene.volumes.length === 0 ? ["none"] : scene.volumes);
  return ifThere(["persistentvolumes", name], { what, act, isOwn: true });
}

function turn(scene: Scene): Step {
  const phase = oneOf(scene, phases);
  return toVolume(scene, `set the phase ${phase} of`, (stage, name) => setPhase(stage, name, phase));
}

function removeVolume(scene: Scene): Step {
  return toVolume(scene, "delete", (stage, name) => stage.remove("persistentvolumes", ownName(stage, name)));
}

function removeClass(scene: Scene): Step {
  const act = (stage: Stage, name: string): Promise<void> =>
    stage.remove(VolumeAttributesClasses, ownName(stage, name));
  return ifThere([VolumeAttributesClasses, oneOf(scene, classNames)], { what: "delete", act, isOwn: true });
}
