/**
 * The parameter objects that a binding passes to its policy. Source: apiserver v0.36 admission/plugin/policy/generic/policy_dispatcher.go
 * CollectParams.
 */
import { matches, selectorOf } from "../../../api/labels.ts";
import { StatusError } from "../../../api/status-error.ts";
import { convertedObjects } from "../../context/conversion.ts";
import { collectionOf, type RequestScope } from "../../context/server.ts";
import { atVersion } from "../../registry/conversion/versions.ts";
import { isFields, textOf, type ApiObject, type Fields } from "../../meta/object.ts";
import { waitFor, type Steps } from "../../meta/steps.ts";
import type { Resource } from "../../registry/resource.ts";
import type { ObjectForm } from "../../registry/strategy/object-form.ts";
import type { Entry } from "../../storage/entry.ts";
import type { PolicyHook } from "./configured.ts";

/** A policy or a binding that is misconfigured. */
export class ConfigurationError extends Error {
  override readonly name = "ConfigurationError";
}

/** The kind of a policy's parameters. */
export interface ParamKind {
  /** The resource at its storage version. */
  readonly stored: Resource;
  /** The resource at the version that the policy requests. */
  readonly resource: Resource;
}

/** Undefined for a policy without parameters. @throws ConfigurationError if the kind is not served. */
export function paramKindOf({ server }: RequestScope, { policy }: PolicyHook): ParamKind | undefined {
  const paramKind = policy.spec["paramKind"];
  if (!isFields(paramKind)) return undefined;
  const [apiVersion, kind] = [textOf(paramKind["apiVersion"]), textOf(paramKind["kind"])];
  const resource = server.registry.ofKind(apiVersion, kind);
  if (resource !== undefined) return { resource, stored: server.registry.stored(resource) };
  const named = `${apiVersion.includes("/") ? apiVersion : `/${apiVersion}`}, Kind=${kind}`;
  throw new ConfigurationError(`failed to find resource referenced by paramKind: '${named}'`);
}

/** Which parameters to find. */
export interface ParamsQuery {
  readonly kind: ParamKind | undefined;
  /** `spec.paramRef` of the binding. */
  readonly ref: unknown;
  /** The namespace of the operation. */
  readonly namespace: string;
}

/** Each parameter is evaluated separately; null if the binding refers to none. @throws ConfigurationError */
export function* paramsOf(scope: RequestScope, { kind, ref, namespace }: ParamsQuery): Steps<(ApiObject | null)[]> {
  if (kind === undefined || !isFields(ref)) return [null];
  const { stored } = kind;
  const place = stored.namespaced ? paramNamespace(ref, namespace) : "";
  if (!stored.namespaced && textOf(ref["namespace"]) !== "")
    throw new ConfigurationError("paramRef.namespace must not be provided for a cluster-scoped `paramKind`");
  const found = entriesOf(scope, { kind, ref, place });
  if (found.length === 0 && ref["parameterNotFoundAction"] === "Deny")
    throw new ConfigurationError("no params found for policy binding with `Deny` parameterNotFoundAction");
  return yield* shownAs(scope, { kind, found });
}

function paramNamespace(ref: Fields, namespace: string): string {
  const own = textOf(ref["namespace"]);
  if (own !== "") return own;
  if (namespace !== "") return namespace;
  const why = "cannot use namespaced paramRef in policy binding that matches cluster-scoped resources";
  throw new ConfigurationError(why);
}

interface Place {
  readonly kind: ParamKind;
  readonly ref: Fields;
  readonly place: string;
}

function entriesOf({ server }: RequestScope, { kind, ref, place }: Place): Entry[] {
  const collection = collectionOf(server, kind.stored);
  const name = textOf(ref["name"]);
  if (name !== "") {
    const entry = collection.get(place, name);
    return entry === undefined ? [] : [entry];
  }
  const selector = isFields(ref["selector"]) ? selectorOf(ref["selector"]) : "nothing";
  const all = [...collection.range(place === "" ? {} : { namespace: place })];
  return all.filter(({ object }) => matches(selector, object.metadata.labels));
}

interface Found {
  readonly kind: ParamKind;
  readonly found: readonly Entry[];
}

function* shownAs({ server }: RequestScope, { kind, found }: Found): Steps<ApiObject[]> {
  const { form, apiVersion, struct } = kind.resource;
  if (form?.conversionWebhook !== undefined) return yield* convertedParams(server, { kind, form, found });
  return found.map(
    ({ object }) => form?.convert(object) ?? atVersion(object, apiVersion, struct, server.registry.schema),
  );
}

/** Parameters converted by webhooks. The real server also converts each change once, as it lists and watches them. */
const converted = new WeakMap<ObjectForm, WeakMap<Entry, ApiObject>>();

/** @throws ConfigurationError, as in the real server, where the parameters then never sync. */
function* convertedParams(
  server: RequestScope["server"],
  { kind, form, found }: Found & { readonly form: ObjectForm },
): Steps<ApiObject[]> {
  const { apiVersion, kind: name } = kind.resource;
  const known = converted.get(form) ?? new WeakMap<Entry, ApiObject>();
  converted.set(form, known);
  const others = found.filter((entry) => !known.has(entry));
  try {
    const wanted = { form, objects: others.map(({ object }) => object), apiVersion };
    const made = others.length === 0 ? [] : yield* waitFor(convertedObjects(server, wanted));
    for (const [index, entry] of others.entries()) known.set(entry, made[index] ?? entry.object);
  } catch (cause) {
    if (!(cause instanceof StatusError)) throw cause;
    const why = `paramKind kind \`&ParamKind{APIVersion:${apiVersion},Kind:${name},}\` not yet synced to use for admission`;
    throw new ConfigurationError(why, { cause });
  }
  return found.map((entry) => known.get(entry) ?? entry.object);
}
