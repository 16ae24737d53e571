/** Lists: consistent, at one revision, in pages. Source: apiserver v0.36 storage/etcd3/store.go GetList, storage/continue.go. */
import type { Content } from "../serialization/content.ts";
import { itemText, itemValue, type Format } from "../serialization/encoding.ts";
import { goNumber, jsonNameOf } from "../meta/json.ts";
import type { ListOptions } from "../options/list-options.ts";
import { revisionOf } from "../options/list-options.ts";
import { isFields } from "../meta/object.ts";
import { jsonProblem } from "../meta/json-problems.ts";
import { badRequest, expired, refusal } from "../meta/refusal.ts";
import { selects, selectsAll, type Selection } from "../options/selection.ts";
import { keyOf, type Collection } from "../storage/collection.ts";
import type { Resource } from "../registry/resource.ts";
import type { Entry } from "../storage/entry.ts";
import type { Store } from "../storage/store.ts";

/** One page of a list. */
export interface Listed {
  readonly entries: readonly Entry[];
  readonly revision: number;
  readonly continueToken: string;
  readonly remaining: number | undefined;
}

interface ContinueToken {
  readonly revision: number;
  readonly from: string;
}

const invalidKey = "invalid continue token: continue key is not valid";

function base64Url(text: string): string {
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** The token to continue after `last`. If the list is of one namespace, keys are relative to it. */
function tokenAfter(last: Entry, namespace: string | undefined, revision: number): string {
  const key = namespace === undefined ? keyOf(last) : last.name;
  return base64Url(JSON.stringify({ v: "meta.k8s.io/v1", rv: revision, start: `${key}\u0000` }));
}

/** @throws StatusError 400 for an invalid token. */
function readToken(token: string, namespace: string | undefined): ContinueToken {
  let value: unknown;
  let text: string;
  try {
    text = atob(token.replaceAll("-", "+").replaceAll("_", "/"));
  } catch {
    // If no character is invalid, the error is a single leftover letter at the end.
    const bad = token.search(/[^\w-]/);
    throw badRequest(`${invalidKey}: illegal base64 data at input byte ${bad < 0 ? token.length - 1 : bad}`);
  }
  try {
    value = JSON.parse(text) as unknown;
  } catch {
    throw badRequest(`${invalidKey}: ${jsonProblem(text)}`);
  }
  const read = tokenFields(value ?? {});
  if (read.v !== "meta.k8s.io/v1")
    throw badRequest(`${invalidKey}: server does not recognize this encoded version ${read.v}`);
  if (read.rv === 0)
    throw badRequest(`${invalidKey}: incorrect encoded start resourceVersion (version meta.k8s.io/v1)`);
  if (read.start === "") throw badRequest(`${invalidKey}: encoded start key empty (version meta.k8s.io/v1)`);
  if (read.start.split("/").some((part) => part === ".." || part === "." || part === "")) {
    throw badRequest(`${invalidKey}: ${read.start}`);
  }
  return { revision: read.rv, from: namespace === undefined ? read.start : `${namespace}/${read.start}` };
}

interface TokenFields {
  readonly v: string;
  readonly rv: number;
  readonly start: string;
}

/** The fields of a token; missing ones have Go's zero values. @throws StatusError 400 for a wrong type. */
function tokenFields(value: unknown): TokenFields {
  if (!isFields(value)) throw wrongField(value, "Go value of type storage.continueToken");
  const text = (key: "v" | "start"): string => {
    const field = value[key] ?? "";
    if (typeof field !== "string") throw wrongField(field, `Go struct field continueToken.${key} of type string`);
    return field;
  };
  const rv = value["rv"] ?? 0;
  if (typeof rv !== "number" || !Number.isInteger(rv) || Math.abs(rv) >= 2 ** 63)
    throw wrongField(rv, "Go struct field continueToken.rv of type int64", true);
  return { v: text("v"), rv, start: text("start") };
}

function wrongField(value: unknown, what: string, isNumeric = false): Error {
  const number = typeof value === "number" && isNumeric ? ` ${goNumber(value)}` : "";
  return badRequest(`${invalidKey}: json: cannot unmarshal ${jsonNameOf(value)}${number} into ${what}`);
}

/** The error for a revision in the future. `requested` may be a string, as a number cannot represent all 64-bit integers. */
export function tooLarge(requested: number | string, current: number): Error {
  return refusal(504, "Timeout", `Timeout: Too large resource version: ${BigInt(requested)}, current: ${current}`, {
    causes: [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }],
    retryAfterSeconds: 1,
  });
}

/** The revisions that can be listed: from the oldest available one to the last. */
type Revisions = Pick<Store, "revision" | "oldest">;

/**
 * The objects of a list. @throws StatusError 410 for a revision that is no longer available, 504 for a future one, 400 for an invalid
 * token.
 */
