/** Unbound claims that applied objects need. */
import { type ObjectKey, objectKey } from "../../api/key.ts";
import type { KindName } from "../../trace/names.ts";
import type { AppliedChange } from "./apply.ts";
import type { StatefulSet } from "../../api/types.ts";
import { claimNames } from "../../controllers/statefulset/claims.ts";
import { desiredReplicas, startOrdinal } from "../../controllers/statefulset/spec.ts";
import { type Binding, bindingOf, type Storage } from "./claims.ts";
import { referencesOf } from "./references.ts";

const claimKind: KindName = { group: "", kind: "PersistentVolumeClaim" };

/** An unbound claim, and whether it will be bound. */
export interface OpenClaim {
  readonly of: KindName;
  readonly key: ObjectKey;
  readonly binding: Exclude<Binding, { readonly is: "bound" }>;
}

/** The unbound claims among the applied objects, those that they refer to, and those that StatefulSets among them have for their pods. */
export function openClaims(done: readonly AppliedChange[], storage: Storage): readonly OpenClaim[] {
  const keys = done.flatMap(({ of, key, did, isCustom }) => {
    const object = storage.lookup(of, key);
    if (object === undefined || did === "deleted" || isCustom === true) return [];
    if (of.group === "" && of.kind === claimKind.kind) return [key];
    if (of.group === "apps" && of.kind === "StatefulSet") return claimsOfSet(object);
    const named = referencesOf(object).filter(({ to }) => to.group === "" && to.kind === claimKind.kind);
    return named.map(({ namespace, name }) => objectKey(namespace, name));
  });
  return [...new Set(keys)].flatMap((key) => {
    const claim = storage.lookup(claimKind, key);
    const binding = claim === undefined ? undefined : bindingOf(claim, storage);
    return binding === undefined || binding.is === "bound" ? [] : [{ of: claimKind, key, binding }];
  });
}

function claimsOfSet(set: StatefulSet): ObjectKey[] {
  const { namespace } = set.metadata;
  const ordinals = Array.from({ length: desiredReplicas(set) }, (_, n) => startOrdinal(set) + n);
  return ordinals.flatMap((ordinal) => claimNames(set, ordinal).map(({ name }) => objectKey(namespace, name)));
}
