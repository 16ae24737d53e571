/**
 * JSON as the API server parses it: rejects what Go rejects, reports duplicate keys, and detects integers that a number cannot represent
 * instead of silently changing them. Source: sigs.k8s.io/json v0 internal/golang/encoding/json.
 */
import { jsonProblem } from "./json-problems.ts";
import { badRequest } from "./refusal.ts";

/** A byte order mark is not valid JSON, and must not be ignored. */
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** A body in JSON, with the facts about its text that strict decoding needs. */
export interface JsonRead {
  readonly value: unknown;
  /** `duplicate field "data.a"`, in text order. */
  readonly repeated: readonly string[];
  /** The first integer that cannot be represented exactly, as written. */
  readonly inexact: string | undefined;
  readonly literals: Literals;
}

/**
 * The literals of numbers with a fraction or an exponent (`1.0`, `1e3`), by path (`spec.ports[0].port`): integer fields do not accept them,
 * whatever their value.
 */
export type Literals = ReadonlyMap<string, string>;

const nothing: readonly string[] = [];
/** No literals. */
export const noLiterals: Literals = new Map();

/** Parses a body as JSON; `wrap` creates the message of an error. @throws StatusError 400. */
export function readJson(body: Uint8Array, wrap: (problem: string) => string): JsonRead {
  if (body.length > 2 * deepest && isTooDeep(body)) throw badRequest(wrap("invalid character '[' exceeded max depth"));
  const text = decoder.decode(body);
  let value: unknown;
  try {
    value = JSON.parse(text) as unknown;
  } catch (cause) {
    throw badRequest(wrap(jsonProblem(Buffer.from(body).toString("latin1")) ?? (cause as Error).message));
  }
  // JSON.parse keeps only one of duplicate keys: then fewer keys are left than were written.
  const mayRepeat = spacedKey.test(text) || countOf('":', text) !== keysIn(value);
  return {
    value,
    repeated: mayRepeat ? repeatedKeys(text) : nothing,
    inexact: longNumber.test(text) ? inexactNumber(text) : undefined,
    literals: literal.test(text) ? literalsIn(text) : noLiterals,
  };
}

/** Go's maximum depth. */
const deepest = 10_000;
const [quote, backslash, openBracket, openBrace, closeBracket, closeBrace] = [0x22, 0x5c, 0x5b, 0x7b, 0x5d, 0x7d];

/** True if lists and objects are nested deeper than Go allows. */
function isTooDeep(body: Uint8Array): boolean {
  let depth = 0;
  let inText = false;
  for (let i = 0; i < body.length; i++) {
    const byte = body[i];
    if (inText) {
      if (byte === backslash) i++;
      else if (byte === quote) inText = false;
    } else if (byte === quote) inText = true;
    else if (byte === openBracket || byte === openBrace) {
      if (++depth > deepest) return true;
    } else if (byte === closeBracket || byte === closeBrace) depth--;
  }
  return false;
}

/** 2^53 has 16 digits: shorter numbers are exact. */
const longNumber = /\d{16}/;
const spacedKey = /"\s+:/;
/** A number that is not only digits; rarely matches inside a string. */
const literal = /(?:^|[:,[\s])-?\d+(?:\.\d+(?:[eE][+-]?\d+)?|[eE][+-]?\d+)(?=[\s,}\]]|$)/;

function countOf(part: string, text: string): number {
  let count = 0;
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) count++;
  return count;
}

/** The number of keys of all objects in a value. */
function keysIn(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  let count = 0;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) count += keysIn(value[i]);
    return count;
  }
  for (const key in value) {
    count++;
    const item = (value as Record<string, unknown>)[key];
    if (typeof item === "object" && item !== null) count += keysIn(item);
  }
  return count;
}

/** The tokens of JSON. */
const pieces = /"(?:[^"\\]|\\.)*"|-?[0-9][0-9.eE+-]*|[{}[\],:]|[a-z]+/g;

/** The position of a token: in an object, after which key; or in a list, at which index. */
type Open = { readonly is: "object"; readonly keys: Set<string>; key: string } | { readonly is: "list"; index: number };

const stepOf = (open: Open, isFirst: boolean): string =>
  open.is === "list" ? `[${open.index}]` : `${isFirst ? "" : "."}${open.key}`;

interface Visitor {
  /** A duplicate key of an object. */
  repeated?(path: string): void;
  /** A number or a word, as written. */
  bare?(path: string, piece: string): void;
}

/** Visits the tokens of a JSON text. */
function visit(text: string, visitor: Visitor): void {
  const stack: Open[] = [];
  const path = (): string => stack.map((open, index) => stepOf(open, index === 0)).join("");
  let isKey = false;
  for (const [piece] of text.matchAll(pieces)) {
    const top = stack.at(-1);
    if (piece === "{") {
      stack.push({ is: "object", keys: new Set(), key: "" });
      isKey = true;
    } else if (piece === "[") {
      stack.push({ is: "list", index: 0 });
      isKey = false;
    } else if (piece === "}" || piece === "]") {
      stack.pop();
      isKey = false;
    } else if (piece === ",") {
      if (top?.is === "list") top.index++;
      isKey = top?.is === "object";
    } else if (isKey && top?.is === "object" && piece !== ":") {
      top.key = JSON.parse(piece) as string;
      isKey = false;
      if (top.keys.has(top.key)) visitor.repeated?.(path());
      top.keys.add(top.key);
    } else if (piece !== ":" && !piece.startsWith('"')) visitor.bare?.(path(), piece);
  }
}

/** The duplicate keys of objects; `text` is valid JSON. Source: sigs.k8s.io/json kubernetes_patch.go saveStrictError. */
function repeatedKeys(text: string): readonly string[] {
  const found = new Set<string>();
  visit(text, { repeated: (path) => found.add(`duplicate field "${path}"`) });
  return [...found];
}

function literalsIn(text: string): Literals {
  const found = new Map<string, string>();
  visit(text, {
    bare(path, piece) {
      // Of duplicate keys, the last counts.
      if (/[.eE]/.test(piece) && /^-?\d/.test(piece)) found.set(path, piece);
      else found.delete(path);
    },
  });
  return found;
}

/** The first integer in a JSON text that a number here cannot represent. */
function inexactNumber(text: string): string | undefined {
  for (const [piece] of text.matchAll(pieces)) {
    if (/^-?\d{16,}$/.test(piece) && BigInt(Number(piece)) !== BigInt(piece)) return piece;
  }
  return undefined;
}

/** The type of a JSON value, as Go's decoder names it. */
export function jsonNameOf(json: unknown): string {
  if (Array.isArray(json)) return "array";
  return typeof json === "boolean" ? "bool" : typeof json;
}

/** A number in its most likely notation. */
export const goNumber = (value: number): string =>
  Number.isInteger(value) && Math.abs(value) < 1e21 ? BigInt(value).toString() : String(value).replace("e+", "e");
