/** Manifests: files, folders, URLs, kustomizations and standard input, YAML or JSON, as in `kubectl apply -f` and `-k`. */
import { messageOf } from "../../src/api/error-message.ts";
import { filesOf, foldersOf, readStandardInput, readTextFile } from "../../src/platform/files.ts";
import type { Host } from "../../src/platform/host.ts";
import {
  isUrl,
  type Manifest,
  objectName,
  parseManifests,
  type Problem,
  problemText,
  standardInput,
} from "./manifest-text.ts";
import { quoted } from "../cli/advice.ts";
import { fetchText, shownUrl, type WebIo } from "./manifest-url.ts";
import { UserError } from "../cli/user-error.ts";

export { type Manifest, type ManifestObject, parseManifests, placeOf } from "./manifest-text.ts";

/** Manifests that cannot be used, with the location of each error. */
export class ManifestError extends UserError {
  readonly problems: readonly Problem[];

  constructor(message: string, problems: readonly Problem[], next: readonly string[] = []) {
    super(message, [...problems.map(problemText), ...next]);
    this.problems = problems;
  }
}

/** An error in one object, at the line of a field. */
export function problemOf(manifest: Manifest, field: string, text: string): Problem {
  const { file, document, object } = manifest;
  const line = manifest.lineOf?.(field) ?? manifest.line;
  return { file, document, line, object: objectName(object), text };
}

/** The manifests of -f, and the earlier state of --baseline. */
export interface BothSides {
  readonly manifests: readonly Manifest[];
  readonly baseline: readonly Manifest[];
}

/** How manifests are read. */
export interface ReadOptions {
  /** For URLs. */
  readonly io: WebIo;
  /** Include subfolders. */
  readonly recursive?: boolean;
  /** Called with a sentence about what was skipped. */
  readonly onNote?: (text: string) => void;
  /** The option or argument that names the paths, for errors. Default `-f`. */
  readonly option?: string;
  /** Whether existing folders may contain no manifests. */
  readonly mayBeEmpty?: boolean;
}

/**
 * The objects of all files, in order.
 * @throws ManifestError that names every wrong file, document and line; UserError for what cannot be read.
 */
export async function readManifests(paths: readonly string[], options: ReadOptions): Promise<readonly Manifest[]> {
  const { onNote, mayBeEmpty = false } = options;
  let isPartial = false;
  const noted = {
    ...options,
    onNote(text: string): void {
      isPartial = true;
      onNote?.(text);
    },
  };
  const texts: Text[] = [];
  for (const path of paths) texts.push(...(await textsOf(path, noted)));
  // A folder whose sub-folders were not read is not empty.
  const isAllowed = mayBeEmpty && !isPartial && (await areFolders(paths));
  return manifestsIn(texts, { from: paths.map(shownPath).join(", "), isAllowed, isPartial });
}

async function areFolders(paths: readonly string[]): Promise<boolean> {
  return (await Promise.all(paths.map(filesOf))).every((inside) => inside !== undefined);
}

/**
 * The output of `kubectl kustomize` for a folder. Its text is in no file: every object is located on the first line of the kustomization.
 * @throws ManifestError, UserError as above, and if kubectl is missing or fails.
 */
export async function readKustomization(folder: string, host: Host): Promise<readonly Manifest[]> {
  const args = ["kustomize", folder];
  const end = await host.run({ command: "kubectl", args, env: host.env, interactive: false });
  switch (end.is) {
    case "missing":
      throw new UserError(`-k ${folder} needs kubectl, and there is none on PATH`, [
        "install kubectl, or give what another kustomize makes of it: `kustomize build DIR | … -f -`",
      ]);
    case "failed":
      throw new UserError(`kubectl ${args.join(" ")}: ${end.why}`);
    case "ended":
      if (end.code !== 0) throw new UserError(`\`kubectl ${args.join(" ")}\` failed with exit code ${end.code}`);
  }
  const names = (await filesOf(folder)) ?? [];
  const file = names.find(isKustomization) ?? folder;
  return manifestsIn([{ file, text: end.out }], { from: folder }).map((manifest) => ({
    ...manifest,
    line: 1,
    lineOf: () => 1,
  }));
}

