/** Loading a user's TypeScript or JavaScript file while this program runs. */
import { pathToFileURL } from "node:url";

/** What such a file may import besides the packages installed around it. */
export interface OwnModule {
  readonly name: string;
  readonly exports: () => Promise<Readonly<Record<string, unknown>>>;
}

let provided = false;
let loads = 0;

/**
 * Imports a file by its absolute path; `own` resolves in it wherever the file is. Only Bun can do that: elsewhere the file finds the module
 * through its own means, such as node_modules.
 * @returns its exports. @throws whatever the file throws, and the runtime's error for a file that it cannot read.
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
  // Only Bun can unload modules; elsewhere a different query creates a new module of the file, but its imports stay as they were.
  const again = loads > 1 && typeof Bun === "undefined" ? `?load=${loads}` : "";
  // A module's exports are named.
  return (await import(pathToFileURL(path).href + again)) as Readonly<Record<string, unknown>>;
}

/** The loaded files in a folder and below, except installed packages: what a user's file imports of the user's own code. */
export function userModulesIn(folder: string): readonly string[] {
  if (typeof Bun === "undefined") return [];
  const inside = `${folder.replace(/\/+$/, "")}/`;
  return Object.keys(require.cache).filter((path) => path.startsWith(inside) && !path.includes("/node_modules/"));
}

/** Unloads modules, so that the next import reads their files again. */
export function forgetUserModules(paths: readonly string[]): void {
  if (typeof Bun === "undefined") return;
  for (const path of paths) delete require.cache[path];
}
