/** Deployments with their ReplicaSets. Pods do not run: scripts make them ready, one at a time if the order matters. */
import { Deployments, Pods, ReplicaSets } from "../../../src/api/kinds.ts";
import { deployment } from "../../../src/controllers/deployment/deployment.ts";
import { replicaset } from "../../../src/controllers/replicaset/replicaset.ts";
import type { Effect } from "../../support/audit-log.ts";
import { type Allowed, namespaceInBody, noBodyOfDelete, ownFieldManager } from "../differences.ts";
import { type AnyObject, type Meta, podState } from "../objects.ts";
import { replicasAreSettled, spamBurst, reportsSuccess } from "../quiet.ts";
import { podsThat } from "../scripts/deployment/acts.ts";
import { randomScript } from "../scripts/deployment/grammar.ts";
import { scripts } from "../scripts/deployment/index.ts";
import type { SideLog } from "../side-log.ts";
import type { Stage } from "../stage.ts";
import { standing } from "../normalize.ts";
import type { Suite } from "../suite.ts";
import type { Names, Entry } from "../step-record.ts";

interface Counted {
  readonly metadata: Meta;
  readonly spec: { readonly replicas: number; readonly paused?: boolean };
  readonly status?: Readonly<Record<string, number | undefined>>;
}

const counts = ["replicas", "readyReplicas", "availableReplicas"] as const;

/** Whether every Deployment has observed its spec, and its status is the sum of its ReplicaSets' statuses. */
async function deploymentsAreSettled(stage: Stage): Promise<boolean> {
  const [deployments, sets] = (await Promise.all([
    stage.list("deployments"),
    stage.list("replicasets"),
  ])) as unknown as [readonly Counted[], readonly Counted[]];
  return deployments.every(({ metadata, status }) => {
    const own = sets.filter((set) => set.metadata.ownerReferences?.[0]?.uid === metadata.uid);
    const sum = (count: (typeof counts)[number]): number =>
      own.reduce((total, set) => total + (set.status?.[count] ?? 0), 0);
    return (
      status?.["observedGeneration"] === metadata.generation &&
      counts.every((count) => (status?.[count] ?? 0) === sum(count))
    );
  });
}

/** Whether every ReplicaSet's status counts its ready pods: nothing else is written before that. */
async function readinessIsCounted(stage: Stage): Promise<boolean> {
  const [sets, ready] = await Promise.all([stage.list("replicasets"), podsThat(stage, "ready")]);
  return (sets as unknown as readonly Counted[]).every(({ metadata, status }) => {
    const own = ready.filter((pod) => pod.metadata.ownerReferences?.[0]?.uid === metadata.uid);
    return metadata.deletionTimestamp !== undefined || (status?.["readyReplicas"] ?? 0) === own.length;
  });
}

/** Whether some object has fewer Events than changes of its pods or its size: Events are written asynchronously. */
function hasPendingEvents({ effects }: SideLog): boolean {
  const [expected, reported, sizes] = [new Map<string, number>(), new Map<string, number>(), new Map<string, number>()];
  const count = (of: Map<string, number>, name: string): void => void of.set(name, (of.get(name) ?? 0) + 1);
  for (const effect of effects) {
    const { resource, verb, code, name, request, response } = effect;
    // The sandbox's log has no bodies.
    if (response === undefined || code >= 300) continue;
    const { spec, metadata } = response as Partial<Counted>;
    const owner = metadata?.ownerReferences?.[0]?.name ?? "";
    if (resource.startsWith("events")) {
      if (!reportsSuccess(effect)) continue;
      const { involvedObject } = (verb === "create" ? request : response) as { readonly involvedObject?: Meta };
      count(reported, involvedObject?.name ?? "");
    } else if (resource === "pods" && verb !== "patch") count(expected, owner);
    else if (resource === "replicasets.apps" && (verb === "create" || verb === "update")) {
      const size = spec?.replicas ?? 0;
      if (size !== (sizes.get(name) ?? (verb === "create" ? 0 : size))) count(expected, owner);
      sizes.set(name, size);
    }
  }
  return [...expected].some(([name, all]) => all < spamBurst && (reported.get(name) ?? 0) < all);
}