export function listed(collection: Collection, options: ListOptions, store: Revisions): Listed {
  const { revision: current, oldest } = store;
  const isKept = (revision: number): boolean => revision >= oldest && collection.watchCache.covers(revision);
  const { selection, limit, continueToken } = options;
  const { namespace } = selection;
  if (continueToken !== "") {
    const token = readToken(continueToken, namespace);
    if (options.resourceVersion !== "" && options.resourceVersion !== "0") {
      throw badRequest("specifying resource version is not allowed when using continue");
    }
    const size = options.resourceVersion === "0" ? 0 : limit;
    // A negative version requests the current state: a way to continue after a token has expired.
    const revision = token.revision < 0 ? current : token.revision;
    if (revision > current) throw tooLarge(revision, current);
    if (!isKept(revision)) throw expiredToken(continueToken, token, current);
    return page(collection.rangeAt({ namespace, from: token.from }, revision), selection, size, revision);
  }
  const requested = revisionOf(options.resourceVersion, true);
  if (requested > current) throw tooLarge(options.resourceVersion, current);
  const exact = options.match === "Exact" || (options.match === "" && limit > 0 && requested > 0);
  if (exact) {
    if (!isKept(requested)) throw expired("The resourceVersion for the provided list is too old.");
    return page(collection.rangeAt({ namespace }, requested), selection, limit, requested);
  }
  // The real server serves this from its watch cache, without pages.
  const whole = options.resourceVersion === "0";
  return page(onNode(collection.range({ namespace }), selection), selection, whole ? 0 : limit, current);
}

/** The pods of one node: the real server's cache indexes them, so it counts only them as remaining. */
function onNode(range: Iterable<Entry>, { fields }: Selection): Iterable<Entry> {
  const node = fields.terms.find(({ field, equal }) => equal && field === "spec.nodeName")?.value;
  return node === undefined ? range : ofNode(range, node);
}

function* ofNode(range: Iterable<Entry>, node: string): Generator<Entry> {
  for (const entry of range) {
    const { kind, spec } = entry.object;
    if (kind !== "Pod" || (spec?.["nodeName"] ?? "") === node) yield entry;
  }
}

/** The name selected in a namespace, if any: the real server then reads only that object. */
function selectedName({ namespace, fields }: Selection): string | undefined {
  if (namespace === undefined) return undefined;
  return fields.terms.find(({ field, equal }) => equal && field === "metadata.name")?.value;
}

function page(range: Iterable<Entry>, selection: Selection, limit: number, revision: number): Listed {
  const all = selectsAll(selection);
  const entries: Entry[] = [];
  let left = 0;
  const only = selectedName(selection);
  for (const entry of range) {
    if (only !== undefined && entry.name !== only) continue;
    if (limit > 0 && entries.length === limit) {
      left++;
      // With a selector, the real server knows that more objects follow, but not whether they match or how many.
      if (!all) break;
    } else if (all || selects(selection, entry)) entries.push(entry);
  }
  const last = entries.at(-1);
  const token = left === 0 || last === undefined ? "" : tokenAfter(last, selection.namespace, revision);
  return { entries, revision, continueToken: token, remaining: left > 0 && all ? left : undefined };
}

function expiredToken(token: string, { from }: ContinueToken, current: number): Error {
  const inconsistent = base64Url(
    JSON.stringify({ v: "meta.k8s.io/v1", rv: -1, start: token === "" ? from : readStart(token) }),
  );
  const message =
    "The provided continue parameter is too old to display a consistent list result. You can start a new list without " +
    "the continue parameter, or use the continue token in this response to retrieve the remainder of the results. " +
    "Continuing with the provided token results in an inconsistent list - objects that were created, modified, or " +
    "deleted between the time the first chunk was returned and now may show up in the list.";
  const error = expired(message);
  return refusal(error.code, error.reason, message, undefined, {
    continue: inconsistent,
    resourceVersion: String(current),
  });
}

function readStart(token: string): string {
  return (JSON.parse(atob(token.replaceAll("-", "+").replaceAll("_", "/"))) as { readonly start: string }).start;
}

/** The metadata of a list. */
export function listMetadata({ revision, continueToken, remaining }: Listed): object {
  return {
    resourceVersion: String(revision),
    ...(continueToken === "" ? {} : { continue: continueToken }),
    ...(remaining === undefined ? {} : { remainingItemCount: remaining }),
  };
}

/** A list of objects of one kind, each in the format. */
export function listContent(
  { kind, apiVersion, form }: Pick<Resource, "kind" | "apiVersion" | "form">,
  list: Listed,
  format: Format,
): Content {
  const { entries } = list;
  const head = {
    kind: form?.listKind ?? `${kind}List`,
    apiVersion,
    metadata: { ...(form === undefined ? {} : { continue: "" }), ...listMetadata(list) },
  };
  // An empty list of metadata is null in the real server.
  const isNull = entries.length === 0 && kind === "PartialObjectMetadata";
  return {
    json() {
      const items = isNull ? "null" : `[${entries.map((entry) => itemText(entry, format)).join(",")}]`;
      return `${JSON.stringify(head).slice(0, -1)},"items":${items}}`;
    },
    value: () => ({ ...head, items: isNull ? null : entries.map((entry) => itemValue(entry, format)) }),
  };
}
