/** Manifests: files, folders and standard input, YAML or JSON, as `kubectl apply -f` reads them. */
import { type Document, isMap, LineCounter, parseAllDocuments } from "yaml";
import { filesOf, readStandardInput, readTextFile } from "../src/platform/files.ts";
import { UserError } from "./user-error.ts";

/** One object, and where it stands. */
export interface Manifest {
  /** `shop/web.yaml`, or `standard input`. */
  readonly file: string;
  /** From 1. */
  readonly document: number;
  /** The line of the file on which the document begins, from 1. */
  readonly line: number;
  readonly object: ManifestObject;
}

export interface ManifestObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name?: string;
    readonly generateName?: string;
    readonly namespace?: string;
  };
}

/** `shop/web.yaml, document 2 (Deployment web)` */
export function placeOf({ file, document, object }: Manifest): string {
  const name = object.metadata.name ?? `${object.metadata.generateName ?? ""}…`;
  return `${file}, document ${document} (${object.kind} ${name})`;
}

/**
 * The objects of all files, in the order in which they stand.
 * @throws UserError that names every file, document and line which is wrong.
 */
export async function readManifests(paths: readonly string[]): Promise<readonly Manifest[]> {
  const problems: string[] = [];
  const manifests: Manifest[] = [];
  for (const path of paths) {
    for (const { file, text } of await textsOf(path)) manifests.push(...parseManifests(file, text, problems));
  }
  if (problems.length > 0) throw new UserError("the manifests cannot be used, and nothing was applied", problems);
  if (manifests.length === 0) {
    throw new UserError(`no objects found in ${paths.join(", ")}`, ["give files or folders with YAML or JSON"]);
  }
  return manifests;
}

async function textsOf(path: string): Promise<readonly { readonly file: string; readonly text: string }[]> {
  if (path === "-") return [{ file: "standard input", text: await readStandardInput() }];
  try {
    const inside = await filesOf(path);
    const files = inside === undefined ? [path] : inside.filter((file) => /\.(ya?ml|json)$/.test(file));
    return await Promise.all(files.map(async (file) => ({ file, text: await textOf(file) })));
  } catch (error) {
    if (error instanceof UserError) throw error;
    throw new UserError(`cannot read ${path}: ${(error as Error).message}`, [], { cause: error });
  }
}

async function textOf(file: string): Promise<string> {
  const text = await readTextFile(file);
  if (text === undefined)
    throw new UserError(`there is no file ${file}`, ["-f takes files, folders, or - for standard input"]);
  return text;
}

/** The objects of one text; what is wrong with it is added to `problems`. */
export function parseManifests(file: string, text: string, problems: string[]): readonly Manifest[] {
  const json = jsonOf(text);
  if (json !== undefined) {
    const at = (problem: string): void => void problems.push(`${file}, document 1: ${problem}`);
    return objectsIn({ file, document: 1, line: 1 }, json, at);
  }
  const lineCounter = new LineCounter();
  const manifests: Manifest[] = [];
  const parsed = parseAllDocuments(text, {
    lineCounter,
    // What kubectl reads: 0644 is octal, `yes` is true; but 1:30 stays a text, and so does a date.
    version: "1.1",
    customTags: (tags) => tags.filter((tag) => typeof tag === "string" || !isTimeLike(tag)),
    stringKeys: true,
    prettyErrors: false,
  });
  const documents = "empty" in parsed ? [] : parsed;
  for (const [index, document] of documents.entries()) {
    const at = (problem: string, offset?: number): void => {
      const line = offset === undefined ? "" : `, line ${lineCounter.linePos(offset).line}`;
      problems.push(`${file}, document ${index + 1}${line}: ${problem}`);
    };
    const [error] = document.errors;
    if (error !== undefined) at(firstLine(error.message), error.pos[0]);
    else {
      const line = lineCounter.linePos(document.contents?.range?.[0] ?? 0).line;
      manifests.push(...objectsOf({ file, document: index + 1, line }, document, at));
    }
  }
  return manifests;
}

/** What is whole JSON need not be read as YAML, which takes twenty times as long; undefined for anything else. */
function jsonOf(text: string): object | undefined {
  if (!/^\s*\{/.test(text)) return undefined;
  try {
    return JSON.parse(text) as object;
  } catch {
    // The YAML parser knows where it is wrong, or that it is a flow mapping.
    return undefined;
  }
}

/** Dates and base 60 numbers, which YAML 1.1 knows and kubectl does not. */
function isTimeLike(tag: { readonly tag?: string; readonly format?: string }): boolean {
  return tag.tag === "tag:yaml.org,2002:timestamp" || tag.format === "TIME";
}

function firstLine(text: string): string {
  return text.split("\n", 1)[0] ?? "";
}

function objectsOf(
  place: Omit<Manifest, "object">,
  document: Document.Parsed,
  problem: (text: string, offset?: number) => void,
): readonly Manifest[] {
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: 100 });
  } catch (error) {
    problem((error as Error).message);
    return [];
  }
  if (value === null || value === undefined) return [];
  const offset = document.contents?.range[0];
  if (!isMap(document.contents)) {
    problem("it is no object: a manifest begins with apiVersion and kind", offset);
    return [];
  }
  return objectsIn(place, value, (text) => problem(text, offset));
}

function objectsIn(
  place: Omit<Manifest, "object">,
  value: unknown,
  problem: (text: string) => void,
): readonly Manifest[] {
  return unfolded(value).flatMap((object, index) => {
    const where = object === value ? "" : `items[${index}]: `;
    const wrong = wrongWith(object);
    if (wrong === undefined) return [{ ...place, object: object as ManifestObject }];
    problem(`${where}${wrong}`);
    return [];
  });
}

/** The objects of a list (`kind: List`, `PodList`), or the one object. */
function unfolded(value: unknown): readonly unknown[] {
  const { kind, items } = value as { readonly kind?: unknown; readonly items?: unknown };
  return typeof kind === "string" && kind.endsWith("List") && Array.isArray(items) ? (items as unknown[]) : [value];
}

/** What every object must have; undefined if it is there. */
function wrongWith(object: unknown): string | undefined {
  if (object === null || typeof object !== "object" || Array.isArray(object)) return "it is no object";
  const { apiVersion, kind, metadata } = object as Readonly<Record<string, unknown>>;
  if (typeof apiVersion !== "string" || apiVersion === "") return "apiVersion: Required value";
  if (typeof kind !== "string" || kind === "") return "kind: Required value";
  if (metadata === null || typeof metadata !== "object") return "metadata: Required value";
  const { name, generateName, namespace } = metadata as Readonly<Record<string, unknown>>;
  if (typeof name !== "string" && typeof generateName !== "string") return "metadata.name: Required value";
  if (namespace !== undefined && typeof namespace !== "string") return "metadata.namespace: it should be a text";
  return undefined;
}
