/** The source of a pod's volume. Source: kubernetes v1.36 pkg/apis/core/validation/validation.go validateVolumeSource. */
import { parseQuantity } from "../../../../../api/quantity.ts";
import { invalid, notAllowed, required, type FieldError } from "../../../../meta/field-errors.ts";
import { isFields, textOf, type Fields } from "../../../../meta/object.ts";
import { driverNameErrors, neededChoiceErrors, subdomainErrors } from "../../../../validation/checks.ts";
import { claimSpecErrors } from "../volumes/claim.ts";
import { templateMetadataErrors } from "../../../../validation/metadata.ts";
import { subdomainProblems } from "../../../../../api/label-names.ts";
import { relativePathErrors } from "../volumes/paths.ts";
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
} from "../volumes/source-checks.ts";
import { pullPolicies } from "./choices.ts";
import { downwardVolume, projected, withItems } from "./projections.ts";
import type { PodScope } from "./scope.ts";

const emptyDir: SourceErrors = ({ sizeLimit }, field) => {
  const limit = parseQuantity(textOf(sizeLimit));
  if (limit === undefined || limit.nano >= 0n) return [];
  return [notAllowed(`${field}.sizeLimit`, "SizeLimit field must be a valid resource quantity")];
};

const gitRepo: SourceErrors = (source, field) => [
  ...needs("repository")(source, field),
  ...relativePathErrors(textOf(source["directory"]), `${field}.directory`),
];

const csi: SourceErrors = (source, field) => {
  const errors = driverNameErrors(source["driver"], `${field}.driver`);
  const secret = source["nodePublishSecretRef"];
  if (!isFields(secret)) return errors;
  if (textOf(secret["name"]) === "") return [...errors, required(`${field}.nodePublishSecretRef.name`)];
  return [...errors, ...subdomainErrors(secret["name"], `${field}.name`)];
};

/** An ephemeral volume: a claim created for the pod. */
const ephemeral: SourceErrors = ({ volumeClaimTemplate: template }, source) => {
  const field = `${source}.volumeClaimTemplate`;
  if (!isFields(template)) return [required(field)];
  const metadata = isFields(template["metadata"]) ? template["metadata"] : {};
  return [
    ...templateMetadataErrors(metadata, `${field}.metadata`),
    ...claimSpecErrors(isFields(template["spec"]) ? template["spec"] : {}, `${field}.spec`),
  ];
};

interface Source {
  readonly key: string;
  /** The field that errors name, if it differs from the key. */
  readonly shown?: string;
  /** Its name in errors about several sources. */
  readonly many?: string;
  readonly errors: (source: Fields, field: string, scope: Pick<PodScope, "meta">) => FieldError[];
}

const iscsiNames = "must be valid format starting with iqn, eui, or naa";

/** In the order in which the real server checks them. */
const sources: readonly Source[] = [
  { key: "emptyDir", errors: emptyDir },
  { key: "hostPath", errors: hostPath },
  { key: "gitRepo", errors: gitRepo },
  { key: "gcePersistentDisk", shown: "persistentDisk", errors: disk("pdName") },
  { key: "awsElasticBlockStore", errors: disk("volumeID") },
  { key: "secret", errors: withItems("secretName") },
  { key: "nfs", errors: nfs },
  { key: "iscsi", errors: iscsi(iscsiNames) },
  { key: "glusterfs", errors: needs("endpoints", "path") },
  { key: "flocker", errors: flocker },
  { key: "persistentVolumeClaim", errors: needs("claimName") },
  { key: "rbd", errors: needs("monitors", "image") },
  { key: "cinder", errors: both(needs("volumeID"), secretNeeds("name")) },
  { key: "cephfs", many: "cephFS", errors: needs("monitors") },
  { key: "quobyte", errors: quobyte },
  { key: "downwardAPI", many: "downwarAPI", errors: downwardVolume },
  { key: "fc", errors: fibreChannel },
  { key: "flexVolume", errors: flexVolume },
  { key: "configMap", errors: withItems("name") },
  { key: "azureFile", errors: needs("secretName", "shareName") },
  { key: "vsphereVolume", errors: needs("volumePath") },
  { key: "photonPersistentDisk", errors: needs("pdID") },
  { key: "portworxVolume", errors: needs("volumeID") },
  { key: "azureDisk", errors: azureDisk },
  { key: "storageos", errors: storageos("name") },
  { key: "projected", errors: projected },
  { key: "scaleIO", errors: needs("gateway", "system", "volumeName") },
  { key: "csi", errors: csi },
  { key: "ephemeral", errors: ephemeral },
  { key: "image", errors: imageErrors },
];

/** A template may leave the image to those who create pods from it. */
function imageErrors(source: Fields, field: string, { meta }: Pick<PodScope, "meta">): FieldError[] {
  return [
    ...(meta === undefined ? [] : needs("reference")(source, field)),
    ...neededChoiceErrors(source["pullPolicy"], `${field}.pullPolicy`, pullPolicies),
  ];
}

const longestPortal = 64;

/** Checks that depend on the volume's name. */
function namedErrors(volume: Fields, key: string, field: string, { meta }: Pick<PodScope, "meta">): FieldError[] {
  const name = textOf(volume["name"]);
  const source = volume[key] as Fields;
  if (key === "iscsi") {
    if (source["initiatorName"] === undefined) return [];
    if (`${name}:${textOf(source["targetPortal"])}`.length <= longestPortal) return [];
    const why =
      "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.";
    return [invalid(`${field}.name`, name, why)];
  }
  if (key !== "ephemeral" || name === "" || (meta?.name ?? "") === "") return [];
  const claim = `${meta?.name}-${name}`;
  return subdomainProblems(claim).map((why) =>
    invalid(`${field}.name`, name, `PVC name ${JSON.stringify(claim)}: ${why}`),
  );
}

/** Validates the source of a volume; `field` is the path of the volume. */
export function volumeSourceErrors(volume: Fields, field: string, scope: Pick<PodScope, "meta">): FieldError[] {
  const there = sources.filter(({ key }) => isFields(volume[key]));
  if (there.length === 0) return [required(field, "must specify a volume type")];
  return there.flatMap(({ key, shown = key, many = key, errors }, index) =>
    index > 0
      ? [notAllowed(`${field}.${many}`, "may not specify more than 1 volume type")]
      : [...errors(volume[key] as Fields, `${field}.${shown}`, scope), ...namedErrors(volume, key, field, scope)],
  );
}
