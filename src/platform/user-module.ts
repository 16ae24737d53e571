/** Loading a program's file of the user's own, TypeScript or JavaScript, while this program runs. */
import { pathToFileURL } from "node:url";

/** What such a file may import beside what is installed around it. */
export interface OwnModule {
  readonly name: string;
  readonly exports: () => Promise<Readonly<Record<string, unknown>>>;
}

let provided = false;
let loads = 0;

/**
 * Imports a file by its absolute path; `own` resolves in it wherever the file lies. Only Bun can do that: elsewhere the file finds the
 * module by its own means, such as node_modules.
 * @returns what it exports. @throws whatever the file throws, and what the runtime says of a file that it cannot read.
 */
export async function loadUserModule(path: string, own: OwnModule): Promise<Readonly<Record<string, unknown>>> {
  if (!provided && typeof Bun !== "undefined") {
    const exports = { ...(await own.exports()) };
    Bun.plugin({
      name: own.name,
      setup: (build) => void build.module(own.name, () => ({ exports, loader: "object" })),
    });
    provided = true;
  }
  loads++;
  // Only Bun can forget modules; elsewhere another query makes another module of the file, and what it imports stays as it was.
  const again = loads > 1 && typeof Bun === "undefined" ? `?load=${loads}` : "";
  // What a module exports is named.
  return (await import(pathToFileURL(path).href + again)) as Readonly<Record<string, unknown>>;
}

/** The loaded files of a folder and below, without those of installed packages: what a file of the user's imports of his own. */
export function userModulesIn(folder: string): readonly string[] {
  if (typeof Bun === "undefined") return [];
  const inside = `${folder.replace(/\/+$/, "")}/`;
  return Object.keys(require.cache).filter((path) => path.startsWith(inside) && !path.includes("/node_modules/"));
}

/** Forgets modules, so that the next import reads their files again. */
export function forgetUserModules(paths: readonly string[]): void {
  if (typeof Bun === "undefined") return;
  for (const path of paths) delete require.cache[path];
}
