/** How the workload scene converges: the work of other cluster components is done, then everything must be in the required state. */
import { expect } from "bun:test";
import { podsCreatedFor } from "./pods-created.ts";
import { daemons, mostReplicas, sets } from "./workload-changes.ts";
import { countDeletedPod, isActive, jobsByHand, type Resource, type WorkloadGround } from "./workload-ground.ts";
import { daemonSet, statefulSet } from "./workload-manifests.ts";
import {
  budgetProblems,
  cronJobProblems,
  daemonSetProblems,
  isControlledBy,
  jobProblems,
  keepsOldScale,
  leftovers,
  type Seen,
  statefulSetProblems,
  type World,
} from "./workload-verdicts.ts";

/** The node that a DaemonSet's pod is for, from its affinity. */
const nodeOfDaemon = ({ spec }: Seen): string | undefined =>
  /"matchFields":\[\{[^}]*"values":\["([^"]+)"\]/.exec(JSON.stringify(spec))?.[1];

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
    await wakeDaemons(pods, nodes);
    await wakeBudgets(pods, statefulsets);
    await wakeSets(statefulsets, claims);
  }

  /**
   * A pod that is pending for its node remains, upstream too, if the node is deleted or no longer fits, until something wakes its
   * DaemonSet: deleting a node wakes none, changing one wakes only DaemonSets with pods on it. Nor does a node that was deleted and comes
   * back wake one that still has a pod there: its status counts the node with the next sync. Source: kubernetes v1.36
   * pkg/controller/daemon/daemon_controller.go NewDaemonSetsController, syncNodeUpdate.
   */
  async function wakeDaemons(pods: readonly Seen[], nodes: readonly Seen[]): Promise<void> {
    const createdAt = new Map(nodes.map(({ metadata }) => [metadata.name, metadata.creationTimestamp ?? ""]));
    const isStuck = (pod: Seen): boolean => {
      const node = nodeOfDaemon(pod);
      return pod.spec.nodeName === undefined || (node !== undefined && !createdAt.has(node));
    };
    const isOlderThanNode = ({ spec, metadata }: Seen): boolean =>
      (createdAt.get(spec.nodeName ?? "") ?? "") >= (metadata.creationTimestamp ?? "");
    const daemonsets = await list("daemonsets");
    for (const name of daemons) {
      const own = pods.filter((pod) => pod.metadata.labels?.["app"] === name);
      const counted = daemonsets.find(({ metadata }) => metadata.name === name)?.status["desiredNumberScheduled"] ?? 0;
      const isUncounted = own.length > Number(counted) && own.some(isOlderThanNode);
      if (own.some(isStuck) || isUncounted) await touch("daemonsets", name);
    }
  }

  /**
   * A budget's status keeps the scale of a StatefulSet that has changed since the last event of its pods, upstream too: a StatefulSet wakes no
   * budget. A pod's event must then be enough. Source: kubernetes v1.36 pkg/controller/disruption/disruption.go NewDisruptionController.
   */
  async function wakeBudgets(pods: readonly Seen[], statefulsets: readonly Seen[]): Promise<void> {
    for (const budget of await list("poddisruptionbudgets")) {
      if (!keepsOldScale(budget, { pods, statefulsets })) continue;
      const pod = pods.find(({ metadata }) => metadata.labels?.["app"] === budget.metadata.name);
      if (pod !== undefined) await touch("pods", pod.metadata.name);
    }
  }

  /**
   * A StatefulSet that waits for the claim of an earlier pod is not synced when the claim is gone, upstream too: it has no handler for
   * claims. Source: kubernetes v1.36 pkg/controller/statefulset/stateful_set.go NewStatefulSetController.
   */
  async function wakeSets(statefulsets: readonly Seen[], claims: ReadonlySet<string>): Promise<void> {
    for (const { metadata, spec } of statefulsets) {
      const { name } = metadata;
      const waits = run.lastRules("statefulset", `${namespace}/${name}`).has("await-claim");
      const ordinals = Array.from({ length: spec.replicas ?? 1 }, (_, ordinal) => ordinal);
      if (waits && ordinals.some((ordinal) => !claims.has(`data-${name}-${ordinal}`)))
        await touch("statefulsets", name);
    }
  }

  /** Changes nothing that a controller evaluates, but causes an event. */
  async function touch(resource: Resource, name: string): Promise<void> {
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
