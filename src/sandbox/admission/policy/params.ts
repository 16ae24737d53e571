/** The objects that a binding gives to its policy. Source: apiserver v0.36 admission/plugin/policy/generic/policy_dispatcher.go CollectParams. */
import { matches, selectorOf } from "../../../api/labels.ts";
import { collectionOf, type RequestScope } from "../../context/server.ts";
import { atVersion } from "../../conversion/versions.ts";
import { isFields, textOf, type ApiObject, type Fields } from "../../meta/object.ts";
import type { Resource } from "../../registry/resource.ts";
import type { PolicyHook } from "./configured.ts";

/** A policy or a binding that cannot be used as it is. */
export class ConfigurationError extends Error {
  override readonly name = "ConfigurationError";
}

/** The kind of a policy's parameters. */
export interface ParamKind {
  /** Of the objects as they are stored. */
  readonly stored: Resource;
  /** At the version that the policy asks for. */
  readonly resource: Resource;
}

/** Undefined for a policy without parameters. @throws ConfigurationError for a kind that is not served. */
export function paramKindOf({ server }: RequestScope, { policy }: PolicyHook): ParamKind | undefined {
  const paramKind = policy.spec["paramKind"];
  if (!isFields(paramKind)) return undefined;
  const [apiVersion, kind] = [textOf(paramKind["apiVersion"]), textOf(paramKind["kind"])];
  const resource = server.registry.ofKind(apiVersion, kind);
  if (resource !== undefined) return { resource, stored: server.registry.stored(resource) };
  const named = `${apiVersion.includes("/") ? apiVersion : `/${apiVersion}`}, Kind=${kind}`;
  throw new ConfigurationError(`failed to find resource referenced by paramKind: '${named}'`);
}

/** What is asked for. */
export interface ParamsAsked {
  readonly kind: ParamKind | undefined;
  /** `spec.paramRef` of the binding. */
  readonly ref: unknown;
  /** Of the operation. */
  readonly namespace: string;
}

/** Each is evaluated on its own; null where the binding refers to none. @throws ConfigurationError */
export function paramsOf(scope: RequestScope, { kind, ref, namespace }: ParamsAsked): (ApiObject | null)[] {
  if (kind === undefined || !isFields(ref)) return [null];
  const { stored } = kind;
  const place = stored.namespaced ? paramNamespace(ref, namespace) : "";
  if (!stored.namespaced && textOf(ref["namespace"]) !== "")
    throw new ConfigurationError("paramRef.namespace must not be provided for a cluster-scoped `paramKind`");
  const found = entriesOf(scope, { kind, ref, place });
  if (found.length === 0 && ref["parameterNotFoundAction"] === "Deny")
    throw new ConfigurationError("no params found for policy binding with `Deny` parameterNotFoundAction");
  return found.map((object) => shownAs(scope, { kind, object }));
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

function entriesOf({ server }: RequestScope, { kind, ref, place }: Place): ApiObject[] {
  const collection = collectionOf(server, kind.stored);
  const name = textOf(ref["name"]);
  if (name !== "") {
    const entry = collection.get(place, name);
    return entry === undefined ? [] : [entry.object];
  }
  const selector = isFields(ref["selector"]) ? selectorOf(ref["selector"]) : "nothing";
  const all = [...collection.range(place === "" ? {} : { namespace: place })];
  return all.map(({ object }) => object).filter(({ metadata }) => matches(selector, metadata.labels));
}

function shownAs(
  { server }: RequestScope,
  { kind, object }: { readonly kind: ParamKind; readonly object: ApiObject },
): ApiObject {
  const { form, apiVersion, struct } = kind.resource;
  return form?.convert(object) ?? atVersion(object, apiVersion, struct, server.registry.schema);
}
