/**
 * Random scripts: pods that are created on nodes and deleted, with drivers and kubelets that follow. At most one pod waits for a volume
 * that only one node can use, because it is random which of two gets it.
 */
import { type Random, seededRandom } from "../../../../src/platform/random.ts";
import { VolumeAttachments } from "../../../../src/api/kinds.ts";
import type { PodObject } from "../../objects.ts";
import type { Stage } from "../../stage.ts";
import type { Script, Step } from "../../suite.ts";
import { attachments, makeNode, makePod, makeVolume, mounts, nodeName, removePod, setPhase, step } from "./acts.ts";

const nodes = ["n0", "n1", "n2"] as const;
const volumes = ["one", "two", "many"] as const;

interface Scene {
  readonly random: Random;
  pods: number;
}

function oneOf<T>({ random }: Scene, items: readonly T[]): T {
  // The index is always within the array.
  return items[Math.floor(random.next() * items.length)] as T;
}

/** Returns the script for a seed. */
export function randomScript(seed: number, length: number): Script {
  const scene: Scene = { random: seededRandom(seed), pods: 0 };
  const steps = [begin];
  while (steps.length < length) steps.push(oneOf(scene, moves)(scene));
  return { name: `seed ${seed}`, steps };
}

const begin: Step = step("create nodes and volumes", async (stage) => {
  for (const node of nodes) await makeNode(stage, node);
  for (const name of volumes) {
    await makeVolume(stage, name, { modes: [name === "many" ? "ReadWriteMany" : "ReadWriteOnce"] });
  }
});

const moves: readonly ((scene: Scene) => Step)[] = [
  addPod,
  addPod,
  addPod,
  endPod,
  drop,
  drive,
  drive,
  drive,
  report,
  report,
];

interface PodUsing extends PodObject {
  readonly spec: PodObject["spec"] & {
    readonly nodeName?: string;
    readonly volumes?: readonly { readonly persistentVolumeClaim?: { readonly claimName: string } }[];
  };
}

async function usersOf(stage: Stage, claim?: string): Promise<readonly PodUsing[]> {
  const pods = (await stage.pods(({ status }) => status?.phase === "Running")) as readonly PodUsing[];
  return pods.filter(
    ({ spec }) =>
      claim === undefined || spec.volumes?.some((each) => each.persistentVolumeClaim?.claimName === claim) === true,
  );
}

function addPod(scene: Scene): Step {
  const name = `p${scene.pods++}`;
  const claim = oneOf(scene, volumes);
  const node = oneOf(scene, nodes);
  return step(`create pod ${name} on ${node} with ${claim}, unless another pod waits`, async (stage) => {
    const there = new Set((await usersOf(stage, claim)).map(({ spec }) => spec.nodeName));
    const ofClaim = (await attachments(stage)).filter(({ spec }) => spec.source.persistentVolumeName.endsWith(claim));
    const isHeld = ofClaim.every(
      ({ status, metadata }) => status?.attached === true && metadata.deletionTimestamp === undefined,
    );
    const mayCome = claim === "many" || there.has(nodeName(stage, node)) || (there.size < 2 && isHeld);
    if (mayCome) await makePod(stage, name, { node, claims: [claim] });
  });
}

function ofPod(scene: Scene, what: string, act: (stage: Stage, name: string) => Promise<unknown>): Step {
  const nth = scene.random.next();
  return step(`${what} a pod`, async (stage) => {
    const users = (await usersOf(stage)).map(({ metadata }) => metadata.name).toSorted();
    const name = users[Math.floor(nth * users.length)];
    if (name !== undefined) await act(stage, name);
  });
}

function endPod(scene: Scene): Step {
  return ofPod(scene, "finish", (stage, name) => setPhase(stage, name, "Succeeded"));
}

function drop(scene: Scene): Step {
  return ofPod(scene, "delete", removePod);
}

/** Attaches all requested volumes, as the driver would. */
function drive(): Step {
  return step("the driver attaches all requested volumes", async (stage) => {
    for (const { metadata, status } of await attachments(stage)) {
      if (status?.attached === true || metadata.deletionTimestamp !== undefined) continue;
      await stage.patch(VolumeAttachments, `${metadata.name}/status`, { status: { attached: true } });
    }
  });
}

/** Reports as mounted all attached volumes that pods on the node use, as the kubelets would. */
function report(): Step {
  return step("the kubelets report mounted volumes", async (stage) => {
    const users = await usersOf(stage);
    const all = await attachments(stage);
    for (const node of nodes) {
      const on = nodeName(stage, node);
      const used = volumes.filter(
        (claim) =>
          users.some(
            ({ spec }) =>
              spec.nodeName === on && spec.volumes?.some((each) => each.persistentVolumeClaim?.claimName === claim),
          ) &&
          all.some(
            ({ spec, status }) =>
              spec.nodeName === on && spec.source.persistentVolumeName.endsWith(claim) && status?.attached === true,
          ),
      );
      await mounts(stage, node, ...used);
    }
  });
}
