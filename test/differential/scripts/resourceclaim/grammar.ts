/** Random scripts: pods, templates and claims that are created, allocated, reserved, released and deleted in any order. */
import { ResourceClaims, ResourceClaimTemplates } from "../../../../src/api/kinds.ts";
import { type Random, seededRandom } from "../../../../src/platform/random.ts";
import type { Stage } from "../../stage.ts";
import type { Script, Step } from "../../suite.ts";
import {
  act,
  allocate,
  bindPod,
  claimsOn,
  consumer,
  endPod,
  foreign,
  generated,
  makeClaim,
  makePod,
  makeTemplate,
  podNamed,
  podsOn,
  reserve,
  setPhase,
  type Source,
} from "./acts.ts";

const templates = ["t0", "t1"] as const;
const claims = ["c0", "c1"] as const;
const entryNames = ["gpu", "nic", "disk"] as const;

interface Scene {
  readonly random: Random;
  /** Names of the pods created so far, including deleted ones. */
  readonly pods: string[];
}

function oneOf<T>({ random }: Scene, items: readonly T[]): T {
  // The index is always within the array.
  return items[Math.floor(random.next() * items.length)] as T;
}

const chance = ({ random }: Scene, of: number): boolean => random.next() < of;

/** Returns the script for a seed. */
export function randomScript(seed: number, length: number): Script {
  const scene: Scene = { random: seededRandom(seed), pods: [] };
  const steps: Step[] = [begin, addPod(scene)];
  while (steps.length < length) steps.push(...[oneOf(scene, moves)(scene)].flat());
  return { name: `seed ${seed}`, steps: steps.map((each, n) => ({ ...each, name: `${n + 1}. ${each.name}` })) };
}

const begin: Step = act("create a template and two claims", async (stage) => {
  await makeTemplate(stage, "t0");
  for (const name of claims) await makeClaim(stage, name);
});

const moves: readonly ((scene: Scene) => Step | readonly Step[])[] = [
  addPod,
  addPod,
  addPod,
  again,
  addTemplate,
  removeTemplate,
  bindOne,
  bindOne,
  runs,
  ends,
  removePod,
  removePod,
  end,
  end,
  allocateNamed,
  allocateNamed,
  allocateNamed,
  allocateGenerated,
  allocateGenerated,
  reserveMore,
  removeClaim,
  forget,
];

function entriesOf(scene: Scene): Record<string, Source> {
  const some = entryNames.filter(() => chance(scene, 0.5));
  return Object.fromEntries(
    some.map((name) => [
      name,
      chance(scene, 0.6) ? { template: oneOf(scene, templates) } : { claim: oneOf(scene, claims) },
    ]),
  );
}

function addPod(scene: Scene): Step {
  const name = `p${scene.pods.length}`;
  scene.pods.push(name);
  return making(scene, name);
}

/** Creates a deleted pod again. */
function again(scene: Scene): Step {
  return making(scene, podOf(scene));
}

function making(scene: Scene, name: string): Step {
  const bound = chance(scene, 0.4);
  // Without a finalizer, an unbound pod may or may not be seen as terminating, so whether its claims are deleted is random.
  const parts = { entries: entriesOf(scene), bound, finalizers: !bound || chance(scene, 0.3) ? [foreign] : [] };
  return act(`create pod ${name}, unless it exists, with ${JSON.stringify(parts)}`, async (stage) => {
    if ((await podNamed(stage, name)) === undefined) await makePod(stage, name, parts);
  });
}

function podOf(scene: Scene): string {
  return oneOf(scene, scene.pods);
}

type There = NonNullable<Awaited<ReturnType<typeof podNamed>>>;

function toPod(scene: Scene, what: string, does: (stage: Stage, pod: There) => Promise<unknown>): Step {
  const name = podOf(scene);
  return act(`${what} ${name}`, async (stage) => {
    const pod = await podNamed(stage, name);
    if (pod !== undefined) await does(stage, pod);
  });
}

const hasEnded = ({ status }: There): boolean => status?.phase === "Succeeded" || status?.phase === "Failed";

function bindOne(scene: Scene): Step {
  return toPod(scene, "bind", async (stage, pod) => {
    const { metadata, spec } = pod;
    if (spec.nodeName === undefined && metadata.deletionTimestamp === undefined && !hasEnded(pod))
      await bindPod(stage, metadata.name);
  });
}

function runs(scene: Scene): Step {
  return toPod(scene, "set the phase Running of", (stage, { metadata }) => setPhase(stage, metadata.name, "Running"));
}

/**
 * Finishes and then removes a pod, unless it is bound and shares a claim: while others hold the claim, kube-controller-manager reserves and
 * releases it endlessly.
 */
function ends(scene: Scene): readonly Step[] {
  const phase = oneOf(scene, ["Succeeded", "Failed"]);
  const name = podOf(scene);
  const ending = act(`set the phase ${phase} of ${name}, unless it is bound and shares a claim`, async (stage) => {
    const pod = await podNamed(stage, name);
    if (pod === undefined) return;
    const shares = pod.spec.resourceClaims?.some(({ resourceClaimName }) => resourceClaimName !== undefined) === true;
    if (pod.spec.nodeName === undefined || !shares) await setPhase(stage, name, phase);
  });
  const leaving = act(`remove ${name}`, async (stage) => {
    const pod = await podNamed(stage, name);
    if (pod === undefined || !hasEnded(pod)) return;
    await stage.patch("pods", name, { metadata: { finalizers: null } });
    if ((await podNamed(stage, name)) !== undefined) await endPod(stage, name);
  });
  const why = "its claims are created again unless they are still known, which lasts until the cache contains them";
  return [
    { ...ending, chance: why },
    { ...leaving, chance: why },
  ];
}

