/** `/scale`: the replicas of a workload as an object of their own. Source: kubernetes v1.36 pkg/registry/apps/replicaset/storage. */
import { mergePatch, jsonPatch } from "../../api/patch.ts";
import { jsonOf } from "../decode.ts";
import { invalid, invalidObject } from "../field-errors.ts";
import { at, isFields, type ApiObject, type Fields } from "../object.ts";
import { manageScale } from "../managed/scale-fields.ts";
import { badRequest, conflict, notFound, optimisticLock } from "../refusal.ts";
import type { Call } from "../server.ts";
import type { Entry } from "../store/entry.ts";
import { bodyJson, mediaTypeOf } from "./body.ts";
import { replace } from "./update.ts";

interface Answer {
  readonly status: number;
  readonly value: object;
}

/** `a=b,c in (d,e)`, sorted by key. */
function selectorText(selector: unknown): string {
  if (!isFields(selector)) return "";
  const plain = selector["matchLabels"] === undefined && selector["matchExpressions"] === undefined;
  const labels = (plain ? selector : (selector["matchLabels"] ?? {})) as Record<string, string>;
  const parts: [key: string, text: string][] = Object.entries(labels).map(([key, value]) => [key, `${key}=${value}`]);
  for (const expression of (selector["matchExpressions"] ?? []) as {
    key: string;
    operator: string;
    values?: string[];
  }[]) {
    const { key, operator, values = [] } = expression;
    const list = `(${[...values].sort().join(",")})`;
    const texts: Record<string, string> = {
      In: `${key} in ${list}`,
      NotIn: `${key} notin ${list}`,
      Exists: key,
      DoesNotExist: `!${key}`,
    };
    parts.push([key, texts[operator] ?? ""]);
  }
  return parts
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .map(([, text]) => text)
    .join(",");
}

function scaleOf({ object }: Entry): Fields {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const replicas = at(object, "spec", "replicas");
  const selector = selectorText(object.spec?.["selector"]);
  return {
    kind: "Scale",
    apiVersion: "autoscaling/v1",
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
    spec: replicas === undefined || replicas === 0 ? {} : { replicas },
    status: { replicas: at(object, "status", "replicas") ?? 0, ...(selector === "" ? {} : { selector }) },
  };
}

function entryOf(call: Call): Entry {
  const entry = call.collection.get(call.namespace, call.name);
  if (entry === undefined) throw notFound(call.resource.asResource, call.name);
  return entry;
}

export function getScale(call: Call): Answer {
  return { status: 200, value: scaleOf(entryOf(call)) };
}

/** @throws StatusError */
export function putScale(call: Call): Answer {
  const scale = bodyJson(call, "Scale");
  if (!isFields(scale)) throw badRequest("the object provided is no Scale");
  return write(call, entryOf(call), scale);
}

/** @throws StatusError */
export function patchScale(call: Call): Answer {
  const json = jsonOf(call.body, (problem) => `error decoding patch: ${problem}`);
  const entry = entryOf(call);
  const current = scaleOf(entry);
  const patched =
    mediaTypeOf(call) === "application/json-patch+json" ? jsonPatch(current, json) : mergePatch(current, json);
  return write(call, entry, patched as Fields);
}

function write(call: Call, entry: Entry, scale: Fields): Answer {
  const name = at(scale, "metadata", "name");
  if (name !== undefined && name !== call.name) {
    throw badRequest(
      `the name of the object (${typeof name === "string" ? name : ""}) does not match the name on the URL (${call.name})`,
    );
  }
  const version = at(scale, "metadata", "resourceVersion");
  if (typeof version === "string" && version !== "" && Number(version) !== entry.revision) {
    throw conflict(call.resource.asResource, call.name, optimisticLock);
  }
  const asked = at(scale, "spec", "replicas") ?? 0;
  if (typeof asked !== "number" || !Number.isInteger(asked)) {
    throw badRequest(
      `Scale in version "v1" cannot be handled as a Scale: json: cannot unmarshal ${typeof asked} into Go struct field ScaleSpec.spec.replicas of type int32`,
    );
  }
  if (asked < 0) {
    throw invalidObject({ group: "autoscaling", name: "Scale" }, call.name, [
      invalid("spec.replicas", asked, "must be greater than or equal to 0"),
    ]);
  }
  const object: ApiObject = {
    ...entry.object,
    metadata: { ...entry.object.metadata },
    spec: { ...entry.object.spec, replicas: asked },
  };
  const before = at(entry.object, "spec", "replicas");
  const replicas = { before: typeof before === "number" ? before : 0, asked };
  const scaled = replace({ ...call, subresource: "" }, object, entry, {
    subresource: "scale",
    manage: (old, scaledTo) => manageScale(call, old, scaledTo, replicas),
  });
  return { status: 200, value: scaleOf(scaled) };
}
