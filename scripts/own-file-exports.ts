/** Finds values that are exported although no other file uses them. Types are left out: they belong to the signatures that use them. */
import { dirname, join, relative } from "node:path";
import { parseSync, Visitor } from "oxc-parser";
import type { Finding } from "./tidiness.ts";

const program = "{src,plugin}/**/*.ts";
const users = "{src,plugin,test,scripts}/**/*.{ts,mjs}";
const names = /[A-Za-z_$][\w$]*/g;

/** By name, not by binding: a name that a second file happens to contain is taken for used. `top` is the folder of the work tree. */
export async function ownFileExports(top: string): Promise<readonly Finding[]> {
  const filesWith = new Map<string, number>();
  const whole = new Set<string>();
  for (const path of new Bun.Glob(users).scanSync(top)) {
    const text = await Bun.file(join(top, path)).text();
    for (const name of new Set(text.match(names))) filesWith.set(name, (filesWith.get(name) ?? 0) + 1);
    for (const [, from = ""] of text.matchAll(/^export \* .*from "(\..+)";$/gm))
      whole.add(relative(top, join(top, dirname(path), from)));
  }
  const found: Finding[] = [];
  for (const path of [...new Bun.Glob(program).scanSync(top)].sort()) {
    if (whole.has(path)) continue;
    const text = await Bun.file(join(top, path)).text();
    for (const [name, start] of exportedValues(path, text)) {
      if (filesWith.get(name) !== 1) continue;
      found.push({ place: `${path}:${text.slice(0, start).split("\n").length}`, what: name });
    }
  }
  return found;
}

/** Names and offsets of the functions, classes and constants that a file declares as exported. */
function exportedValues(path: string, text: string): readonly (readonly [name: string, start: number])[] {
  const values: [string, number][] = [];
  new Visitor({
    ExportNamedDeclaration({ declaration, start }) {
      if (declaration?.type === "FunctionDeclaration" || declaration?.type === "ClassDeclaration")
        values.push([declaration.id?.name ?? "", start]);
      if (declaration?.type === "VariableDeclaration")
        for (const { id } of declaration.declarations) if (id.type === "Identifier") values.push([id.name, start]);
    },
  }).visit(parseSync(path, text).program);
  return values;
}