function removePod(scene: Scene): Step {
  return toPod(scene, "delete", (stage, { metadata }) => stage.remove("pods", metadata.name));
}

/** Removes a pod. An unbound one is removed in two steps, if it is not being deleted yet. */
function end(scene: Scene): Step {
  return toPod(scene, "remove", async (stage, { metadata, spec }) => {
    const { name } = metadata;
    if (spec.nodeName === undefined && metadata.deletionTimestamp === undefined) return stage.remove("pods", name);
    await stage.patch("pods", name, { metadata: { finalizers: null } });
    if ((await podNamed(stage, name)) !== undefined) await endPod(stage, name);
  });
}

function addTemplate(scene: Scene): Step {
  const name = oneOf(scene, templates);
  const metadata = chance(scene, 0.5) ? { labels: { team: "red" }, annotations: { note: "x" } } : {};
  return act(`create template ${name}, unless it exists`, async (stage) => {
    const there = await stage.list(ResourceClaimTemplates);
    if (!there.some((each) => (each["metadata"] as { readonly name: string }).name === name))
      await makeTemplate(stage, name, { metadata });
  });
}

function removeTemplate(scene: Scene): Step {
  const name = oneOf(scene, templates);
  return act(`delete template ${name}`, async (stage) => {
    const there = await stage.list(ResourceClaimTemplates);
    if (there.some((each) => (each["metadata"] as { readonly name: string }).name === name))
      await stage.remove(ResourceClaimTemplates, name);
  });
}

/** Acts as a scheduler for some of the existing pods, or for none. */
async function allocateFor(
  stage: Stage,
  name: string,
  { pods, isProtected }: { readonly pods: readonly string[]; readonly isProtected: boolean },
): Promise<void> {
  const claim = (await claimsOn(stage)).find(({ metadata }) => metadata.name === name);
  if (claim === undefined || claim.metadata.deletionTimestamp !== undefined) return;
  const there = (await podsOn(stage)).map(({ metadata }) => metadata.name);
  const held = (claim.status?.reservedFor ?? []).map((each) => each.name);
  const chosen = pods.filter((pod) => there.includes(pod) && !held.includes(pod));
  try {
    if (claim.status?.allocation === undefined) await allocate(stage, name, { pods: chosen, isProtected });
    else await reserve(stage, name, chosen);
  } catch (error) {
    // The controller deletes the claim of a pod that has ended as soon as the claim changes.
    const now = (await claimsOn(stage)).find(({ metadata }) => metadata.name === name);
    if (now !== undefined && now.metadata.deletionTimestamp === undefined) throw error;
  }
}

function allocateNamed(scene: Scene): Step {
  const name = oneOf(scene, claims);
  const pods = [...new Set(scene.pods.filter(() => chance(scene, 0.5)))];
  const isProtected = chance(scene, 0.8);
  return act(
    `allocate or reserve ${name} for ${pods.join() || "no pod"}${isProtected ? "" : ", without its finalizer"}`,
    (stage) => allocateFor(stage, name, { pods, isProtected }),
  );
}

function allocateGenerated(scene: Scene): Step {
  const pod = podOf(scene);
  const entry = oneOf(scene, entryNames);
  const isReserved = chance(scene, 0.7);
  return act(`allocate the claims of ${pod} for ${entry}${isReserved ? ", and reserve them" : ""}`, async (stage) => {
    for (const { metadata } of await generated(stage, pod, entry))
      await allocateFor(stage, metadata.name, { pods: isReserved ? [pod] : [], isProtected: true });
  });
}

function reserveMore(scene: Scene): Step {
  const name = oneOf(scene, claims);
  const other = oneOf(scene, [consumer("jobs", "big", "example.com"), consumer("pods", "never")]);
  return act(`reserve ${name} for ${other.resource} ${other.name}`, async (stage) => {
    const claim = (await claimsOn(stage)).find(({ metadata }) => metadata.name === name);
    if (claim?.status?.allocation === undefined || claim.metadata.deletionTimestamp !== undefined) return;
    if (claim.status.reservedFor?.some(({ uid }) => uid === other.uid) === true) return;
    const reservedFor = [...(claim.status.reservedFor ?? []), other];
    await stage.patch(ResourceClaims, `${name}/status`, { status: { reservedFor } });
  });
}

/** Not a generated claim: upstream would alternate the entries in the status of a pod with several such claims forever. */
function removeClaim(scene: Scene): Step {
  const name = oneOf(scene, claims);
  return act(`delete or recreate ${name}`, async (stage) => {
    if ((await claimsOn(stage)).some(({ metadata }) => metadata.name === name))
      await stage.remove(ResourceClaims, name);
    else await makeClaim(stage, name);
  });
}

function forget(scene: Scene): Step {
  return toPod(scene, "remove all claims from the status of", (stage, { metadata }) =>
    stage.patch("pods", `${metadata.name}/status`, { status: { resourceClaimStatuses: null } }),
  );
}
