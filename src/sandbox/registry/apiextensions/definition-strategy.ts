/**
 * CustomResourceDefinitions. Their validation code is loaded before the first one is written.
 * Source: apiextensions-apiserver v0.36 pkg/registry/customresourcedefinition/strategy.go, etcd.go.
 */
import { formatTime } from "../../../api/time.ts";
import type { FieldError } from "../../meta/field-errors.ts";
import { child, isFields, textOf, textsIn, type ApiObject, type Fields } from "../../meta/object.ts";
import { restStrategy } from "../strategy/default-strategy.ts";
import type { RESTStrategy } from "../strategy/rest-strategy.ts";
import { validateObjectMeta, validateObjectMetaUpdate } from "../strategy/validation-steps.ts";
import { machinery } from "./loading.ts";
import { definitionOf } from "./definition/definition.ts";
import { setCondition } from "./definition/conditions.ts";

/** Keeps a definition until its objects are gone. */
export const cleanupFinalizer = "customresourcecleanup.apiextensions.k8s.io";

/** Missing names are derived from the kind; the default conversion strategy is None. */
function fillNames(definition: ApiObject): void {
  const spec = child(definition, "spec");
  const names = child(spec, "names");
  const kind = textOf(names["kind"]);
  if (textOf(names["singular"]) === "") names["singular"] = kind.toLowerCase();
  if (textOf(names["listKind"]) === "" && kind !== "") names["listKind"] = `${kind}List`;
  if (!isFields(spec["conversion"])) spec["conversion"] = { strategy: "None" };
  machinery().normalizeSchemas(definition);
}

function addStoredVersion(definition: ApiObject): void {
  const storage = definitionOf(definition).versions.find((version) => version.storage)?.name;
  const status: Fields = definition.status ?? {};
  const stored = textsIn(status["storedVersions"]);
  if (storage === undefined || stored.includes(storage)) return;
  definition.status = { ...status, storedVersions: [...stored, storage] };
}

/** The zero value of the server's Go type. */
const emptyStatus = (): Fields => ({ conditions: null, acceptedNames: { plural: "", kind: "" }, storedVersions: null });

function newFormats(object: ApiObject, old: ApiObject): string[] {
  const before = new Set(machinery().unknownFormatsIn(old));
  return machinery()
    .unknownFormatsIn(object)
    .filter((format) => !before.has(format));
}

const warningsOf = (formats: readonly string[]): string[] =>
  formats.map((format) => `unrecognized format ${JSON.stringify(format)}`);

/** CustomResourceDefinitions. */
export const definitionStrategy: RESTStrategy = restStrategy({
  generation: "spec",
  takesAnyFinalizer: true,
  allowUnconditionalUpdate: false,
  setDefaults: fillNames,
  prepareForCreate(definition) {
    definition.status = emptyStatus();
    addStoredVersion(definition);
  },
  prepareForUpdate: addStoredVersion,
  createSteps: [
    validateObjectMeta,
    ({ object }): FieldError[] => machinery().definitionNameErrors(object, definitionOf(object)),
    ({ object }): FieldError[] => machinery().definitionErrors(object),
  ],
  updateSteps: [
    validateObjectMetaUpdate,
    ({ object, old }): FieldError[] => machinery().definitionUpdateErrors(object, old),
  ],
  status: {
    updateSteps: [validateObjectMetaUpdate, ({ object }): FieldError[] => machinery().definitionStatusErrors(object)],
  },
  warningsOnCreate: (definition) => warningsOf(machinery().unknownFormatsIn(definition)),
  warningsOnUpdate: (definition, old) => warningsOf(newFormats(definition, old)),
  beginDelete(definition, now) {
    const { metadata } = definition;
    const finalizers = metadata.finalizers ?? [];
    metadata.deletionTimestamp = formatTime(now);
    if (!finalizers.includes(cleanupFinalizer)) metadata.finalizers = [...finalizers, cleanupFinalizer];
    setCondition(definition, {
      type: "Terminating",
      status: "True",
      reason: "InstanceDeletionPending",
      message: "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon",
      now,
    });
  },
});
