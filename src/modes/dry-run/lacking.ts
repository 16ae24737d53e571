/** Whether the target of a reference exists, and what keeps the containers of a pod from starting. */
import { objectKey } from "../../api/key.ts";
import type { StoredObject } from "../../api/object.ts";
import type { Pod } from "../../api/types.ts";
import type { KindName } from "../../trace/names.ts";
import { bindingOf, type Storage } from "./claims.ts";
import { deviceLack } from "./device-claims.ts";
import { ephemeralClaimsOf, type Reference, referencesOfPods } from "./references.ts";
import { type Lookup, whyTargetUnknown, whyUnknown } from "./scope.ts";

/**
 * What keeps the containers of a pod from starting: `there is no ConfigMap shop/settings
 * (.spec.volumes[0].configMap.name)`.
 */
export function whatPodLacks(pod: Pod & StoredObject, storage: Storage): string | undefined {
  return firstLack(pod, { storage }) ?? deviceLack(pod, storage);
}

/** What keeps a pod from being placed: a claim that does not exist, or that gets no volume or no devices. */
export function claimPodLacks(pod: Pod & StoredObject, storage: Storage): string | undefined {
  return firstLack(pod, { storage, only: claimKind }) ?? deviceLack(pod, storage);
}

const claimKind = "PersistentVolumeClaim";

/** The first reference that holds up the pod; with `only`, among those to objects of that kind. */
function firstLack(
  pod: Pod & StoredObject,
  { storage, only }: { readonly storage: Storage; readonly only?: string },
): string | undefined {
  const { lookup, scope } = storage;
  const { namespace = "" } = pod.metadata;
  if (pod.spec === undefined) return undefined;
  for (const reference of [...referencesOfPods(pod.spec, ".spec", namespace), ...ephemeralClaimsOf(pod)]) {
    if (only !== undefined && reference.to.kind !== only) continue;
    if (!reference.holdsPods || reference.isOptional) continue;
    const gone = missing(reference, lookup);
    if (gone !== undefined && whyTargetUnknown(scope, reference) !== undefined) continue;
    const why =
      gone ?? (whyUnknown(scope, reference.to, namespace) === undefined ? unbound(reference, storage) : undefined);
    if (why !== undefined) return `${why} (${reference.field})`;
  }
  return undefined;
}

/** Why the referenced claim gets no volume. */
function unbound({ to, namespace, name }: Reference, storage: Storage): string | undefined {
  if (to.kind !== claimKind) return undefined;
  const key = objectKey(namespace, name);
  const claim = storage.lookup(to, key);
  const binding = claim === undefined ? undefined : bindingOf(claim, storage);
  return binding?.is === "waits" ? `claim ${key} stays Pending: ${binding.why}` : undefined;
}

/** Why the reference is dangling; undefined if its target exists, or exists in every cluster. */
export function missing({ to, namespace, name, dataKey }: Reference, lookup: Lookup): string | undefined {
  if (isMadeByCluster(to, name)) return undefined;
  const object = lookup(to, objectKey(namespace, name));
  if (object === undefined) {
    if (to.kind === claimKind) return `there is no claim ${objectKey(namespace, name)}`;
    return `there is no ${to.kind} ${objectKey(namespace, name)}`;
  }
  if (dataKey === undefined) return undefined;
  const { data, binaryData, type } = object as Contents;
  // The keys of a Secret read as metadata only are unknown.
  if (to.kind === "Secret" && type === undefined) return undefined;
  const isThere = dataKey in (data ?? {}) || dataKey in (binaryData ?? {});
  return isThere ? undefined : `${to.kind} ${objectKey(namespace, name)} has no key ${JSON.stringify(dataKey)}`;
}

interface Contents {
  readonly data?: object;
  readonly binaryData?: object;
  readonly type?: string;
}

/** Objects that every namespace or every cluster has. */
function isMadeByCluster({ kind }: KindName, name: string): boolean {
  switch (kind) {
    case "ConfigMap":
      return name === "kube-root-ca.crt";
    case "ServiceAccount":
      return name === "default";
    case "PriorityClass":
      return name === "system-cluster-critical" || name === "system-node-critical";
    default:
      return false;
  }
}
