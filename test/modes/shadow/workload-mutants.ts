/** Workload controllers that have lost a behaviour. */
import { type Kind, resourceOf } from "../../../src/api/kind.ts";
import { PersistentVolumeClaims } from "../../../src/api/kinds.ts";
import type { SyncClient, SyncContext } from "../../../src/controller/api/sync-context.ts";
import { type Mutant, noneReady, oneTooFew, skipsDeletions, withClient } from "./mutants.ts";

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
        ? // The caller does not look at it.
          Promise.resolve(object)
        : client.create(kind, object, options),
  };
}

function noPatches({ client }: SyncContext): SyncClient {
  // The caller looks at whose it is.
  return { ...client, patch: (_kind, _at, _patch, { basedOn }) => Promise.resolve(basedOn as never) };
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
