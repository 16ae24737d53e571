/** Where a volume's storage is. Source: kubernetes v1.36 pkg/apis/core/validation/validation.go ValidatePersistentVolumeSpec. */
import { invalid, notSupported, required, type FieldError } from "../../field-errors.ts";
import { isFields, textOf, type Fields } from "../../object.ts";
import { driverNameErrors, isNumber, labelNameErrors, textsIn } from "../checks.ts";

type SourceErrors = (source: Fields, field: string) => FieldError[];

const needs =
  (...keys: readonly string[]): SourceErrors =>
  (source, field) =>
    keys.flatMap((key) => (isEmpty(source[key]) ? [required(`${field}.${key}`)] : []));

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === "" || (Array.isArray(value) && value.length === 0);

function pathErrors(value: unknown, field: string): FieldError[] {
  const path = textOf(value);
  if (path === "") return [required(field)];
  return path.split("/").includes("..") ? [invalid(field, path, "must not contain '..'")] : [];
}

const hostPathTypes = [
  "",
  "BlockDevice",
  "CharDevice",
  "Directory",
  "DirectoryOrCreate",
  "File",
  "FileOrCreate",
  "Socket",
];

const hostPath: SourceErrors = ({ path, type }, field) => {
  const errors = pathErrors(path, `${field}.path`);
  if (textOf(path) === "" || hostPathTypes.includes(textOf(type))) return errors;
  return [...errors, notSupported(`${field}.type`, type, hostPathTypes)];
};

const nfs: SourceErrors = (source, field) => {
  const path = textOf(source["path"]);
  const errors = needs("server", "path")(source, field);
  return path.startsWith("/") ? errors : [...errors, invalid(`${field}.path`, path, "must be an absolute path")];
};

const csiSecrets = ["controllerPublish", "controllerExpand", "nodePublish", "nodeExpand"].map(
  (name) => `${name}SecretRef`,
);

function secretErrors(secret: unknown, field: string): FieldError[] {
  if (!isFields(secret)) return [];
  return ["name", "namespace"].flatMap((key) => {
    const value = textOf(secret[key]);
    if (value === "") return [required(`${field}.${key}`)];
    return labelNameErrors(value, `${field}.${key}`);
  });
}

const csi: SourceErrors = (source, field) => [
  ...driverNameErrors(source["driver"], `${field}.driver`),
  ...needs("volumeHandle")(source, field),
  ...csiSecrets.flatMap((key) => secretErrors(source[key], `${field}.${key}`)),
];

const qualifiedNames = /^(iqn|eui|naa)/;

const iscsi: SourceErrors = (source, field) => {
  const iqn = textOf(source["iqn"]);
  const errors = needs("targetPortal", "iqn")(source, field);
  if (iqn !== "" && !qualifiedNames.test(iqn))
    errors.push(invalid(`${field}.iqn`, iqn, "must be valid format starting with iqn, eui, or naa"));
  const { lun } = source as { lun?: unknown };
  if (isNumber(lun) && (lun < 0 || lun > 255))
    errors.push(invalid(`${field}.lun`, lun, "must be between 0 and 255, inclusive"));
  return errors;
};

const disk =
  (id: string): SourceErrors =>
  (source, field) => {
    const partition = source["partition"];
    const errors = needs(id)(source, field);
    if (isNumber(partition) && (partition < 0 || partition > 255))
      errors.push(invalid(`${field}.partition`, partition, "must be between 0 and 255, inclusive"));
    return errors;
  };

const fibreChannel: SourceErrors = (source, field) => {
  const [names, ids] = [textsIn(source["targetWWNs"]), textsIn(source["wwids"])];
  if (names.length < 1 && ids.length < 1)
    return [required(`${field}.targetWWNs`, "must specify either targetWWNs or wwids, but not both")];
  if (names.length > 0 && ids.length > 0) {
    const why = "targetWWNs and wwids can not be specified simultaneously";
    return [invalid(`${field}.targetWWNs`, names, why)];
  }
  if (names.length === 0) return [];
  const { lun } = source as { lun?: unknown };
  if (!isNumber(lun)) return [required(`${field}.lun`, "lun is required if targetWWNs is specified")];
  return lun < 0 || lun > 255 ? [invalid(`${field}.lun`, lun, "must be between 0 and 255, inclusive")] : [];
};

interface Source {
  readonly key: string;
  /** Under which name messages about its fields stand, where it is another. */
  readonly shown?: string;
  /** And messages about too many. */
  readonly many?: string;
  readonly errors: SourceErrors;
}

/** In the order in which the real server looks at them. */
export const volumeSources: readonly Source[] = [
  { key: "hostPath", errors: hostPath },
  { key: "gcePersistentDisk", shown: "persistentDisk", errors: disk("pdName") },
  { key: "awsElasticBlockStore", errors: disk("volumeID") },
  { key: "glusterfs", errors: needs("endpoints", "path") },
  { key: "flocker", errors: () => [] },
  { key: "nfs", errors: nfs },
  { key: "rbd", errors: needs("monitors", "image") },
  { key: "quobyte", errors: needs("registry", "volume") },
  { key: "cephfs", many: "cephFS", errors: needs("monitors") },
  { key: "iscsi", errors: iscsi },
  { key: "cinder", errors: needs("volumeID") },
  { key: "fc", errors: fibreChannel },
  { key: "flexVolume", errors: needs("driver") },
  { key: "azureFile", errors: needs("secretName", "shareName") },
  { key: "vsphereVolume", errors: needs("volumePath") },
  { key: "photonPersistentDisk", errors: needs("pdID") },
  { key: "portworxVolume", errors: needs("volumeID") },
  { key: "azureDisk", errors: needs("diskName", "diskURI") },
  { key: "scaleIO", errors: needs("gateway", "system", "volumeName") },
  { key: "local", errors: ({ path }, field) => pathErrors(path, `${field}.path`) },
  { key: "storageos", errors: needs("volumeName") },
  { key: "csi", errors: csi },
];
