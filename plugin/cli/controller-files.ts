/** User-defined controllers in files: `./tenant.ts` is accepted wherever the name of a controller is. */
import { messageOf } from "../../src/api/error-message.ts";
import type { ControllerDefinition } from "../../src/controller/api/definition.ts";
import { absolutePath, folderOf, readTextFile } from "../../src/platform/files.ts";
import { forgetUserModules, loadUserModule, type OwnModule, userModulesIn } from "../../src/platform/user-module.ts";
import type { ControllerFiles } from "./io.ts";
import { UserError } from "./user-error.ts";

const extension = /\.[mc]?[jt]s$/i;

/** Whether a word names such a file, and not an object: `./tenant.ts`, `tenant.ts`; in `deploy/web.js` the name is `web.js`. */
export function isControllerFile(word: string): boolean {
  return extension.test(word) && (/^\.{0,2}\//.test(word) || !word.includes("/"));
}

/** The API that the files import. */
const own: OwnModule = { name: "kubectl-reconcile", exports: () => import("../../src/index.ts") };

/** The controllers in the files that the words name, by these words. @throws UserError for a file without one, or one that throws. */
export async function loadControllerFiles(words: readonly string[]): Promise<ControllerFiles> {
  const files = new Map<string, readonly ControllerDefinition[]>();
  for (const word of new Set(words.filter(isControllerFile))) files.set(word, await controllersIn(word));
  return files;
}

/** A file's current controllers; see `loadControllerFiles`. `loaded` are the modules that the last load left. @throws UserError. */
export async function loadAgain(word: string, loaded: readonly string[]): Promise<readonly ControllerDefinition[]> {
  forgetUserModules(loaded);
  return await controllersIn(word);
}

/** The file that a word names, and its imports from its folder. */
export function modulesOf(word: string): readonly string[] {
  const path = absolutePath(word);
  return [...new Set([path, ...userModulesIn(folderOf(path))])];
}

async function controllersIn(word: string): Promise<readonly ControllerDefinition[]> {
  const path = absolutePath(word);
  const text = await readTextFile(path).catch((error: unknown) => {
    throw new UserError(`cannot read ${word}: ${messageOf(error)}`, [], { cause: error });
  });
  if (text === undefined)
    throw new UserError(`${word} does not exist`, ["give a file that exports a controller, or a controller's name"]);
  const exported = await loadUserModule(path, own).catch((error: unknown) => {
    throw new UserError(`cannot load ${word}: ${messageOf(error)}`, placesIn(error, path), { cause: error });
  });
  const found = exported["default"] === undefined ? Object.values(exported) : [exported["default"]].flat();
  const controllers = found.filter(isController);
  if (controllers.length > 0 && (exported["default"] === undefined || controllers.length === found.length))
    return controllers;
  throw new UserError(`${word} exports no controller`, [
    "its default export is to be what defineController returns, or a list of such; docs/writing-a-controller.md shows one",
  ]);
}

function isController(value: unknown): value is ControllerDefinition {
  if (typeof value !== "object" || value === null) return false;
  return (
    "name" in value && "watches" in value && "rules" in value && "sync" in value && typeof value.sync === "function"
  );
}

/** What may be thrown: an Error, an error of Bun's parser, or several of these. */
interface Thrown {
  readonly position?: { readonly file?: string; readonly line?: number; readonly column?: number };
  readonly stack?: string;
  readonly errors?: readonly unknown[];
}

/** Where in the file: the parser's position, or the first stack line in the file. */
function placesIn(error: unknown, path: string): readonly string[] {
  // Each field is checked before it is used.
  const { position, stack = "", errors = [] } = error as Thrown;
  if (position?.line !== undefined) return [`at ${position.file ?? path}:${position.line}:${position.column ?? 1}`];
  if (errors.length > 0)
    return errors.flatMap((one) => [`${messageOf(one)} ${placesIn(one, path).join(" ")}`.trimEnd()]);
  const line = stack.split("\n").find((each) => each.includes(path));
  const place = line === undefined ? undefined : /[^\s(]+:\d+(:\d+)?/.exec(line)?.[0];
  return place === undefined ? [] : [`at ${place}`];
}