const staleUpdate: Allowed = {
  id: "an object was created, changed or deleted in the meantime",
  category: "noise",
  upstream: "pkg/controller/deployment/sync.go:scaleReplicaSet",
  why: "how often a cache is behind when a ReplicaSet is written or deleted depends on which deltas arrived before which sync; the write is rejected, and repeated if still needed",
  matches: ({ what }) =>
    /^(?:(?:create|update) (?:replicasets|deployments)\.apps 409|delete replicasets\.apps 404)$/.test(what),
};

const statusInUpdate: Allowed = {
  id: "the status in the body of an update",
  category: "noise",
  upstream: "pkg/controller/deployment/sync.go:scaleReplicaSet",
  why: "the whole cached object is sent, and the server ignores its status",
  matches: ({ what, path }) =>
    /^update (?:replicasets|deployments)\.apps 200$/.test(what) && path.startsWith(".body.status"),
};

const adoptedTwice: Allowed = {
  id: "a ReplicaSet is adopted twice",
  category: "noise",
  upstream: "pkg/controller/controller_ref_manager.go:ClaimReplicaSets",
  why: "the next sync may begin before the cache contains the adoption; the repeated patch changes nothing, and the owner is compared in the objects",
  matches: ({ what, path, theirs, ours }) =>
    what === "patch replicasets.apps 200" &&
    path === "" &&
    JSON.stringify(theirs ?? ours).includes('"blockOwnerDeletion":true'),
};

const combinedEvents: Allowed = {
  id: "the counts of Events, and combined Events",
  category: "noise",
  upstream: "client-go v0.36 tools/record/events_cache.go:EventAggregate",
  why: "the tenth similar Event of a Deployment is combined with the others; which one is the tenth depends on how often a cache was behind",
  matches: ({ what, theirs, ours }) =>
    what === "patch Event 200" ||
    (what === "create Event 201" && JSON.stringify([theirs, ours]).includes("(combined from similar events)")),
};

/** The writes to ReplicaSets in order: `update web-abc with 3`. Patches are omitted, because orphans are adopted in random order. */
function order(effects: readonly Effect[], _names: Names): Entry[] {
  const steps = effects
    .filter(({ resource, code, verb }) => resource === "replicasets.apps" && code < 300 && verb !== "patch")
    .map(({ verb, name, response }) => {
      const size = (response as Partial<Counted> | undefined)?.spec?.replicas;
      return verb === "delete" ? `delete ${name}` : `${verb} ${name} with ${size}`;
    });
  return [{ what: "order", content: { steps } }];
}

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

/**
 * Omits what depends on the order of deltas and syncs, in kube-controller-manager too: the order of conditions, the reason for progress of
 * an incomplete rollout, and which of several ReplicaSets with the same template is named.
 */
function deploymentState(object: AnyObject): object {
  const { spec, status } = object as unknown as Counted;
  const isComplete = ["updatedReplicas", "replicas", "availableReplicas"].every(
    (count) => (status?.[count] ?? 0) === spec.replicas,
  );
  const { conditions = [] } = (status ?? {}) as unknown as { readonly conditions?: readonly Condition[] };
  const comparable = [...conditions]
    .sort((a, b) => (a.type < b.type ? -1 : 1))
    .map((one) => {
      if (one.type !== "Progressing" || one.status === "False" || one.reason === "DeploymentPaused") return one;
      return isComplete ? { ...one, message: "" } : { type: "Progressing", status: "True, or Unknown after a pause" };
    });
  return standing({ ...object, status: { ...status, conditions: comparable } });
}

export const deployments: Suite = {
  name: "deployment",
  oracle: "deployment-controller,replicaset-controller",
  ours: [deployment, replicaset],
  runsWithout: ["garbage-collector", "pod-garbage-collector"],
  kinds: [{ kind: Deployments, compared: deploymentState }, { kind: ReplicaSets }, { kind: Pods, compared: podState }],
  hasPendingWrites: hasPendingEvents,
  isSettled: async (stage) =>
    (await replicasAreSettled(stage)) && (await readinessIsCounted(stage)) && (await deploymentsAreSettled(stage)),
  order,
  scripts,
  random: randomScript,
  seeds: { short: 6, long: 200 },
  differences: [
    namespaceInBody,
    noBodyOfDelete,
    ownFieldManager,
    staleUpdate,
    statusInUpdate,
    adoptedTwice,
    combinedEvents,
  ],
};
