/**
 * Checks of volume sources that pods and PersistentVolumes share.
 * Source: kubernetes v1.36 pkg/apis/core/validation/validation.go validateHostPathVolumeSource and the functions after it.
 */
import { invalid, notSupported, required, type FieldError } from "../../../../meta/field-errors.ts";
import { at, isFields, textOf, textsIn, type Fields } from "../../../../meta/object.ts";
import { choiceErrors, isNumber, labelNameErrors } from "../../../../validation/checks.ts";
import { neededPathErrors } from "./paths.ts";

/** Validates a volume source; `field` is its path. */
export type SourceErrors = (source: Fields, field: string) => FieldError[];

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || value === "" || (Array.isArray(value) && value.length === 0);

/** Requires fields of a source. */
export const needs =
  (...keys: readonly string[]): SourceErrors =>
  (source, field) =>
    keys.flatMap((key) => (isEmpty(source[key]) ? [required(`${field}.${key}`)] : []));

/** Runs two checks in sequence. */
export const both =
  (...checks: readonly SourceErrors[]): SourceErrors =>
  (source, field) =>
    checks.flatMap((errors) => errors(source, field));

/** Requires these keys of a reference to a Secret, if there is one. */
export const secretNeeds =
  (...keys: readonly string[]): SourceErrors =>
  ({ secretRef }, field) =>
    isFields(secretRef) ? needs(...keys)(secretRef, `${field}.secretRef`) : [];

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

/** Validates a host path volume. */
export const hostPath: SourceErrors = ({ path, type }, field) => [
  ...neededPathErrors(path, `${field}.path`),
  ...(textOf(path) === "" ? [] : choiceErrors(type ?? "", `${field}.type`, hostPathTypes)),
];

/** Validates an NFS volume. */
export const nfs: SourceErrors = (source, field) => {
  const path = textOf(source["path"]);
  const errors = needs("server", "path")(source, field);
  return path.startsWith("/") ? errors : [...errors, invalid(`${field}.path`, path, "must be an absolute path")];
};

const lunErrors = (lun: unknown, field: string): FieldError[] =>
  isNumber(lun) && (lun < 0 || lun > 255) ? [invalid(field, lun, "must be between 0 and 255, inclusive")] : [];

const initiatorNames: Readonly<Record<string, RegExp>> = {
  iqn: /iqn\.\d{4}-\d{2}\.([A-Za-z0-9\-.]+)(:[^,;*&$|\s]+)$/,
  eui: /^eui.[A-Za-z0-9]{16}$/,
  naa: /^naa.[A-Za-z0-9]{32}$/,
};

/** `elsewhere` is the error for a name that begins with none of the three prefixes. */
function initiatorErrors(name: string, field: string, elsewhere: string): FieldError[] {
  const pattern = initiatorNames[name.slice(0, 3)];
  if (pattern === undefined) return [invalid(field, name, elsewhere)];
  return pattern.test(name) ? [] : [invalid(field, name, "must be valid format")];
}

/** An iSCSI target; `elsewhere` as above: the words differ between pods and volumes. */
export const iscsi =
  (elsewhere: string): SourceErrors =>
  (source, field) => {
    const [iqn, initiator] = [textOf(source["iqn"]), source["initiatorName"]];
    const secret = source["chapAuthDiscovery"] === true || source["chapAuthSession"] === true;
    return [
      ...needs("targetPortal", "iqn")(source, field),
      ...(iqn === "" ? [] : initiatorErrors(iqn, `${field}.iqn`, elsewhere)),
      ...lunErrors(source["lun"], `${field}.lun`),
      ...(secret ? needs("secretRef")(source, field) : []),
      ...(initiator === undefined ? [] : initiatorErrors(textOf(initiator), `${field}.initiatorname`, elsewhere)),
    ];
  };

/** Validates a disk whose name is in the field `key`. */
export const disk =
  (id: string): SourceErrors =>
  (source, field) => {
    const partition = source["partition"];
    const errors = needs(id)(source, field);
    if (isNumber(partition) && (partition < 0 || partition > 255))
      errors.push(invalid(`${field}.partition`, partition, "must be between 1 and 255, inclusive"));
    return errors;
  };

