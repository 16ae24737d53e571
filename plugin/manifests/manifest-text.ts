/** Parses the text of a manifest file: its objects, its errors, and their lines. */
import { messageOf } from "../../src/api/error-message.ts";
import { isObject } from "../../src/api/json.ts";
import { type Document, isMap, isScalar, isSeq, LineCounter, type Node, parseAllDocuments } from "yaml";

/** The file name for manifests of `-f -`. */
export const standardInput = "standard input";

/** Whether a manifest's file is an actual file. */
export function isInWorkTree(file: string): boolean {
  return file !== standardInput && !isUrl(file);
}

/** Whether `-f` names a URL. Source: cli-runtime v0.36 pkg/resource/builder.go FilenameParam. */
export function isUrl(path: string): boolean {
  return path.startsWith("http://") || path.startsWith("https://");
}

/** One object, and its place in the file. */
export interface Manifest {
  /** `shop/web.yaml`, a URL, or `standardInput`. */
  readonly file: string;
  /** From 1. */
  readonly document: number;
  /** The line of the file on which the document starts, from 1. */
  readonly line: number;
  readonly object: ManifestObject;
  /** The line of a field, `spec.template.spec.containers[0].image`, or of its nearest parent. */
  readonly lineOf?: (field: string) => number;
}

/** An object in a manifest: it has a kind, and is otherwise not checked. */
export interface ManifestObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name?: string;
    readonly generateName?: string;
    readonly namespace?: string;
  };
}

/** An error in a manifest. */
export interface Problem {
  readonly file: string;
  readonly document: number;
  /** Unset if unknown. */
  readonly line?: number;
  /** `Deployment web`; unset if the document is not an object. */
  readonly object?: string;
  readonly text: string;
}

/** `a.yaml, document 2, line 7: …`; for an object `a.yaml, document 2 (Deployment web), line 9: …`. */
export function problemText({ file, document, object, line, text }: Problem): string {
  const name = object === undefined ? "" : ` (${object})`;
  return `${file}, document ${document}${name}${line === undefined ? "" : `, line ${line}`}: ${text}`;
}

/** `Deployment web`. */
export function objectName({ kind, metadata }: ManifestObject): string {
  return `${kind} ${metadata.name ?? `${metadata.generateName ?? ""}…`}`;
}

/** `shop/web.yaml, document 2 (Deployment web)` */
export function placeOf({ file, document, object }: Manifest): string {
  return `${file}, document ${document} (${objectName(object)})`;
}

/** The objects of one text; errors are added to `problems`. */
export function parseManifests(file: string, text: string, problems: Problem[]): readonly Manifest[] {
  const json = jsonOf(text);
  if (json !== undefined) {
    return objectsIn({ file, document: 1, line: 1 }, json, {
      problem: (problem) => void problems.push({ file, document: 1, text: problem }),
      lineOf: (item) => (field) => lineIn(text, 0, [...item, ...fieldSteps(field)]),
    });
  }
  const lineCounter = new LineCounter();
  const manifests: Manifest[] = [];
  for (const [index, document] of documentsIn(text, lineCounter).entries()) {
    const problem = (text: string, offset?: number): void => {
      const line = offset === undefined ? {} : { line: lineCounter.linePos(offset).line };
      problems.push({ file, document: index + 1, ...line, text });
    };
    const [error] = document.errors;
    if (error !== undefined) problem(firstLine(error.message), error.pos[0]);
    else {
      const line = lineCounter.linePos(document.contents?.range?.[0] ?? 0).line;
      const lineOf: LineOf = (item) => (field) => lineIn(text, index, [...item, ...fieldSteps(field)]);
      manifests.push(...objectsOf({ file, document: index + 1, line }, document, { problem, lineOf }));
    }
  }
  return manifests;
}

function documentsIn(text: string, lineCounter: LineCounter): readonly Document.Parsed[] {
  const parsed = parseAllDocuments(text, {
    lineCounter,
    // As in kubectl: 0644 is octal, `yes` is true; but 1:30 stays a string, and so does a date.
    version: "1.1",
    customTags: (tags) => tags.filter((tag) => typeof tag === "string" || !isTimeLike(tag)),
    stringKeys: true,
    prettyErrors: false,
  });
  return "empty" in parsed ? [] : parsed;
}

