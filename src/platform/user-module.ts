/** Loading a program's file of the user's own, TypeScript or JavaScript, while this program runs. */
import { pathToFileURL } from "node:url";

/** What such a file may import beside what is installed around it. */
export interface OwnModule {
  readonly name: string;
  readonly exports: () => Promise<Readonly<Record<string, unknown>>>;
}

let provided = false;

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
  // What a module exports is named.
  return (await import(pathToFileURL(path).href)) as Readonly<Record<string, unknown>>;
}
