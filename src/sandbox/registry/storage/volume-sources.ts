/**
 * Validates the source of a PersistentVolume. Source: kubernetes v1.36 pkg/apis/core/validation/validation.go ValidatePersistentVolumeSpec.
 */
import { invalid, required, type FieldError } from "../../meta/field-errors.ts";
import { isFields, textOf } from "../../meta/object.ts";
import {
  driverNameErrors,
  labelNameErrors,
  nameErrors,
  neededErrors,
  subdomainErrors,
} from "../../validation/checks.ts";
import { labelProblems } from "../../validation/names.ts";
import { neededPathErrors } from "../core/pod/volumes/paths.ts";
import {
  azureDisk,
  both,
  disk,
  fibreChannel,
  flexVolume,
  flocker,
  hostPath,
  iscsi,
  needs,
  nfs,
  quobyte,
  secretNeeds,
  storageos,
  type SourceErrors,
} from "../core/pod/volumes/source-checks.ts";

const csiSecrets = ["controllerPublish", "controllerExpand", "nodePublish", "nodeExpand"].map(
  (name) => `${name}SecretRef`,
);

function secretErrors(secret: unknown, field: string): FieldError[] {
  if (!isFields(secret)) return [];
  return [
    ...neededErrors(secret["name"], `${field}.name`, subdomainErrors),
    ...neededErrors(secret["namespace"], `${field}.namespace`, labelNameErrors),
  ];
}

const csi: SourceErrors = (source, field) => [
  ...driverNameErrors(source["driver"], `${field}.driver`),
  ...needs("volumeHandle")(source, field),
  ...csiSecrets.flatMap((key) => secretErrors(source[key], `${field}.${key}`)),
];

/** Endpoints may be in another namespace. */
const glusterfs: SourceErrors = (source, field) => {
  const namespace = source["endpointsNamespace"];
  const here = `${field}.endpointsNamespace`;
  const errors = needs("endpoints", "path")(source, field);
  if (namespace === undefined) return errors;
  if (namespace === "")
    return [...errors, invalid(here, "", "if the endpointnamespace is set, it must be a valid namespace name")];
  return [...errors, ...nameErrors(textOf(namespace), here, labelProblems)];
};

const azureFile: SourceErrors = (source, field) => [
  ...needs("secretName", "shareName")(source, field),
  ...(source["secretNamespace"] === "" ? [required(`${field}.secretNamespace`)] : []),
];

interface Source {
  readonly key: string;
  /** The field that errors name, if it differs from the key. */
  readonly shown?: string;
  /** Its name in errors about several sources. */
  readonly many?: string;
  readonly errors: SourceErrors;
}

/** In the order in which the real server checks them. */
export const volumeSources: readonly Source[] = [
  { key: "hostPath", errors: hostPath },
  { key: "gcePersistentDisk", shown: "persistentDisk", errors: disk("pdName") },
  { key: "awsElasticBlockStore", errors: disk("volumeID") },
  { key: "glusterfs", errors: glusterfs },
  { key: "flocker", errors: flocker },
  { key: "nfs", errors: nfs },
  { key: "rbd", errors: needs("monitors", "image") },
  { key: "quobyte", errors: quobyte },
  { key: "cephfs", many: "cephFS", errors: needs("monitors") },
  { key: "iscsi", errors: both(iscsi("must be valid format"), secretNeeds("name")) },
  { key: "cinder", errors: both(needs("volumeID"), secretNeeds("name", "namespace")) },
  { key: "fc", errors: fibreChannel },
  { key: "flexVolume", errors: flexVolume },
  { key: "azureFile", errors: azureFile },
  { key: "vsphereVolume", errors: needs("volumePath") },
  { key: "photonPersistentDisk", errors: needs("pdID") },
  { key: "portworxVolume", errors: needs("volumeID") },
  { key: "azureDisk", errors: azureDisk },
  { key: "scaleIO", errors: needs("gateway", "system", "volumeName") },
  { key: "local", errors: ({ path }, field) => neededPathErrors(path, `${field}.path`) },
  { key: "storageos", errors: storageos("name", "namespace") },
  { key: "csi", errors: csi },
];
