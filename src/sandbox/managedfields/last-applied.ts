/**
 * The annotation in which kubectl's client-side apply stores its last configuration. Fields unchanged since then do not conflict with
 * kubectl's server-side apply, which updates the annotation. Source: apimachinery v0.36 util/managedfields/internal/lastappliedmanager.go,
 * lastappliedupdater.go.
 */
import { at, isFields, isList, textOf, type Fields } from "../meta/object.ts";
import { compare } from "./compare.ts";
import { type Conflict, ConflictError } from "./conflicts.ts";
import { applied, type TypedApplication, type FieldManager } from "./field-manager.ts";
import { difference, type FieldSet, isEmptySet } from "./field-set.ts";
import { goJson } from "../../api/go-json.ts";
import { fieldSetOf } from "./to-field-set.ts";
import type { Applied, TypedObject } from "./updater.ts";
import { typeProblems } from "./validate.ts";

const annotation = "kubectl.kubernetes.io/last-applied-configuration";
/** Only kubectl's default manager name opts in. */
const kubectl = "kubectl";
/** The limit for all annotations of an object. */
const mostAnnotationBytes = 256 * 1024;

const lastAppliedOf = (object: Fields): string => textOf(at(object, "metadata", "annotations", annotation));

/** Applies a configuration; for the manager `kubectl`, respects the annotation. @throws ConflictError, ItemProblem */
export function appliedWithAnnotation(fields: FieldManager, application: TypedApplication): Applied {
  const { live, configuration, manager } = application;
  if (manager !== kubectl) return applied(fields, application);
  const result = forcedOverAnnotation(fields, application);
  const object = result.object ?? live;
  if (lastAppliedOf(object.value) === "") return result;
  return { ...result, object: { ...object, value: withLastApplied(object.value, configuration.value) } };
}

/** Applies; fields unchanged since the last client-side apply do not conflict. */
function forcedOverAnnotation(fields: FieldManager, application: TypedApplication): Applied {
  try {
    return applied(fields, application);
  } catch (cause) {
    if (!(cause instanceof ConflictError)) throw cause;
    const allowed = unchangedSinceLastApply(application.live);
    if (allowed === undefined) throw cause;
    const conflicts = cause.conflicts
      .map((conflict): Conflict => ({ ...conflict, set: difference(conflict.set, allowed) }))
      .filter(({ set }) => !isEmptySet(set));
    if (conflicts.length > 0) throw new ConflictError(conflicts);
    return applied(fields, { ...application, force: true });
  }
}

/** The fields in the annotation that the object still has with the same values; undefined without a readable annotation. */
function unchangedSinceLastApply({ value: live, apiVersion, type }: TypedObject): FieldSet | undefined {
  const last = parsed(lastAppliedOf(live));
  if (last === undefined || last["apiVersion"] !== apiVersion || last["kind"] !== live["kind"]) return undefined;
  if (typeProblems({ value: live, type }).length > 0 || typeProblems({ value: last, type }).length > 0)
    return undefined;
  const { modified, added, removed } = compare({ old: last, now: live, type });
  return [modified, added, removed].reduce(difference, fieldSetOf({ value: last, type }));
}

function parsed(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isFields(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The object with the applied configuration in the annotation, or without the annotation if that is too long. */
function withLastApplied(object: Fields, configuration: Fields): Fields {
  const metadata = isFields(object["metadata"]) ? object["metadata"] : {};
  const before = isFields(metadata["annotations"]) ? metadata["annotations"] : {};
  const annotations: Fields = { ...before, [annotation]: `${sortedJson(withoutLastApplied(configuration))}\n` };
  const bytes = Object.entries(annotations).reduce(
    (sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(textOf(value)),
    0,
  );
  if (bytes > mostAnnotationBytes) delete annotations[annotation];
  return { ...object, metadata: { ...metadata, annotations } };
}

function withoutLastApplied(configuration: Fields): Fields {
  const metadata = isFields(configuration["metadata"]) ? configuration["metadata"] : {};
  if (!isFields(metadata["annotations"])) return configuration;
  const { [annotation]: _last, ...annotations } = metadata["annotations"];
  return { ...configuration, metadata: { ...metadata, annotations } };
}

/** As Go serializes it: with sorted keys. */
function sortedJson(value: unknown): string {
  if (isList(value)) return `[${value.map(sortedJson).join(",")}]`;
  if (!isFields(value)) return goJson(value);
  const keys = Object.keys(value).sort();
  return `{${keys.map((key) => `${goJson(key)}:${sortedJson(value[key])}`).join(",")}}`;
}
