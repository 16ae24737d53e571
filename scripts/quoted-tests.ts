/**
 * Finds names and files of tests that a README quotes but that do not exist. The READMEs below test/ say where upstream's tests are covered
 * here, so a quote that outlives its test is a false claim.
 */
import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseSync, Visitor } from "oxc-parser";

/** The texts of all tests: names can be built from several of them. */
interface Texts {
  /** All string literals, one per line. */
  readonly plain: string;
  /** The fixed parts of each template literal. */
  readonly templates: readonly (readonly string[])[];
}

/** A fixed part of a template that is shorter identifies nothing. */
const shortest = 5;

/** Returns a line per quote or path, in the READMEs below `top`/test, that does not occur in the tests. */
export async function wrongQuotes(top: string): Promise<readonly string[]> {
  const texts = await textsOf(top);
  const files = [...new Bun.Glob("**/*").scanSync(join(top, "test"))];
  const folders = new Set(readdirSync(join(top, "test")));
  const wrong: string[] = [];
  for (const path of [...new Bun.Glob("test/**/README.md").scanSync(top)].sort()) {
    const lines = (await Bun.file(join(top, path)).text()).split("\n");
    const beside = dirname(path).slice("test/".length);
    for (const [n, line] of lines.entries()) {
      const at = `${path}:${n + 1}`;
      const cells = coveringCells(line);
      for (const quote of quotesIn(cells))
        if (!piecesOf(quote).every((piece) => occurs(piece, texts))) wrong.push(`${at}: no test is named "${quote}"`);
      for (const file of pathsIn(cells, folders))
        if (!files.some((each) => isAt(each, file) || isAt(each, `${beside}/${file}`)))
          wrong.push(`${at}: test/ has no file ${file}`);
    }
  }
  return wrong;
}

/** A table row without its first cell, which names upstream's test. */
function coveringCells(line: string): string {
  const [, , ...cells] = line.split("|");
  return line.startsWith("|") ? cells.join("|") : "";
}

function quotesIn(cells: string): readonly string[] {
  return [...cells.matchAll(/"([^"]+)"/g)].map(([, quote = ""]) => quote);
}

/** The paths, below test/ or beside the README, that the cells name outside of quotes, without the end of a file's name. */
function pathsIn(cells: string, folders: ReadonlySet<string>): readonly string[] {
  const paths = cells.replaceAll(/"[^"]*"/g, "").matchAll(/(?<![\w/.-])[\w-]+(?:\/[\w-]+)+/g);
  return [...paths].map(([path]) => path).filter((path) => folders.has(path.slice(0, path.indexOf("/"))));
}

/** Whether a file below test/ is the one that is named, or is in the folder that is. */
function isAt(file: string, named: string): boolean {
  return file.startsWith(`${named}.`) || file.startsWith(`${named}/`);
}

/** A quote gives the names of a group and of its test as `group > test`, and can leave out parts with `…`. */
function piecesOf(quote: string): readonly string[] {
  return quote
    .split(/ > |>|…/)
    .map((piece) => piece.trim().replace(/[,;:]$/, ""))
    .filter((piece) => piece !== "");
}

function occurs(piece: string, { plain, templates }: Texts): boolean {
  return plain.includes(piece) || templates.some((parts) => fits(piece, parts, plain));
}

/** Whether a text is an expansion of a template, or the beginning of one, with values that occur in the tests. */
function fits(piece: string, parts: readonly string[], plain: string): boolean {
  if (parts.some((part) => part.includes(piece))) return true;
  let values = [piece];
  let found = false;
  for (const part of parts) {
    const fixed = longestPrefix(part, piece);
    if (fixed.length < 2) continue;
    found ||= fixed.length >= shortest;
    values = values.flatMap((value) => value.split(fixed));
  }
  return found && values.every((value) => plain.includes(value.trim()) || /^[\dN.]+$/.test(value.trim()));
}

/** The part if the text contains it, or as much of its beginning as the text ends with. */
function longestPrefix(part: string, text: string): string {
  if (text.includes(part)) return part;
  for (let length = part.length; length >= shortest; length--)
    if (text.endsWith(part.slice(0, length))) return part.slice(0, length);
  return "";
}

async function textsOf(top: string): Promise<Texts> {
  const plain: string[] = [];
  const templates: string[][] = [];
  for (const path of new Bun.Glob("test/**/*.ts").scanSync(top)) {
    const { program } = parseSync(path, await Bun.file(join(top, path)).text());
    new Visitor({
      Literal: ({ value }) => {
        if (typeof value === "string") plain.push(value);
      },
      TemplateLiteral: ({ quasis }) => void templates.push(quasis.map(({ value }) => value.cooked ?? value.raw)),
    }).visit(program);
  }
  return { plain: plain.join("\n"), templates };
}
