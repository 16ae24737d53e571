/**
 * Whether a claim gets a volume. A dry run neither binds nor provisions volumes: a claim that certainly gets none keeps its pods pending;
 * any other is assumed to be bound, with the reason.
 *
 * Source: kubernetes v1.36 pkg/controller/volume/persistentvolume/pv_controller.go syncUnboundClaim; component-helpers v0.36
 * storage/volume/pv_helpers.go FindMatchingVolume. Differs: one volume may match two claims, and nodes are not considered.
 */
import { objectKey } from "../../api/key.ts";
import { matches, selectorOf } from "../../api/labels.ts";
import type { StoredObject } from "../../api/object.ts";
import { compareQuantities } from "../../api/quantity.ts";
import type { PersistentVolume, PersistentVolumeClaim } from "../../api/types.ts";
import {
  capacityOf,
  classOfClaim,
  classOfVolume,
  hasAccessModes,
  isVolumeOf,
  modesDiffer,
  requestOf,
} from "../../api/storage/volume-binding.ts";
import type { KindName } from "../../trace/names.ts";
import { entryName, type State } from "../../views/state.ts";
import { type Lookup, type Scope, whyUnknown } from "./scope.ts";

/** What is known about the cluster's storage. */
export interface Storage {
  readonly lookup: Lookup;
  /** All known PersistentVolumes. */
  readonly volumes: () => Iterable<StoredObject>;
  readonly scope: Scope;
}

/** The storage in a state of the cluster. */
export function storageIn(state: State, scope: Scope): Storage {
  return {
    lookup: (of, key) => state.get(entryName(of, key))?.object,
    volumes: () =>
      [...state.values()]
        .filter(({ of }) => of.group === "" && of.kind === volumeKind.kind)
        .map(({ object }) => object),
    scope,
  };
}

/** `assumed to be bound (StorageClass fast provisions its volume)`. */
export const assumptionText = ({ because }: { readonly because: string }): string => `assumed to be bound (${because})`;

/** Whether a claim is bound, is assumed to be, or waits. */
export type Binding =
  | { readonly is: "bound" }
  | { readonly is: "assumed to be bound"; readonly because: string }
  | { readonly is: "waits"; readonly why: string };

type Volume = PersistentVolume & StoredObject;

const volumeKind: KindName = { group: "", kind: "PersistentVolume" };
const classKind: KindName = { group: "storage.k8s.io", kind: "StorageClass" };
/** The provisioner of classes for manually created volumes. */
const noProvisioner = "kubernetes.io/no-provisioner";

/** Whether the claim is or would be bound. */
export function bindingOf(claim: PersistentVolumeClaim, storage: Storage): Binding {
  if (claim.status?.phase === "Bound") return { is: "bound" };
  const { spec } = claim;
  const unknown = whyUnknown(storage.scope, volumeKind, "");
  const named = spec?.volumeName ?? "";
  if (named !== "") {
    if (storage.lookup(volumeKind, objectKey("", named)) !== undefined)
      return assumed(`it requests PersistentVolume ${named}`);
    return unknown === undefined ? waits(`there is no PersistentVolume ${named}`) : assumed(notSeen(unknown));
  }
  const fitting = [...storage.volumes()].find((volume) => fits(volume as Volume, claim));
  if (fitting !== undefined) return assumed(`PersistentVolume ${fitting.metadata.name} matches`);
  const name = classOfClaim(claim);
  if (name === "") return withoutClass(claim, storage, unknown);
  const found = storage.lookup(classKind, objectKey("", name));
  if (found === undefined) {
    const why = whyUnknown(storage.scope, classKind, "") ?? unknown;
    if (why !== undefined) return assumed(`StorageClass ${name} was not checked: ${why}`);
    return waits(`there is no StorageClass ${name}, and no PersistentVolume matches`);
  }
  const { provisioner = "" } = found as { readonly provisioner?: string };
  if (provisioner !== noProvisioner) return assumed(`StorageClass ${name} provisions its volume`);
  if (unknown !== undefined) return assumed(notSeen(unknown));
  return waits(`no PersistentVolume matches, and StorageClass ${name} provisions none`);
}

function withoutClass(claim: PersistentVolumeClaim, { scope }: Storage, unknown: string | undefined): Binding {
  // Admission has set the default class, if there is one.
  const isOpen = claim.spec?.storageClassName === undefined;
  const noClasses = isOpen ? whyUnknown(scope, classKind, "") : undefined;
  if (noClasses !== undefined) return assumed(`whether there is a default StorageClass was not checked: ${noClasses}`);
  if (unknown !== undefined) return assumed(notSeen(unknown));
  return waits(`it ${isOpen ? "gets" : "requests"} no StorageClass, and no PersistentVolume matches`);
}

function notSeen(why: string): string {
  return `PersistentVolumes were not checked: ${why}`;
}

function assumed(because: string): Binding {
  return { is: "assumed to be bound", because };
}

function waits(why: string): Binding {
  return { is: "waits", why };
}

const inUse: ReadonlySet<string> = new Set(["Bound", "Released", "Failed"]);

/** A new volume has no phase yet, and will become Available. */
function fits(volume: Volume, claim: PersistentVolumeClaim): boolean {
  const { spec, status, metadata } = volume;
  if (metadata.deletionTimestamp !== undefined || modesDiffer(claim, volume)) return false;
  if (compareQuantities(capacityOf(volume), requestOf(claim)) < 0) return false;
  if (spec?.claimRef !== undefined) return isVolumeOf(volume, claim);
  if (inUse.has(status?.phase ?? "") || classOfVolume(volume) !== classOfClaim(claim)) return false;
  const { selector } = claim.spec ?? {};
  if (selector !== undefined && !matches(selectorOf(selector), metadata.labels)) return false;
  return hasAccessModes(volume, claim);
}