/** Validates a Fibre Channel volume. */
export const fibreChannel: SourceErrors = (source, field) => {
  const [names, ids] = [textsIn(source["targetWWNs"]), textsIn(source["wwids"])];
  const here = `${field}.targetWWNs`;
  if (names.length === 0)
    return ids.length > 0 ? [] : [required(here, "must specify either targetWWNs or wwids, but not both")];
  const why = "targetWWNs and wwids can not be specified simultaneously";
  return [
    ...(ids.length > 0 ? [invalid(here, names, why)] : []),
    ...(isNumber(source["lun"])
      ? lunErrors(source["lun"], `${field}.lun`)
      : [required(`${field}.lun`, "lun is required if targetWWNs is specified")]),
  ];
};

/** Validates a Flocker volume. */
export const flocker: SourceErrors = (source, field) => {
  const [name, id] = [textOf(source["datasetName"]), textOf(source["datasetUUID"])];
  const errors: FieldError[] = [];
  if (name === "" && id === "") errors.push(required(field, "one of datasetName and datasetUUID is required"));
  if (name !== "" && id !== "")
    errors.push(invalid(field, "resource", "datasetName and datasetUUID can not be specified simultaneously"));
  if (name.includes("/")) errors.push(invalid(`${field}.datasetName`, name, "must not contain '/'"));
  return errors;
};

const hostAndPort = /^(\[[^[\]]*\]|[^:[\]]*):[^:[\]]*$/;
const longestTenant = 64;

/** Validates a Quobyte volume. */
export const quobyte: SourceErrors = (source, field) => {
  const registry = textOf(source["registry"]);
  const pairs = "must be a host:port pair or multiple pairs separated by commas";
  const errors: FieldError[] = [];
  if (registry === "") errors.push(required(`${field}.registry`, pairs));
  else if (textOf(source["tenant"]).length > longestTenant)
    errors.push(required(`${field}.tenant`, "must be a UUID and may not exceed a length of 64 characters"));
  else
    for (const pair of registry.split(","))
      if (!hostAndPort.test(pair)) errors.push(invalid(`${field}.registry`, registry, pairs));
  return [...errors, ...needs("volume")(source, field)];
};

/** Driver options, whose names must not be in Kubernetes' namespaces. */
export const flexVolume: SourceErrors = (source, field) => {
  const options = isFields(source["options"]) ? Object.keys(source["options"]).sort() : [];
  const reserved = options.filter((name) => /\.(kubernetes|k8s)\.io$/.test(`.${name.split("/")[0]?.toLowerCase()}`));
  return [
    ...needs("driver")(source, field),
    ...reserved.map((name) =>
      invalid(`${field}.options[${name}]`, name, "kubernetes.io and k8s.io namespaces are reserved"),
    ),
  ];
};

const cachingModes = ["None", "ReadOnly", "ReadWrite"];
const diskKinds = ["Dedicated", "Managed", "Shared"];
const managedDisk = "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}";
const blobDisk = "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd";

/** Validates an Azure disk. */
export const azureDisk: SourceErrors = (source, field) => {
  const [uri, kind] = [textOf(source["diskURI"]), source["kind"]];
  const [start, example] = kind === "Managed" ? ["/subscriptions/", managedDisk] : ["https://", blobDisk];
  return [
    ...needs("diskName", "diskURI")(source, field),
    ...choiceErrors(source["cachingMode"], `${field}.cachingMode`, cachingModes),
    ...choiceErrors(kind, `${field}.kind`, diskKinds),
    ...(uri.startsWith(start) ? [] : [notSupported(`${field}.diskURI`, uri, [example])]),
  ];
};

/** `secretKeys` are the keys that a reference to a Secret must have. */
export const storageos =
  (...secretKeys: readonly string[]): SourceErrors =>
  (source, field) => [
    ...(textOf(source["volumeName"]) === ""
      ? [required(`${field}.volumeName`)]
      : labelNameErrors(source["volumeName"], `${field}.volumeName`)),
    ...(textOf(source["volumeNamespace"]) === ""
      ? []
      : labelNameErrors(source["volumeNamespace"], `${field}.volumeNamespace`)),
    ...secretNeeds(...secretKeys)(source, field),
  ];

/** True if a volume is a claim, referenced or created for the pod. */
export const isClaim = (volume: unknown): boolean =>
  at(volume, "persistentVolumeClaim") !== undefined || at(volume, "ephemeral") !== undefined;
