/** Unbound claims that applied objects need. */
import { type ObjectKey, objectKey } from "../../api/key.ts";
import { Pods } from "../../api/kinds.ts";
import type { StoredObject } from "../../api/object.ts";
import type { KindName } from "../../trace/names.ts";
import type { AppliedChange } from "./apply.ts";
import type { Pod, StatefulSet } from "../../api/types.ts";
import { claimNames } from "../../controllers/statefulset/claims.ts";
import { desiredReplicas, startOrdinal } from "../../controllers/statefulset/spec.ts";
import { entryName, type State } from "../../views/state.ts";
import { type Binding, bindingOf, storageIn } from "./claims.ts";
import { ownedBy } from "./owned-by.ts";
import { ephemeralClaimsOf, podSpecOf, type Reference, referencesOf } from "./references.ts";
import type { Scope } from "./scope.ts";

const claimKind: KindName = { group: "", kind: "PersistentVolumeClaim" };

/** An unbound claim, and whether it will be bound. */
export interface OpenClaim {
  readonly of: KindName;
  readonly key: ObjectKey;
  readonly binding: Exclude<Binding, { readonly is: "bound" }>;
}

/**
 * The unbound claims among the applied objects, those that they refer to, and those that exist for their pods: of StatefulSets, and of
 * ephemeral volumes.
 */
export function openClaims(
  done: readonly AppliedChange[],
  { state, scope }: { readonly state: State; readonly scope: Scope },
): readonly OpenClaim[] {
  const storage = storageIn(state, scope);
  const keys = done.flatMap(({ of, key, did, isCustom }) => {
    const object = state.get(entryName(of, key))?.object;
    if (object === undefined || did === "deleted" || isCustom === true) return [];
    if (of.group === "" && of.kind === claimKind.kind) return [key];
    if (of.group === "apps" && of.kind === "StatefulSet") return claimsOfSet(object);
    const named = referencesOf(object).filter(({ to }) => to.group === "" && to.kind === claimKind.kind);
    return [...named, ...ephemeralClaims(object, state)].map(({ namespace, name }) => objectKey(namespace, name));
  });
  return [...new Set(keys)].flatMap((key) => {
    const claim = storage.lookup(claimKind, key);
    const binding = claim === undefined ? undefined : bindingOf(claim, storage);
    return binding === undefined || binding.is === "bound" ? [] : [{ of: claimKind, key, binding }];
  });
}

/** The claims of the ephemeral volumes of a pod, or of the pods of a workload. */
function ephemeralClaims(object: StoredObject, state: State): readonly Reference[] {
  const hasSome = podSpecOf(object)?.spec.volumes?.some(({ ephemeral }) => ephemeral !== undefined) === true;
  // Finding what an object owns takes a pass over the state.
  if (!hasSome) return [];
  // Objects of the kind Pods are pods.
  const pods = [object, ...ownedBy(object, state)].filter(({ kind }) => kind === Pods.kind) as Pod[];
  return pods.flatMap(ephemeralClaimsOf);
}

function claimsOfSet(set: StatefulSet): ObjectKey[] {
  const { namespace } = set.metadata;
  const ordinals = Array.from({ length: desiredReplicas(set) }, (_, n) => startOrdinal(set) + n);
  return ordinals.flatMap((ordinal) => claimNames(set, ordinal).map(({ name }) => objectKey(namespace, name)));
}
