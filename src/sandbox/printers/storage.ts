/** Tables of volumes and their classes. Source: as workloads.ts. */
import { type ApiObject } from "../meta/object.ts";
import { age, type Cells, textAt } from "./cells.ts";

const shortModes = {
  ReadWriteOnce: "RWO",
  ReadOnlyMany: "ROX",
  ReadWriteMany: "RWX",
  ReadWriteOncePod: "RWOP",
} as const;

function modesText(modes: unknown): string {
  const named = Array.isArray(modes) ? modes : [];
  return Object.entries(shortModes)
    .filter(([mode]) => named.includes(mode))
    .map(([, short]) => short)
    .join(",");
}

const phaseOf = (object: ApiObject): string =>
  object.metadata.deletionTimestamp === undefined ? textAt(object, ["status", "phase"], "") : "Terminating";

/** The class in the field, or in the annotation that preceded it. */
const classOf = (object: ApiObject): string =>
  object.metadata.annotations?.["volume.beta.kubernetes.io/storage-class"] ??
  textAt(object, ["spec", "storageClassName"], "");

const volume: Cells = (object, now) => {
  const namespace = textAt(object, ["spec", "claimRef", "namespace"], "");
  return [
    object.metadata.name,
    textAt(object, ["spec", "capacity", "storage"], "0"),
    modesText(object.spec?.["accessModes"]),
    textAt(object, ["spec", "persistentVolumeReclaimPolicy"], ""),
    phaseOf(object),
    object.spec?.["claimRef"] === undefined ? "" : `${namespace}/${textAt(object, ["spec", "claimRef", "name"], "")}`,
    classOf(object),
    textAt(object, ["spec", "volumeAttributesClassName"], "<unset>"),
    textAt(object, ["status", "reason"], ""),
    age(object, now),
    textAt(object, ["spec", "volumeMode"], "<unset>"),
  ];
};

const claim: Cells = (object, now) => {
  const bound = textAt(object, ["spec", "volumeName"], "");
  return [
    object.metadata.name,
    phaseOf(object),
    bound,
    bound === "" ? "" : textAt(object, ["status", "capacity", "storage"], "0"),
    bound === "" ? "" : modesText(object.status?.["accessModes"]),
    classOf(object),
    textAt(object, ["spec", "volumeAttributesClassName"], "<unset>"),
    age(object, now),
    textAt(object, ["spec", "volumeMode"], "<unset>"),
  ];
};

const defaultClass = "storageclass.kubernetes.io/is-default-class";

const storageClass: Cells = (object, now) => {
  const { annotations = {}, name = "" } = object.metadata;
  const isDefault = [defaultClass, `storageclass.beta.kubernetes.io/is-default-class`].some(
    (key) => annotations[key] === "true",
  );
  return [
    `${name}${isDefault ? " (default)" : ""}`,
    textAt(object, ["provisioner"], ""),
    textAt(object, ["reclaimPolicy"], "Delete"),
    textAt(object, ["volumeBindingMode"], "Immediate"),
    object["allowVolumeExpansion"] === true,
    age(object, now),
  ];
};

/** By storage name. */
export const storageTables: Readonly<Record<string, Cells>> = {
  persistentvolumes: volume,
  persistentvolumeclaims: claim,
  "storageclasses.storage.k8s.io": storageClass,
};
