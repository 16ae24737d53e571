/** Workload controllers that have lost a behavior. */
import { type Kind, resourceOf } from "../../../src/api/kind.ts";
import { PersistentVolumeClaims, Pods } from "../../../src/api/kinds.ts";
import type { StoredObject } from "../../../src/api/object.ts";
import type { Pod } from "../../../src/api/types.ts";
import type { Lister } from "../../../src/cache/lister.ts";
import type { SyncClient, SyncContext } from "../../../src/controller/api/sync-context.ts";
import { is, type Mutant, noneReady, noPatches, oneTooFew, skipsDeletions, withClient } from "./mutants.ts";

export const workloadMutants: readonly Mutant[] = [
  {
    controller: "statefulset",
    does: "never deletes a pod",
    shownBy: "delete pods",
    mutation: skipsDeletions,
  },
  {
    controller: "statefulset",
    does: "makes no claims",
    shownBy: "create persistentvolumeclaims",
    mutation: withClient(noClaims),
  },
  { controller: "daemonset", does: "passes over a node", shownBy: "create pods", mutation: oneTooFew },
  { controller: "daemonset", does: "never deletes a pod", shownBy: "delete pods", mutation: skipsDeletions },
  { controller: "job", does: "keeps finalizers", shownBy: "patch pods", mutation: withClient(noPatches) },
  { controller: "job", does: "creates one pod too few", shownBy: "create pods", mutation: oneTooFew },
];

export const scheduledMutants: readonly Mutant[] = [
  { controller: "cronjob", does: "keeps its whole history", shownBy: "delete jobs.batch", mutation: skipsDeletions },
  {
    controller: "ttl-after-finished",
    does: "deletes in the background",
    shownBy: "delete jobs.batch",
    mutation: withClient(inBackground),
  },
  {
    controller: "disruption",
    does: "counts no pod as healthy",
    shownBy: "update poddisruptionbudgets.policy/status",
    mutation: noneReady,
  },
  {
    controller: "disruption",
    does: "never takes a stale condition back",
    shownBy: "update pods/status",
    mutation: withClient(noPodStatuses),
  },
  {
    controller: "disruption",
    does: "takes a condition back at once",
    shownBy: "update pods/status",
    shownOf: "ours",
    mutation: longAgo,
  },
];

export const autoscalerMutants: readonly Mutant[] = [
  {
    controller: "horizontal-pod-autoscaler",
    does: "scales to one too many",
    shownBy: "update deployments.apps/scale",
    mutation: withClient(oneTooMany),
  },
];

function noClaims({ client }: SyncContext): SyncClient {
  return {
    ...client,
    create: (kind: Kind, object: never, options: never) =>
      resourceOf(kind) === resourceOf(PersistentVolumeClaims)
        ? // The caller ignores it.
          Promise.resolve(object)
        : client.create(kind, object, options),
  };
}

function noPodStatuses({ client }: SyncContext): SyncClient {
  return {
    ...client,
    updateStatus: (kind, object, options) =>
      // The caller ignores it.
      is(kind, Pods) ? Promise.resolve(object) : client.updateStatus(kind, object, options),
  };
}

/** Pods that are looked up by name got their conditions long ago. */
function longAgo(context: SyncContext): SyncContext {
  const aged = (pod: Pod): Pod => {
    const conditions = pod.status?.conditions?.map((each) => ({ ...each, lastTransitionTime: "2000-01-01T00:00:00Z" }));
    return conditions === undefined ? pod : { ...pod, status: { ...pod.status, conditions } };
  };
  return {
    ...context,
    cache<T extends StoredObject>(kind: Kind<T>): Lister<T> {
      const lister = context.cache(kind);
      if (!is(kind, Pods)) return lister;
      return {
        ...lister,
        get(key) {
          const object = lister.get(key);
          // Objects of the kind Pods are pods.
          return object === undefined ? undefined : (aged(object) as unknown as T);
        },
      };
    },
  };
}

function inBackground({ client }: SyncContext): SyncClient {
  return {
    ...client,
    delete: (kind, at, options) => client.delete(kind, at, { ...options, propagationPolicy: "Background" }),
  };
}

function oneTooMany({ client }: SyncContext): SyncClient {
  return {
    ...client,
    updateScale: (kind, at, scale, options) =>
      client.updateScale(
        kind,
        at,
        { ...scale, spec: { ...scale.spec, replicas: (scale.spec?.replicas ?? 0) + 1 } },
        options,
      ),
  };
}
