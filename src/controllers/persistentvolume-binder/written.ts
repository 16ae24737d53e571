/**
 * The controller's last writes. Binding takes four writes, which reach the cache one by one: judging by the cache alone would bind what is
 * already bound.
 * Source: kubernetes v1.36 pkg/controller/volume/persistentvolume/pv_controller_base.go storeObjectUpdate.
 */
import type { ObjectKey } from "../../api/key.ts";
import { keyOf, objectKey } from "../../api/key.ts";
import { PersistentVolumeClaims, PersistentVolumes } from "../../api/kinds.ts";
import type { StoredObject } from "../../api/object.ts";
import { compareResourceVersions } from "../../api/resource-version.ts";
import type { PersistentVolume, PersistentVolumeClaim } from "../../api/types.ts";
import type { WatchContext } from "../../controller/api/definition.ts";
import { type RunState, runState } from "../../controller/api/run-state.ts";
import type { SyncContext } from "../../controller/api/sync-context.ts";

/** The newest versions of objects of one kind, from write responses, until the cache shows them. */
class Written<T extends StoredObject> {
  #byKey = new Map<ObjectKey, T>();

  note(object: T): T {
    this.#byKey.set(keyOf(object), object);
    return object;
  }

  forget({ metadata }: T, key: ObjectKey): void {
    if (this.#byKey.get(key)?.metadata.uid === metadata.uid) this.#byKey.delete(key);
  }

  keys(): Iterable<ObjectKey> {
    return this.#byKey.keys();
  }

  newest(cached: T): T {
    const key = keyOf(cached);
    const own = this.#byKey.get(key);
    if (own === undefined) return cached;
    const isAhead =
      own.metadata.uid === cached.metadata.uid &&
      (compareResourceVersions(own.metadata.resourceVersion, cached.metadata.resourceVersion) ?? -1) > 0;
    if (isAhead) return own;
    this.#byKey.delete(key);
    return cached;
  }
}

const writtenClaims: RunState<Written<PersistentVolumeClaim>> = runState(() => new Written<PersistentVolumeClaim>(), {
  remembersWrites: true,
});
const writtenVolumes: RunState<Written<PersistentVolume>> = runState(() => new Written<PersistentVolume>(), {
  remembersWrites: true,
});

type Caches = Pick<SyncContext | WatchContext, "cache" | "state">;

/** The latest known claim; undefined if the cache has none. */
export function claimOf(context: Caches, key: ObjectKey): PersistentVolumeClaim | undefined {
  const cached = context.cache(PersistentVolumeClaims).get(key);
  return cached === undefined ? undefined : context.state(writtenClaims).newest(cached);
}

/** The latest known volume; undefined if the cache has none. */
export function volumeNamed(context: Caches, name: string): PersistentVolume | undefined {
  const cached = context.cache(PersistentVolumes).get(name);
  return cached === undefined ? undefined : context.state(writtenVolumes).newest(cached);
}

/** The claim that a volume is for. */
export type ClaimRef = NonNullable<NonNullable<PersistentVolume["spec"]>["claimRef"]>;

/** `namespace/name` of the claim that a volume is for. */
export function keyOfRef({ namespace = "", name = "" }: ClaimRef): ObjectKey {
  return objectKey(namespace, name);
}

/** The index of volumes by the claim that they are for. */
export const claimantIndex = "claimant";

const unclaimed = "";

/** The value of a volume in `claimantIndex`. */
export function claimantOf({ spec }: PersistentVolume): readonly string[] {
  return [spec?.claimRef === undefined ? unclaimed : keyOfRef(spec.claimRef)];
}

/** All volumes that a claim may get, in their latest known versions. */
export function volumesFor(context: Caches, claim: PersistentVolumeClaim): readonly PersistentVolume[] {
  const cache = context.cache(PersistentVolumes);
  const written = context.state(writtenVolumes);
  const claimants = [unclaimed, keyOf(claim)];
  const indexed = claimants.flatMap((claimant) => cache.byIndex(claimantIndex, claimant));
  // In the index, a volume may still have the claim from before the last write.
  const others = [...written.keys()]
    .flatMap((name) => cache.get(name) ?? [])
    .filter((volume) => !claimantOf(volume).some((claimant) => claimants.includes(claimant)));
  return [...indexed, ...others].map((volume) => written.newest(volume));
}

/** Whether the cache shows an older version than the last write: the sync is too early. */
export function isClaimBehind(context: Caches, key: ObjectKey): boolean {
  return claimOf(context, key) !== context.cache(PersistentVolumeClaims).get(key);
}

/** As `isClaimBehind`, for a volume. */
export function isVolumeBehind(context: Caches, name: string): boolean {
  return volumeNamed(context, name) !== context.cache(PersistentVolumes).get(name);
}

/** Records the response to a write, and returns it. */
export function noteClaim(context: Caches, claim: PersistentVolumeClaim): PersistentVolumeClaim {
  return context.state(writtenClaims).note(claim);
}

/** Records the response to a write, and returns it. */
export function noteVolume(context: Caches, volume: PersistentVolume): PersistentVolume {
  return context.state(writtenVolumes).note(volume);
}

/** The claim is gone. */
export function forgetClaim(context: Caches, claim: PersistentVolumeClaim): void {
  context.state(writtenClaims).forget(claim, keyOf(claim));
}

/** The volume is gone. */
export function forgetVolume(context: Caches, volume: PersistentVolume): void {
  context.state(writtenVolumes).forget(volume, keyOf(volume));
}