/** Complete JSON need not be parsed as YAML, which takes twenty times as long; undefined for anything else. */
function jsonOf(text: string): object | undefined {
  if (!/^\s*\{/.test(text)) return undefined;
  try {
    return JSON.parse(text) as object;
  } catch {
    // The YAML parser finds the error, or that it is a flow mapping.
    return undefined;
  }
}

/** Dates and base 60 numbers, which YAML 1.1 supports and kubectl does not. */
function isTimeLike(tag: { readonly tag?: string; readonly format?: string }): boolean {
  return tag.tag === "tag:yaml.org,2002:timestamp" || tag.format === "TIME";
}

function firstLine(text: string): string {
  return text.split("\n", 1)[0] ?? "";
}

type Step = string | number;

/** Maps the path of an object in a document to a function that finds the lines of its fields. */
type LineOf = (item: readonly Step[]) => (field: string) => number;

interface Reader {
  readonly problem: (text: string, offset?: number) => void;
  readonly lineOf: LineOf;
}

function objectsOf(
  place: Omit<Manifest, "object">,
  document: Document.Parsed,
  { problem, lineOf }: Reader,
): readonly Manifest[] {
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: 100 });
  } catch (error) {
    problem(messageOf(error));
    return [];
  }
  if (value === null || value === undefined) return [];
  const offset = document.contents?.range[0];
  if (!isMap(document.contents)) {
    problem("it is not an object: a manifest begins with apiVersion and kind", offset);
    return [];
  }
  return objectsIn(place, value, { problem: (text) => problem(text, offset), lineOf });
}

function objectsIn(place: Omit<Manifest, "object">, value: unknown, { problem, lineOf }: Reader): readonly Manifest[] {
  return unfolded(value).flatMap((object, index) => {
    const isItem = object !== value;
    const wrong = wrongWith(object);
    if (wrong === undefined) {
      return [{ ...place, object: object as ManifestObject, lineOf: lineOf(isItem ? ["items", index] : []) }];
    }
    problem(`${isItem ? `items[${index}]: ` : ""}${wrong}`);
    return [];
  });
}

/** The objects of a list (`kind: List`, `PodList`), or the single object. */
function unfolded(value: unknown): readonly unknown[] {
  if (!isObject(value)) return [value];
  const { kind, items } = value;
  return typeof kind === "string" && kind.endsWith("List") && Array.isArray(items) ? items : [value];
}

/** Why it is not a valid object; undefined if it is. */
function wrongWith(object: unknown): string | undefined {
  if (!isObject(object)) return "it is not an object";
  const { apiVersion, kind, metadata } = object;
  if (kind === "Kustomization" || kind === "Component") {
    return "it is for kustomize, not for an API server: give its folder with -k";
  }
  if (typeof apiVersion !== "string" || apiVersion === "") return "apiVersion: Required value";
  if (typeof kind !== "string" || kind === "") return "kind: Required value";
  if (!isObject(metadata)) return "metadata: Required value";
  const { name, generateName, namespace } = metadata;
  if (typeof name !== "string" && typeof generateName !== "string") return "metadata.name: Required value";
  if (namespace !== undefined && typeof namespace !== "string") return "metadata.namespace: it must be a string";
  return undefined;
}

/** `spec.ports[0].name`, `metadata.annotations[a.b/c]`, as API servers name fields. */
function fieldSteps(field: string): readonly Step[] {
  return [...field.matchAll(/\[(\d+)\]|\[([^\]]+)\]|([^.[\]]+)/g)].map(([, index, key, name]) =>
    index === undefined ? (key ?? name ?? "") : Number(index),
  );
}

/** Parses the document again: lines are only needed for errors. */
function lineIn(text: string, index: number, steps: readonly Step[]): number {
  const lineCounter = new LineCounter();
  const document = documentsIn(text, lineCounter)[index];
  const offset = offsetOf(document?.contents ?? null, steps) ?? document?.contents?.range[0] ?? 0;
  return lineCounter.linePos(offset).line;
}

/** Where the field starts, or else its nearest existing parent. */
function offsetOf(node: Node | null, steps: readonly Step[]): number | undefined {
  const [step, ...rest] = steps;
  if (step === undefined) return undefined;
  if (isMap(node)) {
    const pair = node.items.find(({ key }) => isScalar(key) && key.value === String(step));
    if (pair === undefined) return undefined;
    return offsetOf(pair.value as Node | null, rest) ?? (pair.key as Node).range?.[0];
  }
  if (!isSeq(node)) return undefined;
  if (typeof step === "number") {
    const item = node.items[step] as Node | undefined;
    return item === undefined ? undefined : (offsetOf(item, rest) ?? item.range?.[0]);
  }
  // Decoding errors do not name the item: takes the first that has the field.
  for (const item of node.items) {
    const offset = offsetOf(item as Node, steps);
    if (offset !== undefined) return offset;
  }
  return undefined;
}
