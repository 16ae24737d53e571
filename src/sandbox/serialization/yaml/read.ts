/**
 * Converts a YAML body to JSON as kube-apiserver does: the first document, YAML 1.1's plain scalars (`yes`, `0777`), merges, keys as
 * strings. Source: sigs.k8s.io/yaml v1.6 yaml.go, go.yaml.in/yaml/v2 decode.go.
 */
import {
  Composer,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  type Node,
  Parser,
  type Scalar,
} from "yaml";
import { isFields, type Fields } from "../../meta/object.ts";
import { refusal } from "../../meta/refusal.ts";
import { goProblem, YamlProblem } from "./problems.ts";
import { plainValue, taggedValue, TagProblem } from "./scalars.ts";

/** A body in YAML, as JSON. */
export interface ReadYaml {
  readonly json: unknown;
  /** The errors for duplicate keys, of which the last counts: `line 8: key "a" already set in map`. */
  readonly repeated: readonly string[];
}

const unprintable = /[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;

/** @throws YamlProblem */
export function readYaml(body: Uint8Array): ReadYaml {
  const text = textOf(body);
  if (unprintable.test(text)) throw new YamlProblem("yaml: control characters are not allowed");
  const version = /^%YAML +(\S+)/m.exec(text.slice(0, text.indexOf("---") + 1))?.[1];
  if (version !== undefined && version !== "1.1") throw new YamlProblem("yaml: found incompatible YAML document");
  const lines = new LineCounter();
  try {
    const document = firstDocument(text, lines);
    if (document === undefined) return { json: null, repeated: [] };
    const [error] = document.errors;
    if (error !== undefined) {
      throw new YamlProblem(`yaml: ${goProblem(text, { code: error.code, message: error.message, at: error.pos[0] })}`);
    }
    const reading: Reading = { document, lines, repeated: [], decoded: 0, aliased: 0, depth: 0, within: new Set() };
    return { json: valueOf(document.contents, reading), repeated: reading.repeated };
  } catch (cause) {
    if (cause instanceof TagProblem) throw new YamlProblem(`yaml: ${cause.message}`, { cause });
    if (cause instanceof RangeError) throw new YamlProblem(`yaml: exceeded max depth of ${deepest}`, { cause });
    throw cause;
  }
}

function textOf(body: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(body);
  } catch (cause) {
    throw new YamlProblem("yaml: invalid leading UTF-8 octet", { cause });
  }
}

function firstDocument(text: string, lines: LineCounter): Document | undefined {
  checkSize(text);
  const composer = new Composer({
    version: "1.1",
    // All scalars as strings: their values follow Go's rules.
    schema: "failsafe",
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: "silent",
  });
  for (const document of composer.compose(new Parser(lines.addNewLine).parse(text))) return document;
  return undefined;
}

/** Go's maximum depth. */
const deepest = 10_000;
/** More would block the server for seconds, at about 10 µs each. An object of 1 MB has a third of this. */
const mostWords = 300_000;

/** @throws YamlProblem for lists and maps that are nested too deeply. @throws StatusError 413 for too many tokens. */
function checkSize(text: string): void {
  let words = 0;
  let depth = 0;
  for (const word of new Lexer().lex(text)) {
    if (word === "[" || word === "{") depth++;
    else if (word === "]" || word === "}") depth--;
    if (depth > deepest) throw new YamlProblem(`yaml: exceeded max depth of ${deepest}`);
    if (++words <= mostWords) continue;
    const message = `Request entity too large: YAML of more than ${mostWords} words is not read by this sandbox: send JSON`;
    throw refusal(413, "RequestEntityTooLarge", message);
  }
}

interface Reading {
  readonly document: Document;
  readonly lines: LineCounter;
  readonly repeated: string[];
  decoded: number;
  /** How many of them are below an alias. */
  aliased: number;
  /** The number of enclosing aliases. */
  depth: number;
  /** The nodes of the aliases being expanded. */
  readonly within: Set<Node>;
}

/** Aliases may expand a document, but not make up almost all of it. */
function count(reading: Reading): void {
  reading.decoded++;
  if (reading.depth > 0) reading.aliased++;
  const { aliased, decoded } = reading;
  if (aliased <= 100 || decoded <= 1000) return;
  const ratio =
    decoded <= 400_000 ? 0.99 : decoded >= 4_000_000 ? 0.1 : 0.99 - (0.89 * (decoded - 400_000)) / 3_600_000;
  if (aliased / decoded > ratio) throw new YamlProblem("yaml: document contains excessive aliasing");
}

