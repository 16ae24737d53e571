/**
 * The whole state of a server as a document: JSON with one field per line, so people can read it, compare it and keep it under version
 * control. Objects are exactly as stored, sorted like etcd's keys.
 */
import { messageOf } from "../../api/error-message.ts";
import { formatTime, readTime } from "../../api/time.ts";
import { isVerifyingKey } from "../../platform/json-web-token.ts";
import type { TokenKey } from "../context/authenticator.ts";
import { isFields, type ApiObject, type Fields } from "../meta/object.ts";

/** The whole state of a server: everything that a new one needs to continue. */
export interface SandboxState {
  /** The revision of the last write: no object has a later one. */
  readonly revision: number;
  /** The objects of all kinds, in any order. */
  readonly items: readonly ApiObject[];
  /** Public keys of the ServiceAccount tokens that earlier servers have signed. Default: none. */
  readonly serviceAccountKeys?: readonly TokenKey[];
}

/** Text that is not a state, or a state that cannot be loaded. The message follows the name of the file: `is empty`. */
export class StateProblem extends RangeError {
  override readonly name = "StateProblem";
}

const group = "sandbox.kubectl-reconcile.io";
const version = "v1";
const kind = "State";

/** The content of a state besides its objects. */
export interface StateHead {
  readonly revision: number;
  readonly keys: readonly TokenKey[];
}

/** The text of a state, in pieces; an entry's `text` is the JSON of its object. */
export function* stateText(
  { revision, keys }: StateHead,
  entries: Iterable<{ readonly text: string }>,
): Generator<string> {
  const serviceAccountKeys = keys.map(({ publicKey, until }) => ({ publicKey, until: formatTime(until * 1000) }));
  const head = {
    apiVersion: `${group}/${version}`,
    kind,
    revision,
    // A state without tokens has no keys, and is the same from run to run.
    ...(keys.length === 0 ? {} : { serviceAccountKeys }),
  };
  yield `${JSON.stringify(head, null, 2).slice(0, -2)},\n  "items": [`;
  let separator = "\n";
  for (const { text } of entries) {
    // JSON strings contain no line breaks.
    yield `${separator}    ${JSON.stringify(JSON.parse(text), null, 2).replaceAll("\n", "\n    ")}`;
    separator = ",\n";
  }
  yield "\n  ]\n}\n";
}

/** Parses a state. Kinds and duplicates are checked on loading. @throws StateProblem. */
export function readState(text: string): SandboxState {
  const { apiVersion, kind: foundKind, revision, items, serviceAccountKeys } = documentIn(text);
  if (foundKind !== kind || typeof apiVersion !== "string" || !apiVersion.startsWith(`${group}/`))
    throw new StateProblem(`is no saved state: it is ${nameOf(foundKind, apiVersion)}`);
  if (apiVersion !== `${group}/${version}`)
    throw new StateProblem(`has the format ${apiVersion}, and this program reads ${group}/${version} alone`);
  if (!isRevision(revision)) throw new StateProblem("has no revision: a whole number from 1 on");
  if (!Array.isArray(items)) throw new StateProblem("has no list of items");
  return {
    revision,
    items: items.map((item: unknown, index) => objectIn(item, { index, revision })),
    serviceAccountKeys: keysIn(serviceAccountKeys),
  };
}

function keysIn(value: unknown = []): readonly TokenKey[] {
  if (!Array.isArray(value)) throw new StateProblem("has serviceAccountKeys that are no list");
  return value.map((item: unknown, index) => {
    const { publicKey, until } = isFields(item) ? item : {};
    const expires = typeof until === "string" ? readTime(until) : undefined;
    if (typeof publicKey !== "string" || !isVerifyingKey(publicKey))
      throw new StateProblem(`serviceAccountKeys[${index}] has no publicKey: PEM of a key of P-256 or RSA`);
    if (expires === undefined)
      throw new StateProblem(`serviceAccountKeys[${index}] has no time until: as 2027-01-31T08:00:00Z`);
    return { publicKey, until: Math.floor(expires / 1000) };
  });
}

function documentIn(text: string): Fields {
  if (text.trim() === "") throw new StateProblem("is empty");
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    const isCut = text.trimStart().startsWith("{");
    const why = isCut ? `is damaged or was cut off: ${messageOf(cause)}` : "is no saved state: it is not JSON";
    throw new StateProblem(why, { cause });
  }
  if (!isFields(value)) throw new StateProblem("is no saved state: it holds no JSON object");
  return value;
}

function nameOf(kind: unknown, apiVersion: unknown): string {
  if (typeof kind !== "string") return "an object without a kind";
  return typeof apiVersion === "string" ? `${kind} of ${apiVersion}` : kind;
}

const isRevision = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) > 0;
const isText = (value: unknown): value is string => typeof value === "string" && value !== "";

interface Place {
  readonly index: number;
  readonly revision: number;
}

function objectIn(item: unknown, { index, revision }: Place): ApiObject {
  const metadata = isFields(item) ? item["metadata"] : undefined;
  if (!isFields(item) || !isFields(metadata)) throw new StateProblem(`items[${index}] is no object with metadata`);
  for (const [name, value] of [
    ["kind", item["kind"]],
    ["apiVersion", item["apiVersion"]],
    ["metadata.name", metadata["name"]],
  ] as const)
    if (!isText(value)) throw new StateProblem(`items[${index}] has no ${name}`);
  const own = metadata["resourceVersion"];
  // An object that was added by hand has none.
  if (own !== undefined && !(isRevision(Number(own)) && Number(own) <= revision))
    throw new StateProblem(
      `items[${index}] has the resourceVersion ${JSON.stringify(own)}, and ${revision} is the newest`,
    );
  // Its kind, apiVersion and metadata were checked above.
  return item as ApiObject;
}
