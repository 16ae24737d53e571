/** Controllers that have lost a behavior, which the comparison with the real ones must detect. */
import { resourceOf, type Kind } from "../../../src/api/kind.ts";
import { Pods, ReplicaSets } from "../../../src/api/kinds.ts";
import type { ObjectMeta, StoredObject } from "../../../src/api/object.ts";
import { controllerOf } from "../../../src/api/owner-references.ts";
import type { Pod, ReplicaSet } from "../../../src/api/types.ts";
import type { Lister } from "../../../src/cache/lister.ts";
import type { SyncClient, SyncContext } from "../../../src/controller/api/sync-context.ts";
import type { Mutation } from "./recorder.ts";

export interface Mutant {
  /** Name of the controller. */
  readonly controller: string;
  /** What it does wrong. */
  readonly does: string;
  /** The write that shows the difference: `delete pods`. */
  readonly shownBy: string;
  /** Whose write that is. Default: the owner's, which the mutant does not intend. */
  readonly shownOf?: "owner" | "ours";
  readonly mutation: Mutation;
}

export const mutants: readonly Mutant[] = [
  {
    controller: "replicaset",
    does: "never deletes a pod",
    shownBy: "delete pods",
    mutation: skipsDeletions,
  },
  { controller: "replicaset", does: "creates one pod too few", shownBy: "create pods", mutation: oneTooFew },
  {
    controller: "replicaset",
    does: "never releases a pod",
    shownBy: "patch pods",
    mutation: withClient(neverReleases),
  },
  {
    controller: "replicaset",
    does: "counts no pod as ready",
    shownBy: "update replicasets.apps/status",
    mutation: noneReady,
  },
  {
    controller: "garbage-collector",
    does: "never deletes an object whose owner is absent",
    shownBy: "delete configmaps",
    mutation: skipsDeletions,
  },
  {
    controller: "deployment",
    does: "never scales an old ReplicaSet down",
    shownBy: "update replicasets.apps",
    mutation: withClient(oldStay),
  },
];

/** Deletes nothing. */
export function skipsDeletions(context: SyncContext): SyncContext {
  return { ...context, client: { ...context.client, delete: () => Promise.resolve({}) } };
}

/** A mutation that replaces the client. */
export function withClient(client: (context: SyncContext) => SyncClient): Mutation {
  return (context) => ({ ...context, client: client(context) });
}

export function is(kind: Kind, other: Kind): boolean {
  return resourceOf(kind) === resourceOf(other);
}

/** Skips the first creation of each sync. */
export function oneTooFew(context: SyncContext): SyncContext {
  const { client } = context;
  let left = 1;
  return {
    ...context,
    client: {
      ...client,
      create(kind, object, options) {
        if (left-- <= 0) return client.create(kind, object, options);
        const { metadata } = object;
        const name = `${metadata.generateName ?? ""}none`;
        // The caller only uses the name.
        return Promise.resolve({ ...object, metadata: { ...metadata, name } } as never);
      },
    },
  };
}

function neverReleases({ client }: SyncContext): SyncClient {
  return {
    ...client,
    patch: (kind, at, patch, options) =>
      is(kind, Pods) && JSON.stringify(patch.body).includes('"$patch":"delete"')
        ? // The caller ignores it.
          Promise.resolve({} as never)
        : client.patch(kind, at, patch, options),
  };
}

/** All pods appear without conditions. */
export function noneReady(context: SyncContext): SyncContext {
  const unready = (pod: Pod): Pod => ({ ...pod, status: { ...pod.status, conditions: [] } });
  return {
    ...context,
    cache<T extends StoredObject>(kind: Kind<T>): Lister<T> {
      const lister = context.cache(kind);
      if (!is(kind, Pods)) return lister;
      // Objects of the kind Pods are pods.
      const altered = (objects: T[]): T[] => (objects as unknown as Pod[]).map(unready) as unknown as T[];
      return {
        ...lister,
        list: (namespace) => altered(lister.list(namespace)),
        listSelected: (namespace, selector) => altered(lister.listSelected(namespace, selector)),
        byIndex: (index, value) => altered(lister.byIndex(index, value)),
      };
    },
  };
}

function oldStay(context: SyncContext): SyncClient {
  const { client } = context;
  const revision = ({ metadata }: { readonly metadata: ObjectMeta }): number =>
    Number(metadata.annotations?.["deployment.kubernetes.io/revision"] ?? 0);
  return {
    ...client,
    update(kind, object, options) {
      const { namespace, name } = object.metadata;
      const all = is(kind, ReplicaSets) ? context.cache(ReplicaSets).list(namespace) : [];
      const its = all.filter((set) => controllerOf(set)?.uid === controllerOf(object)?.uid);
      const before = its.find(({ metadata }) => metadata.name === name)?.spec?.replicas ?? 0;
      // An object of the kind ReplicaSets is a ReplicaSet.
      const after = (object as unknown as ReplicaSet).spec?.replicas ?? 0;
      const isOld = its.some((set) => revision(set) > revision(object));
      return isOld && after < before ? Promise.resolve(object as never) : client.update(kind, object, options);
    },
  };
}

/** A cache whose lists of a kind are empty. */
export function listsNone(left: Kind): Mutation {
  return (context) => ({
    ...context,
    cache<T extends StoredObject>(kind: Kind<T>): Lister<T> {
      const lister = context.cache(kind);
      return is(kind, left) ? { ...lister, list: () => [] } : lister;
    },
  });
}

/** A client that sends no patches. */
export function noPatches({ client }: SyncContext): SyncClient {
  // The caller checks the owner.
  return { ...client, patch: (_kind, _at, _patch, { basedOn }) => Promise.resolve(basedOn as never) };
}

/** A client that does not send updates of a kind. */
export function withoutUpdates(left: Kind): (context: SyncContext) => SyncClient {
  return ({ client }) => ({
    ...client,
    update: (kind, object, options) =>
      // The caller ignores it.
      is(kind, left) ? Promise.resolve(object as never) : client.update(kind, object, options),
  });
}
