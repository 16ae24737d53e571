/**
 * Whether a claim gets a volume. No volume is bound or provisioned in a dry-run: a claim that certainly gets none keeps its pods
 * waiting, and any other one is taken to be bound, with the reason.
 *
 * Source: kubernetes v1.36 pkg/controller/volume/persistentvolume/pv_controller.go syncUnboundClaim; component-helpers v0.36
 * storage/volume/pv_helpers.go FindMatchingVolume. Differs: one volume may be found for two claims, and nodes are not looked at.
 */
import { objectKey } from "../../api/key.ts";
import { matches, selectorOf } from "../../api/labels.ts";
import type { StoredObject } from "../../api/object.ts";
import { compareQuantities, parseQuantity } from "../../api/quantity.ts";
import type { PersistentVolume, PersistentVolumeClaim } from "../../api/types.ts";
import type { KindName } from "../../trace/names.ts";
import { entryName, type State } from "../../views/state.ts";
import { type Lookup, type Scope, whyUnknown } from "./scope.ts";

/** What is known of the cluster's storage. */
export interface Storage {
  readonly lookup: Lookup;
  /** All PersistentVolumes that are here. */
  readonly volumes: () => Iterable<StoredObject>;
  readonly scope: Scope;
}

/** As far as a state of the cluster shows it. */
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

export type Binding =
  | { readonly is: "bound" }
  | { readonly is: "taken to be bound"; readonly because: string }
  | { readonly is: "waits"; readonly why: string };

type Volume = PersistentVolume & StoredObject;

const volumeKind: KindName = { group: "", kind: "PersistentVolume" };
const classKind: KindName = { group: "storage.k8s.io", kind: "StorageClass" };
/** Of classes that only name volumes which somebody has made. */
const noProvisioner = "kubernetes.io/no-provisioner";

/** What becomes of the claim. */
export function bindingOf(claim: PersistentVolumeClaim, storage: Storage): Binding {
  if (claim.status?.phase === "Bound") return { is: "bound" };
  const { spec } = claim;
  const unknown = whyUnknown(storage.scope, volumeKind, "");
  const named = spec?.volumeName ?? "";
  if (named !== "") {
    if (storage.lookup(volumeKind, objectKey("", named)) !== undefined)
      return taken(`it asks for PersistentVolume ${named}`);
    return unknown === undefined ? waits(`there is no PersistentVolume ${named}`) : taken(notSeen(unknown));
  }
  const fitting = [...storage.volumes()].find((volume) => fits(volume as Volume, claim));
  if (fitting !== undefined) return taken(`PersistentVolume ${fitting.metadata.name} fits`);
  const name = classOf(claim);
  if (name === "") return withoutClass(claim, storage, unknown);
  const found = storage.lookup(classKind, objectKey("", name));
  if (found === undefined) {
    const why = whyUnknown(storage.scope, classKind, "") ?? unknown;
    if (why !== undefined) return taken(`StorageClass ${name} was not looked at: ${why}`);
    return waits(`there is no StorageClass ${name}, and no PersistentVolume fits`);
  }
  const { provisioner = "" } = found as { readonly provisioner?: string };
  if (provisioner !== noProvisioner) return taken(`StorageClass ${name} is to provide its volume`);
  if (unknown !== undefined) return taken(notSeen(unknown));
  return waits(`no PersistentVolume fits, and StorageClass ${name} provides none`);
}

function withoutClass(claim: PersistentVolumeClaim, { scope }: Storage, unknown: string | undefined): Binding {
  // Admission has given the default class, where there is one.
  const isOpen = claim.spec?.storageClassName === undefined;
  const noClasses = isOpen ? whyUnknown(scope, classKind, "") : undefined;
  if (noClasses !== undefined) return taken(`whether there is a default StorageClass was not looked at: ${noClasses}`);
  if (unknown !== undefined) return taken(notSeen(unknown));
  return waits(`it ${isOpen ? "gets" : "asks for"} no StorageClass, and no PersistentVolume fits`);
}

function notSeen(why: string): string {
  return `PersistentVolumes were not looked at: ${why}`;
}

function taken(because: string): Binding {
  return { is: "taken to be bound", because };
}

function waits(why: string): Binding {
  return { is: "waits", why };
}

/** Before the field there was an annotation, and it goes first. */
function classOf({ metadata, spec }: PersistentVolumeClaim | Volume): string {
  return metadata.annotations?.["volume.beta.kubernetes.io/storage-class"] ?? spec?.storageClassName ?? "";
}

const inUse: ReadonlySet<string> = new Set(["Bound", "Released", "Failed"]);

/** A volume that is new has no phase yet, and will be Available. */
function fits(volume: Volume, claim: PersistentVolumeClaim): boolean {
  const { spec, status, metadata } = volume;
  if (metadata.deletionTimestamp !== undefined) return false;
  if ((spec?.volumeMode ?? "Filesystem") !== (claim.spec?.volumeMode ?? "Filesystem")) return false;
  if (!isLargeEnough(spec?.capacity?.["storage"], claim.spec?.resources?.requests?.["storage"])) return false;
  const owner = spec?.claimRef;
  if (owner !== undefined) {
    const isOurs = owner.name === claim.metadata.name && owner.namespace === claim.metadata.namespace;
    return isOurs && [undefined, "", claim.metadata.uid].includes(owner.uid);
  }
  if (inUse.has(status?.phase ?? "") || classOf(volume) !== classOf(claim)) return false;
  const { selector, accessModes = [] } = claim.spec ?? {};
  if (selector !== undefined && !matches(selectorOf(selector), metadata.labels)) return false;
  return accessModes.every((mode) => spec?.accessModes?.includes(mode) === true);
}

function isLargeEnough(capacity = "0", request = "0"): boolean {
  const [has, wants] = [parseQuantity(capacity), parseQuantity(request)];
  return has !== undefined && wants !== undefined && compareQuantities(has, wants) >= 0;
}
