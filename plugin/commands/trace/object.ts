/** The object that a trace is limited to: `TYPE/NAME` or `NAMESPACE/NAME`. */
import { splitKey } from "../../../src/api/key.ts";
import type { Kind } from "../../../src/api/kind.ts";
import type { Client } from "../../../src/client/api/verbs.ts";
import type { ControllerDefinition } from "../../../src/controller/api/definition.ts";
import type { FindObject } from "../../../src/views/chains.ts";
import { UserError } from "../../cli/user-error.ts";
import { isMissing, missingText } from "../../names/missing-object.ts";
import { type NamedObject, objectNamed } from "../../names/object-names.ts";
import type { TraceRequest } from "./request.ts";
import { kindsKnown } from "./subject.ts";
import type { TracePlace } from "./target.ts";

/** What names are looked up in. */
export interface Lookup extends Pick<TracePlace, "kinds" | "namespace"> {
  readonly request: TraceRequest;
}

/** @throws UserError for `--why` with an unknown type. */
export function resolvedObject(
  word: string | undefined,
  { request, kinds, namespace }: Lookup,
): NamedObject | undefined {
  if (word === undefined) return undefined;
  const named = objectNamed(word, kindsKnown(request.controllers, kinds), namespace);
  if (named.kind === undefined && word === request.why)
    throw new UserError(`--why ${word}: none of these controllers knows a type ${typeOf(word)}`, [
      typesKnown(request, "`kubectl api-resources` lists the types"),
    ]);
  return named;
}

/**
 * The namespace of `NAMESPACE/NAME`; undefined for `TYPE/NAME`.
 * @throws UserError if `-n` names another: then the first part was probably meant as a type.
 */
export function namespaceOfObject(request: TraceRequest, kinds: readonly Kind[]): string | undefined {
  const { object, flags } = request;
  const named = resolvedObject(object, { request, kinds, namespace: "" });
  if (object === undefined || named === undefined || named.kind !== undefined) return undefined;
  const { namespace } = splitKey(named.key);
  if (flags.namespace === undefined || flags.namespace === namespace) return namespace;
  throw neitherTypeNor(`the namespace ${flags.namespace}`, request);
}

/** For an object whose first part is not a type, and no namespace either. */
export function neitherTypeNor(other: string, request: TraceRequest): UserError {
  const { object = "" } = request;
  const next = typesKnown(request, "write NAMESPACE/NAME");
  return new UserError(`${object}: ${typeOf(object)} is neither a type that these controllers watch nor ${other}`, [
    next,
  ]);
}

/** `they watch Pod, ReplicaSet`. */
function typesKnown({ controllers }: TraceRequest, otherwise: string): string {
  const known = new Set(kindsKnown(controllers, []).map(({ kind }) => kind));
  return known.size === 0 ? otherwise : `they watch ${[...known].join(", ")}`;
}

const typeOf = (word: string): string => word.split("/")[0] ?? "";

/** The filled caches of a trace. */
export interface FilledCaches {
  readonly place: TracePlace;
  /** Those that run. */
  readonly controllers: readonly ControllerDefinition[];
  readonly find: FindObject;
}

/** States that the object does not exist, since then nothing is traced; undefined if it exists, or if these caches may lack it. */
export function missingObjectText(
  request: TraceRequest,
  { place, controllers, find }: FilledCaches,
): string | undefined {
  const named = resolvedObject(request.object ?? request.why, { ...place, request });
  if (named === undefined) return undefined;
  const { kind, key } = named;
  const watches = controllers.flatMap((definition) => definition.watches);
  const filled = new Set(watches.flatMap((watch) => (watch.deferred === true ? [] : watch.kind.kind)));
  const kinds = new Set(kind === undefined ? controllers.map((definition) => definition.for?.kind) : [kind.kind]);
  for (const each of kinds)
    if (each === undefined || !filled.has(each) || find({ kind: each, key }) !== undefined) return undefined;
  return missingText({ kinds: [...kinds].flatMap((each) => each ?? []), key, shown: shownLater(request) });
}

/** The same for a sandbox, whose caches may not have the latest manifest yet: the server is asked. @throws StatusError. */
export async function missingInSandboxText(lookup: Lookup, client: Client): Promise<string | undefined> {
  const { request } = lookup;
  const named = resolvedObject(request.object ?? request.why, lookup);
  if (named === undefined) return undefined;
  const { key } = named;
  const kinds = named.kind === undefined ? request.controllers.flatMap((each) => each.for ?? []) : [named.kind];
  if (kinds.length === 0) return undefined;
  const missing = await Promise.all(kinds.map((kind) => isMissing(client, { kind, key })));
  if (missing.includes(false)) return undefined;
  return missingText({ kinds: [...new Set(kinds.map(({ kind }) => kind))], key, shown: shownLater(request) });
}

/** With `--once` it ends before the object may exist. */
function shownLater({ once }: TraceRequest): "syncs" | undefined {
  return once ? undefined : "syncs";
}
