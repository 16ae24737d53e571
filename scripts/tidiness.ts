/**
 * Counts violations of our style that the linter has no rule for. The counts are compared with `ceilings.json`, where they may only fall.
 */
import {
  type Comment,
  type Declaration,
  type Function as FunctionNode,
  parseSync,
  type Span,
  Visitor,
} from "oxc-parser";
import { dirname, join } from "node:path";

/** A violation: `path:line`, and what it is. */
export interface Finding {
  readonly place: string;
  readonly what: string;
}

/** What is counted, by its name in `ceilings.json`. */
export type Tidiness = Readonly<
  Record<
    | "long parameter lists"
    | "casts without a reason"
    | "exports without documentation"
    | "values exported for their own file alone"
    | "unknown names in comments",
    readonly Finding[]
  >
>;

/** Files of the program; the counts do not apply to tests and scripts. */
const program = "{src,plugin}/**/*.ts";
/** The other files that may use what the program exports. */
const otherUsers = "{test,scripts}/**/*.{ts,mjs}";
const mostParameters = 2;

interface ExportedValue extends Finding {
  readonly path: string;
}

interface SourceFile {
  readonly path: string;
  readonly text: string;
  readonly comments: readonly Comment[];
  /** The number of the line at an offset, from 1. */
  readonly lineAt: (offset: number) => number;
}

/** Reads all files of the program at `top` and counts. */
export async function tidinessOf(top: string): Promise<Tidiness> {
  const known = new Set<string>();
  const all: Record<keyof Tidiness, Finding[]> = {
    "long parameter lists": [],
    "casts without a reason": [],
    "exports without documentation": [],
    "values exported for their own file alone": [],
    "unknown names in comments": [],
  };
  const files: SourceFile[] = [];
  const exported: ExportedValue[] = [];
  /** Files of which another one exports all. */
  const exportedWhole = new Set<string>();
  for (const path of [...new Bun.Glob(program).scanSync(top)].sort()) {
    const text = await Bun.file(join(top, path)).text();
    const { program, comments, module } = parseSync(path, text);
    const file = { path, text, comments, lineAt: lineCounter(text) };
    files.push(file);
    const at = ({ start }: Span): string => `${path}:${file.lineAt(start)}`;
    const checkParameters = (
      { params, start, end }: Pick<FunctionNode, "params" | "start" | "end">,
      what: string,
    ): void => {
      if (params.length > mostParameters) all["long parameter lists"].push({ place: at({ start, end }), what });
    };
    new Visitor({
      FunctionDeclaration: (node) => checkParameters(node, node.id?.name ?? "a function"),
      MethodDefinition: (node) => checkParameters(node.value, nameIn(text, node.key)),
      VariableDeclarator: ({ id, init }) => {
        if (init?.type === "ArrowFunctionExpression" || init?.type === "FunctionExpression")
          checkParameters(init, nameIn(text, id));
      },
      TSAsExpression: (node) => {
        const to = text.slice(node.typeAnnotation.start, node.typeAnnotation.end);
        if (to !== "const" && !hasReason(file, node))
          all["casts without a reason"].push({ place: at(node), what: `as ${to}` });
      },
      ExportAllDeclaration: ({ source }) => void exportedWhole.add(join(dirname(path), source.value)),
      ExportNamedDeclaration: (node) => {
        for (const what of valuesOf(node.declaration)) exported.push({ path, place: at(node), what });
      },
      Identifier: ({ name }) => void known.add(name),
      PrivateIdentifier: ({ name }) => void known.add(name),
      Literal: ({ value }) => {
        if (typeof value === "string") for (const word of value.match(words) ?? []) known.add(word);
      },
      TemplateElement: ({ value }) => {
        for (const word of value.raw.match(words) ?? []) known.add(word);
      },
    }).visit(program);
    for (const span of module.staticExports) {
      const declared = span.entries.find(
        ({ exportName, moduleRequest }) => moduleRequest === null && exportName.name !== null,
      );
      if (declared === undefined || isDocumented(file, span)) continue;
      all["exports without documentation"].push({ place: at(span), what: declared.exportName.name ?? "" });
    }
  }
  for (const file of files) all["unknown names in comments"].push(...unknownNames(file, known));
  const filesWith = await filesPerWord(top, files);
  for (const { path, ...finding } of exported) {
    if (filesWith.get(finding.what) === 1 && !exportedWhole.has(path))
      all["values exported for their own file alone"].push(finding);
  }
  return all;
}

const words = /[A-Za-z_$][\w$]*/g;

/** The names of the functions, classes and constants in a declaration. Types are left out: they belong to the signatures that use them. */
function valuesOf(declaration: Declaration | null): readonly string[] {
  if (declaration?.type === "FunctionDeclaration" || declaration?.type === "ClassDeclaration")
    return declaration.id === null ? [] : [declaration.id.name];
  if (declaration?.type !== "VariableDeclaration") return [];
  return declaration.declarations.flatMap(({ id }) => (id.type === "Identifier" ? [id.name] : []));
}

/** How many files contain each word: those of the program, and `otherUsers`. A word need not be the same binding everywhere. */
async function filesPerWord(top: string, files: readonly SourceFile[]): Promise<ReadonlyMap<string, number>> {
  const others = [...new Bun.Glob(otherUsers).scanSync(top)].map((path) => Bun.file(join(top, path)).text());
  const counts = new Map<string, number>();
  for (const text of [...files.map(({ text }) => text), ...(await Promise.all(others))])
    for (const word of new Set(text.match(words))) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

function nameIn(text: string, { start, end }: Span): string {
  return text.slice(start, end);
}

function lineCounter(text: string): (offset: number) => number {
  const starts = [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)];
  return (offset) => starts.findLastIndex((start) => start <= offset) + 1;
}

/** Whether a documentation comment ends right before it. */
function isDocumented({ text, comments }: SourceFile, { start }: Span): boolean {
  return comments.some(
    ({ type, value, end }) =>
      type === "Block" && value.startsWith("*") && end <= start && text.slice(end, start).trim() === "",
  );
}

/** Whether there is a comment on the line of a cast, or on the line before it. */
function hasReason({ comments, lineAt }: SourceFile, { start, end }: Span): boolean {
  const [first, last] = [lineAt(start) - 1, lineAt(end)];
  return comments.some((comment) => lineAt(comment.end) >= first && lineAt(comment.start) <= last);
}

/** Names in back-quotes that look like names of this code, but occur in none of its files. */
function unknownNames({ path, comments, lineAt }: SourceFile, known: ReadonlySet<string>): readonly Finding[] {
  return comments.flatMap(({ value, start }) =>
    [...value.matchAll(/`([a-z]+(?:[A-Z][A-Za-z0-9]*)+)(?:\(\))?`/g)]
      .map(([, name = ""]) => name)
      .filter((name) => !known.has(name))
      .map((name) => ({ place: `${path}:${lineAt(start)}`, what: name })),
  );
}
