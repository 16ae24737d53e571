/** PersistentVolumes. Source: kubernetes v1.36 pkg/apis/core/validation/validation.go, pkg/registry/core/persistentvolume/strategy.go. */
import { formatTime } from "../../../api/time.ts";
import { notAllowed, type FieldError } from "../../meta/field-errors.ts";
import { child, isFields, type ApiObject, type Fields } from "../../meta/object.ts";
import { isEqual } from "../../validation/checks.ts";
import { volumeAffinityErrors } from "../../validation/node-selector-update.ts";
import type { RESTStrategy } from "../strategy/rest-strategy.ts";
import { restStrategy } from "../strategy/default-strategy.ts";
import { validateChange, validateObject, validateObjectMeta } from "../strategy/validation-steps.ts";
import { fixed } from "../../validation/spec-checks.ts";
import { volumeSources } from "./volume-sources.ts";
import { volumeSpecErrors } from "./volume-spec.ts";
import { persistentVolumeWarnings } from "./volume-warnings.ts";

/** The source of a volume; the secret for expansion may be added later. */
function sourceOf(spec: Fields, before: Fields): Fields {
  const source = Object.fromEntries(volumeSources.map(({ key }) => [key, spec[key]]));
  const [csi, old] = [spec["csi"], before["csi"]];
  if (!isFields(csi) || !isFields(old) || old["controllerExpandSecretRef"] !== undefined) return source;
  const { controllerExpandSecretRef: _new, ...rest } = csi;
  return { ...source, csi: rest };
}

const mountOptions = "volume.beta.kubernetes.io/mount-options";
/** Sources that take the annotation. Source: kubernetes v1.36 pkg/volume/validation/pv_validation.go. */
const mounted: readonly string[] = [
  "gcePersistentDisk",
  "awsElasticBlockStore",
  "glusterfs",
  "nfs",
  "rbd",
  "quobyte",
  "iscsi",
  "cinder",
  "cephfs",
  "azureFile",
  "vsphereVolume",
  "azureDisk",
  "photonPersistentDisk",
];

function mountOptionErrors({ metadata, spec = {} }: ApiObject): FieldError[] {
  if (metadata.annotations?.[mountOptions] === undefined || mounted.some((key) => spec[key] !== undefined)) return [];
  return [notAllowed(`metadata.annotations.${mountOptions}`, "may not specify mount options for this volume type")];
}

const whole = { field: "spec", inline: false };

function changeErrors({ spec = {} }: ApiObject, { spec: old = {} }: ApiObject): FieldError[] {
  const errors: FieldError[] = [];
  if (!isEqual(sourceOf(spec, old), sourceOf(old, old))) {
    const why = "spec.persistentvolumesource is immutable after creation\n";
    errors.push(notAllowed("spec.persistentvolumesource", why));
  }
  errors.push(...fixed(spec["volumeMode"], old["volumeMode"], "volumeMode"));
  errors.push(...volumeAffinityErrors(spec["nodeAffinity"], old["nodeAffinity"]));
  if (old["volumeAttributesClassName"] !== undefined && spec["volumeAttributesClassName"] === undefined)
    errors.push(notAllowed("spec.volumeAttributesClassName", "update from non-nil value to nil is forbidden"));
  return errors;
}

/** PersistentVolumes: their source never changes. */
export const volumeStrategy: RESTStrategy = restStrategy({
  // The real server runs the checks of a new object twice, and none for metadata changes.
  updateSteps: [validateObjectMeta, validateObject, validateObjectMeta, validateObject, validateChange],
  returnsDeletedObject: true,
  prepareForCreate(volume, { now }) {
    volume.status = { phase: "Pending", lastPhaseTransitionTime: formatTime(now) };
  },
  status: {
    prepareForUpdate(volume, old, { now }) {
      const status = child(volume, "status");
      const [sent, before] = [status["lastPhaseTransitionTime"], old.status?.["lastPhaseTransitionTime"]];
      const isSame = status["phase"] === old.status?.["phase"];
      if (isSame && sent === undefined && before !== undefined) status["lastPhaseTransitionTime"] = before;
      if (!isSame && (sent === undefined || sent === before)) status["lastPhaseTransitionTime"] = formatTime(now);
    },
  },
  warningsOnCreate: persistentVolumeWarnings,
  warningsOnUpdate: persistentVolumeWarnings,
  validate: (volume) => [...volumeSpecErrors(volume.spec ?? {}, whole), ...mountOptionErrors(volume)],
  validateUpdate: changeErrors,
});