/** Where texts are from. */
interface Origin {
  readonly from: string;
  /** Whether they may contain no objects. */
  readonly isAllowed?: boolean;
  /** Whether sub-folders were not read. */
  readonly isPartial?: boolean;
}

function manifestsIn(
  texts: readonly Text[],
  { from, isAllowed = false, isPartial = false }: Origin,
): readonly Manifest[] {
  const problems: Problem[] = [];
  const manifests = texts.flatMap(({ file, text }) => parseManifests(file, text, problems));
  if (problems.length > 0) throw new ManifestError("the manifests cannot be used, and nothing was applied", problems);
  if (manifests.length === 0 && !isAllowed) {
    throw new UserError(`no objects found in ${from}`, [
      isPartial ? "-R reads sub-folders too" : "give files, folders or URLs with YAML or JSON",
    ]);
  }
  return manifests;
}

/** A URL without what must not be printed, any other path unchanged. */
function shownPath(path: string): string {
  return isUrl(path) ? shownUrl(path) : path;
}

interface Text {
  readonly file: string;
  readonly text: string;
}

async function textsOf(path: string, options: ReadOptions): Promise<readonly Text[]> {
  if (path === "-") return [{ file: standardInput, text: await readStandardInput() }];
  if (isUrl(path)) return [{ file: shownUrl(path), text: await fetchText(path, options.io) }];
  try {
    const files = await filesIn(path, options);
    return await Promise.all(files.map(async (file) => ({ file, text: await textOf(file, options) })));
  } catch (error) {
    if (error instanceof UserError) throw error;
    throw new UserError(`cannot read ${path}: ${messageOf(error)}`, [], { cause: error });
  }
}

/** The files of a path: itself, or those in a folder. @throws UserError for a folder with a kustomization. */
async function filesIn(
  path: string,
  { recursive = false, onNote = () => undefined }: Pick<ReadOptions, "recursive" | "onNote">,
): Promise<string[]> {
  const inside = await filesOf(path);
  const kustomization = inside === undefined ? [path].find(isKustomization) : inside.find(isKustomization);
  if (kustomization !== undefined) {
    const folder = inside === undefined ? path.replace(/(^|[/\\])[^/\\]*$/, "") : path;
    throw new UserError(`${kustomization} is for kustomize, not for an API server`, [
      `use -k ${quoted(folder || ".")}`,
    ]);
  }
  if (inside === undefined) return [path];
  const files = inside.filter((file) => /\.(ya?ml|json)$/.test(file));
  const passedOver: string[] = [];
  for (const folder of await foldersOf(path)) {
    if (recursive) files.push(...(await filesIn(folder, { recursive })));
    else if (await hasManifests(folder)) passedOver.push(folder);
  }
  if (passedOver.length > 0) onNote(`not read: ${passedOver.join(", ")}; -R reads sub-folders too`);
  return files;
}

const mostFloors = 5;

async function hasManifests(folder: string, floor = 0): Promise<boolean> {
  if ((await filesOf(folder))?.some((file) => /\.(ya?ml|json)$/.test(file)) === true) return true;
  if (floor === mostFloors) return false;
  for (const inner of await foldersOf(folder)) if (await hasManifests(inner, floor + 1)) return true;
  return false;
}

function isKustomization(file: string): boolean {
  return /(^|[/\\])(kustomization\.ya?ml|Kustomization)$/.test(file);
}

async function textOf(file: string, { option = "-f", mayBeEmpty }: ReadOptions): Promise<string> {
  const text = await readTextFile(file);
  if (text === undefined) {
    throw new UserError(`there is no file ${file}`, [
      `${option} takes files, folders, URLs, or - for standard input`,
      ...(mayBeEmpty === true ? ["a folder may be empty, but must exist"] : []),
    ]);
  }
  return text;
}
