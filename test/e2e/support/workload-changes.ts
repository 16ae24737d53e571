/** The changes of the workload scene: one random change at a time, directly on the API server. */
import { below, type Random } from "../../../src/platform/random.ts";
import { countDeletedPod, isActive, jobsByHand, type Resource, type WorkloadGround } from "./workload-ground.ts";
import { daemonSet, job, node, statefulSet, templateOf } from "./workload-manifests.ts";
import { isControlledBy, isFinished, isLeaving, type Seen } from "./workload-verdicts.ts";

export const sets = ["ordered", "parallel"] as const;
export const daemons = ["everywhere", "gold"] as const;
export const mostReplicas = 4;
const images = 4;
const mostJobs = 4;
const extraNode = "extra";

const pick = <T>(random: Random, from: readonly T[]): T | undefined => from[below(random, from.length)];

/** Sets the CronJob's last run to minutes ago in its status: the run of the current minute is then due at once, or already exists. */
export async function missRuns({ at, patch }: WorkloadGround): Promise<void> {
  const lastScheduleTime = `${new Date(Date.now() - 180_000).toISOString().slice(0, 17)}00Z`;
  await patch(`${at("cronjobs", "tick")}/status`, { status: { lastScheduleTime } });
}

/** @throws Error if the object to change is gone by then. */
export function changesOn(ground: WorkloadGround): (random: Random) => Promise<void> {
  const { cluster, at, send, create, patch, list, isCached, end } = ground;
  let made = 0;

  async function podsOf(name: string): Promise<readonly Seen[]> {
    const pods = await list("pods");
    return pods.filter((pod) => pod.metadata.labels?.["app"] === name && !isLeaving(pod) && isCached(pod));
  }

  async function changeSet(random: Random): Promise<void> {
    const name = pick(random, sets) ?? "ordered";
    const roll = random.next();
    if (roll < 0.35) await patch(at("statefulsets", name), { spec: { replicas: below(random, mostReplicas + 1) } });
    else if (roll < 0.6) await patch(at("statefulsets", name), { spec: templateOf(below(random, images)) });
    else if (roll < 0.8) await endPod(name, random);
    else await replace("statefulsets", statefulSet(name, { replicas: 1 + below(random, 3), image: 0 }), random);
  }

  async function changeDaemons(random: Random): Promise<void> {
    const name = pick(random, daemons) ?? "gold";
    const roll = random.next();
    if (roll < 0.4) await patch(at("daemonsets", name), { spec: templateOf(below(random, images)) });
    else if (roll < 0.8) await endPod(name, random);
    else await replace("daemonsets", daemonSet(name, below(random, images)), random);
  }

  async function endPod(of: string, random: Random): Promise<void> {
    const name = pick(random, await podsOf(of))?.metadata.name;
    if (name === undefined) return;
    if (random.next() < 0.5) await send("DELETE", at("pods", name));
    else {
      const eviction = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name } };
      await send("POST", `${at("pods", name)}/eviction`, eviction);
    }
  }

  async function replace(resource: Resource, body: object, random: Random): Promise<void> {
    const { name } = (body as Seen).metadata;
    const propagationPolicy = pick(random, ["Background", "Foreground", "Orphan"]);
    await send("DELETE", at(resource, name), { propagationPolicy });
    // After a foreground deletion the name stays taken until all pods are gone; a later check then recreates the object.
    await create(resource, body);
  }

  async function changeNodes(random: Random): Promise<void> {
    const path = (name: string): string => `/api/v1/nodes/${name}`;
    const roll = random.next();
    if (roll < 0.4) await patch(path("fake-1"), { metadata: { labels: { pool: pick(random, ["gold", "tin"]) } } });
    else if (roll < 0.7) {
      const taints = random.next() < 0.5 ? [] : [{ key: "scene", effect: "NoExecute" }];
      await patch(path("fake-2"), { spec: { taints } });
    } else if ((await cluster.request("GET", path(extraNode))).status === 200) await send("DELETE", path(extraNode));
    else await bringNode();
  }

  async function bringNode(): Promise<void> {
    await send("POST", "/api/v1/nodes", node(extraNode));
    // Admission adds a taint, and no controller that would remove it runs here.
    await patch(`/api/v1/nodes/${extraNode}`, { spec: { taints: [] } });
  }

  async function changeJobs(random: Random): Promise<void> {
    const running = (await jobsByHand(ground)).filter((each) => !isFinished(each) && !isLeaving(each));
    const roll = random.next();
    const one = pick(random, running);
    if (one === undefined || (running.length < mostJobs && roll < 0.35)) return newJob(random);
    if (roll < 0.85) return endSome(one, random);
    const path = at("jobs", one.metadata.name);
    if (roll < 0.9) await patch(path, { spec: { parallelism: 1 + below(random, 3) } });
    else if (roll < 0.96) await patch(path, { spec: { suspend: one.spec.suspend !== true } });
    else await send("DELETE", path, { propagationPolicy: pick(random, ["Background", "Foreground", "Orphan"]) });
  }

  async function newJob(random: Random): Promise<void> {
    await create(
      "jobs",
      job(`job-${++made}`, {
        completions: 3 + below(random, 4),
        parallelism: 2 + below(random, 2),
        isIndexed: random.next() < 0.5,
        fails: random.next() < 0.15,
        isShort: random.next() < 0.25,
      }),
    );
  }

  /** Fails or deletes one pod only if another one succeeds after it: the Job then does not back off before it continues. */
  async function endSome(of: Seen, random: Random): Promise<void> {
    const { name, labels } = of.metadata;
    const [first, second] = (await list("pods")).filter((pod) => isControlledBy(of)(pod) && isActive(pod));
    if (first === undefined) return;
    if (labels?.["fails"] === "yes") return end(first, "Failed");
    if (second === undefined) return end(first, "Succeeded");
    // A pod that is terminating when the cache first sees it is no observed creation, upstream too: its Job waits 5 minutes.
    if (random.next() < 0.5 || !isCached(second)) await end(second, "Failed");
    else {
      countDeletedPod(ground, name);
      await send("DELETE", at("pods", second.metadata.name));
    }
    await end(first, "Succeeded");
  }

  async function changeBudget(random: Random): Promise<void> {
    const name = pick(random, sets) ?? "ordered";
    const limits: readonly object[] =
      name === "ordered"
        ? [{ maxUnavailable: 1 }, { maxUnavailable: 2 }]
        : [{ minAvailable: 1 }, { minAvailable: "50%" }];
    await patch(at("poddisruptionbudgets", name), { spec: pick(random, limits) ?? {} });
  }

  return async function change(random: Random): Promise<void> {
    const roll = random.next();
    if (roll < 0.35) return changeSet(random);
    if (roll < 0.5) return changeDaemons(random);
    if (roll < 0.6) return changeNodes(random);
    if (roll < 0.9) return changeJobs(random);
    if (roll < 0.94) return missRuns(ground);
    return changeBudget(random);
  };
}
