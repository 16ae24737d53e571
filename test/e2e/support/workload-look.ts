/** How the workload scene converges: the work of other cluster components is done, then everything must be in the required state. */
import { expect } from "bun:test";
import { podsCreatedFor } from "./pods-created.ts";
import { daemons, mostReplicas, sets } from "./workload-changes.ts";
import { countDeletedPod, isActive, jobsByHand, type WorkloadGround } from "./workload-ground.ts";
import { daemonSet, statefulSet } from "./workload-manifests.ts";
import { type Sleeper, sleeperRules } from "./workload-sleepers.ts";
import {
  budgetProblems,
  cronJobProblems,
  daemonSetProblems,
  isControlledBy,
  jobProblems,
  leftovers,
  type Seen,
  statefulSetProblems,
  type World,
} from "./workload-verdicts.ts";

/** A check. @throws if anything is not in the required state. */
export function looksAt(ground: WorkloadGround): () => Promise<void> {
  const {
    cluster,
    run,
    namespace,
    deletedPods,
    at,
    send,
    create,
    patch,
    list,
    nodes: nodesNow,
    world,
    isCached,
    end,
  } = ground;
  let woken = 0;

  /** Recreates missing objects, performs the work of other cluster components, and lets Jobs finish. */
  async function bringOn(): Promise<void> {
    for (const [resource, body] of [
      ...sets.map((name) => ["statefulsets", statefulSet(name, { replicas: 2, image: 0 })] as const),
      ...daemons.map((name) => ["daemonsets", daemonSet(name, 0)] as const),
    ]) {
      const { status } = await cluster.request("GET", at(resource, (body as Seen).metadata.name));
      if (status === 404) await create(resource, body);
    }
    const [jobs, pods, nodes] = await Promise.all([jobsByHand(ground), list("pods"), nodesNow()]);
    for (const each of jobs) {
      const { name, labels } = each.metadata;
      if (each.spec.suspend === true) await patch(at("jobs", name), { spec: { suspend: false } });
      const phase = labels?.["fails"] === "yes" ? "Failed" : "Succeeded";
      for (const pod of pods) if (isControlledBy(each)(pod) && isActive(pod)) await end(pod, phase);
    }
    // No node runs a pod without its claim; the scheduler would leave the pod pending until the claim is created.
    const claims = new Set((await list("persistentvolumeclaims")).map(({ metadata }) => metadata.name));
    for (const { metadata, spec } of pods) {
      const lacks = spec.volumes?.some(({ persistentVolumeClaim }) =>
        lacksIn(claims, persistentVolumeClaim?.claimName),
      );
      if (lacks === true) await send("DELETE", at("pods", metadata.name));
    }
    // As kube-controller-manager collects the pods of missing nodes.
    const there = new Set(nodes.map(({ metadata }) => metadata.name));
    for (const pod of pods) {
      if (there.has(pod.spec.nodeName ?? "fake-0") || !isCached(pod)) continue;
      const owner = jobs.find((each) => isControlledBy(each)(pod))?.metadata.name;
      if (owner !== undefined) countDeletedPod(ground, owner);
      await send("DELETE", at("pods", pod.metadata.name), { gracePeriodSeconds: 0 });
    }
    const statefulsets = await list("statefulsets");
    for (const { find } of sleeperRules) {
      for (const each of await find(ground, { pods, nodes, statefulsets, claims })) await touch(each);
    }
  }

  /** Changes nothing that a controller evaluates, but causes an event. */
  async function touch({ resource, name }: Sleeper): Promise<void> {
    await patch(at(resource, name), { metadata: { annotations: { woken: String(++woken) } } });
  }

  const lacksIn = (claims: ReadonlySet<string>, name: string | undefined): boolean =>
    name !== undefined && !claims.has(name);

  async function problemsOf(all: World): Promise<string[]> {
    const { unconfirmed } = run.failures;
    const createdPods = podsCreatedFor(await cluster.audit(), namespace);
    const judged = all.jobs.filter(({ spec, metadata }) => !isGoing(spec) && metadata.labels?.["by"] === "hand");
    return [
      ...all.statefulsets.flatMap((set) => statefulSetProblems(set, all, mostReplicas)),
      ...all.daemonsets.flatMap((set) => daemonSetProblems(set, all)),
      ...judged.flatMap((each) =>
        jobProblems(each, all, {
          unconfirmed,
          deleted: deletedPods.get(each.metadata.name) ?? 0,
          created: createdPods.get(each.metadata.uid) ?? 0,
        }),
      ),
      ...all.jobs.filter(({ spec }) => isGoing(spec)).map(({ metadata }) => `Job ${metadata.name} is still there`),
      ...all.cronjobs.flatMap((each) => cronJobProblems(each, all)),
      ...all.poddisruptionbudgets.flatMap((each) => budgetProblems(each, all, Date.now())),
      ...leftovers(all),
    ];
  }

  const isGoing = ({ ttlSecondsAfterFinished }: Seen["spec"]): boolean => ttlSecondsAfterFinished !== undefined;

  return async function look(): Promise<void> {
    await bringOn();
    expect(await problemsOf(await world())).toEqual([]);
  };
}