function valueOf(node: Node | null | undefined, reading: Reading): unknown {
  count(reading);
  if (node === null || node === undefined) return null;
  if (isAlias(node)) return aliasedValue(node.source, node.resolve(reading.document), reading);
  if (isScalar(node)) return finite(scalarOf(node));
  if (isSeq(node)) return node.items.map((item) => valueOf(item as Node | null, reading));
  if (isMap(node)) return mapOf(node.items as readonly Pair[], reading);
  return null;
}

function aliasedValue(name: string, target: Node | undefined, reading: Reading): unknown {
  if (target === undefined) throw new YamlProblem(`yaml: unknown anchor '${name}' referenced`);
  if (reading.within.has(target)) throw new YamlProblem(`yaml: anchor '${name}' value contains itself`);
  reading.within.add(target);
  reading.depth++;
  const value = valueOf(target, reading);
  reading.depth--;
  reading.within.delete(target);
  return value;
}

function scalarOf(node: Scalar): string | number | boolean | null {
  const text = typeof node.value === "string" ? node.value : "";
  if (node.tag !== undefined && node.tag !== "tag:yaml.org,2002:str") return taggedValue(node.tag, text);
  const isPlain = node.type === undefined || node.type === "PLAIN";
  return isPlain && node.tag === undefined ? plainValue(text) : text;
}

function finite<T>(value: T): T {
  if (typeof value !== "number" || Number.isFinite(value)) return value;
  throw new YamlProblem(`json: unsupported value: ${Number.isNaN(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf"}`);
}

interface Pair {
  readonly key: Node | null;
  readonly value: Node | null;
}

const isMerge = (node: Node | null): boolean =>
  isScalar(node) && node.value === "<<" && (node.type === undefined || node.type === "PLAIN");

function mapOf(pairs: readonly Pair[], reading: Reading): Fields {
  const own = new Map<string, unknown>();
  const merged = new Map<string, unknown>();
  for (const { key, value } of pairs) {
    if (isMerge(key)) {
      for (const [name, item] of mergedFrom(value, reading)) merged.set(name, item);
      continue;
    }
    const keyValue = keyOf(key, value, reading);
    const name = String(keyValue);
    if (own.has(name))
      reading.repeated.push(`line ${lineOf(key, reading)}: key ${JSON.stringify(keyValue)} already set in map`);
    own.set(name, valueOf(value, reading));
  }
  const result: Fields = {};
  for (const [name, value] of [...merged, ...own]) {
    // Defined, not assigned: a key may be `__proto__`.
    Object.defineProperty(result, name, { value, enumerable: true, configurable: true, writable: true });
  }
  return result;
}

function lineOf(node: Node | null, { lines }: Reading): number {
  return node?.range === undefined || node.range === null ? 0 : lines.linePos(node.range[0]).line;
}

/** A map, or several, of which earlier ones take precedence. */
function mergedFrom(node: Node | null, reading: Reading): [string, unknown][] {
  const value = valueOf(node, reading);
  const maps = Array.isArray(value) ? value.toReversed() : [value];
  return maps.flatMap((map: unknown) => {
    if (!isFields(map)) throw new YamlProblem("yaml: map merge requires map or sequence of maps as the value");
    return Object.entries(map);
  });
}

/** @throws YamlProblem for a key that JSON cannot have. */
function keyOf(node: Node | null, value: Node | null, reading: Reading): string | number | boolean {
  const key = valueOf(node, reading);
  if (typeof key === "string" || typeof key === "number" || typeof key === "boolean") return key;
  if (key !== null) throw new YamlProblem(`yaml: invalid map key: ${goSyntax(key)}`);
  const shown = goSyntax(valueOf(value, reading));
  throw new YamlProblem(`unsupported map key of type: %!s(<nil>), key: <nil>, value: ${shown}`);
}

/** A value in Go syntax. */
function goSyntax(value: unknown): string {
  if (value === null) return "interface {}(nil)";
  if (Array.isArray(value)) return `[]interface {}{${value.map(goSyntax).join(", ")}}`;
  if (!isFields(value)) return JSON.stringify(value);
  const entries = Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}:${goSyntax(item)}`);
  return `map[interface {}]interface {}{${entries.join(", ")}}`;
}
