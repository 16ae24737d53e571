/** VolumeAttachments. Source: kubernetes v1.36 pkg/apis/storage/validation/validation.go. */
import { invalid, notAllowed, required, tooLong, type FieldError } from "../../meta/field-errors.ts";
import { isFields, textOf, type ApiObject, type Fields } from "../../meta/object.ts";
import { driverNameErrors, isNumber, subdomainErrors } from "../../validation/checks.ts";
import type { RESTStrategy } from "../strategy/rest-strategy.ts";
import { allButStatus, restStrategy } from "../strategy/default-strategy.ts";
import { validateChange, validateObject, validateObjectMeta } from "../strategy/validation-steps.ts";
import { fixed } from "../../validation/spec-checks.ts";
import { volumeSpecErrors } from "./volume-spec.ts";

function sourceErrors({ inlineVolumeSpec: inline, persistentVolumeName: name }: Fields): FieldError[] {
  const field = "spec.source";
  const one = "must specify exactly one of inlineVolumeSpec and persistentVolumeName";
  if (inline === undefined && name === undefined) return [required(field, one)];
  if (inline !== undefined && name !== undefined) return [notAllowed(field, one)];
  if (isFields(inline)) return volumeSpecErrors(inline, { field: `${field}.inlineVolumeSpec`, inline: true });
  return name === "" ? [required(`${field}.persistentVolumeName`, "must specify non empty persistentVolumeName")] : [];
}

const longestError = 1024;
const metadataBytes = 256 * 1024;

function errorErrors(error: unknown, field: string): FieldError[] {
  if (!isFields(error)) return [];
  const errors = textOf(error["message"]).length > longestError ? [tooLong(`${field}.message`, metadataBytes)] : [];
  const code = error["errorCode"];
  if (isNumber(code) && code < 0)
    errors.push(invalid(`${field}.errorCode`, code, "must be between 0 and 2147483647, inclusive"));
  return errors;
}

const statusErrors = ({ status = {} }: ApiObject): FieldError[] =>
  ["attachError", "detachError"].flatMap((key) => errorErrors(status[key], `status.${key}`));

/** VolumeAttachments: their spec never changes. */
export const volumeAttachmentStrategy: RESTStrategy = restStrategy({
  allowUnconditionalUpdate: false,
  updateSteps: [validateObjectMeta, validateObject, validateChange],
  returnsDeletedObject: true,
  validate(attachment) {
    const { spec = {} } = attachment;
    const source = isFields(spec["source"]) ? spec["source"] : {};
    const name = source["persistentVolumeName"];
    return [
      ...driverNameErrors(spec["attacher"], "spec.attacher"),
      ...sourceErrors(source),
      ...subdomainErrors(spec["nodeName"], "spec.nodeName"),
      ...statusErrors(attachment),
      ...(name === undefined ? [] : subdomainErrors(name, "spec.source.persistentVolumeName")),
    ];
  },
  validateUpdate: (now, old) => fixed(now.spec, old.spec, "spec"),
  // The whole object is validated again.
  status: { resetFields: allButStatus, updateSteps: [validateObjectMeta, validateObject] },
});
