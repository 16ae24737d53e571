/**
 * Finds what is undocumented in the public API (`src/index.ts`): an export, a member of an exported interface or class, a function or class
 * without an example. The examples are run by `test/package/package.test.ts`.
 */
import { type Comment, parseSync, type Program, type Span } from "oxc-parser";
import { dirname, join } from "node:path";
import type { Finding } from "./tidiness.ts";

/** One exported name. */
export interface PublicName {
  readonly name: string;
  /** Where it is declared, from the root of the work tree. */
  readonly path: string;
  readonly line: number;
  /** The text of its doc comment; undefined if there is none. */
  readonly doc: string | undefined;
  /** Whether a program calls it: a function or a class. */
  readonly isCallable: boolean;
  /** The group it belongs to (`kinds.Pods`). */
  readonly group?: string;
  readonly members: readonly { readonly name: string; readonly line: number; readonly doc: string | undefined }[];
}

/** One `@example`: the code between its fences. */
export interface Example {
  readonly name: string;
  readonly code: string;
}

const entry = "src/index.ts";

/** All names that `src/index.ts` exports, in its order; for `export * as kinds`, each name in it. */
export async function publicApi(top: string): Promise<readonly PublicName[]> {
  const file = await read(top, entry);
  const names: PublicName[] = [];
  for (const statement of file.program.body) {
    if (statement.type === "ExportAllDeclaration") {
      const group = statement.exported?.type === "Identifier" ? statement.exported.name : "*";
      const from = await read(top, join(dirname(entry), statement.source.value));
      names.push(...declarationsIn(from).map((declared) => ({ ...declared, group })));
    } else if (statement.type === "ExportNamedDeclaration" && statement.source !== null) {
      const from = await read(top, join(dirname(entry), statement.source.value));
      const declared = new Map(declarationsIn(from).map((each) => [each.name, each]));
      for (const { local } of statement.specifiers) {
        const name = local.type === "Literal" ? local.value : local.name;
        const found = declared.get(name);
        if (found === undefined)
          throw new Error(`${entry} exports ${name}, which ${from.path} does not declare itself`);
        // A type is demonstrated by what returns it.
        names.push(statement.exportKind === "type" ? { ...found, isCallable: false } : found);
      }
    }
  }
  return names;
}

/** What is missing; nothing if the gate passes. */
export function undocumented(names: readonly PublicName[]): readonly Finding[] {
  return names.flatMap(({ name, path, line, doc, isCallable, group, members }) => {
    const lacks = doc === undefined ? [{ place: `${path}:${line}`, what: name }] : [];
    const unshown = isCallable && group === undefined && !(doc ?? "").includes("@example");
    return [
      ...lacks,
      ...(unshown ? [{ place: `${path}:${line}`, what: `${name}: no @example` }] : []),
      ...members
        .filter((member) => member.doc === undefined)
        .map((member) => ({ place: `${path}:${member.line}`, what: `${name}.${member.name}` })),
    ];
  });
}

/** The examples in doc comments; if a comment has several, they are numbered from the second. */
export function examplesOf(names: readonly PublicName[]): readonly Example[] {
  const alone = names.filter(({ group }) => group === undefined);
  return alone.flatMap(({ name, doc = "" }) =>
    [...plainText(doc).matchAll(/@example[^\n]*\n```ts\n(.*?)```/gs)].map(([, code = ""], index) => ({
      name: index === 0 ? name : `${name}-${index + 1}`,
      code,
    })),
  );
}

/** A doc comment without its stars. */
function plainText(doc: string): string {
  return doc.replaceAll(/^[ \t]*\* ?/gm, "");
}

interface SourceFile {
  readonly path: string;
  readonly text: string;
  readonly program: Program;
  readonly comments: readonly Comment[];
}

async function read(top: string, path: string): Promise<SourceFile> {
  const text = await Bun.file(join(top, path)).text();
  const { program, comments } = parseSync(path, text);
  return { path, text, program, comments };
}

function declarationsIn(file: SourceFile): readonly PublicName[] {
  const { path, program } = file;
  return program.body.flatMap((statement): readonly PublicName[] => {
    if (statement.type !== "ExportNamedDeclaration" || statement.declaration === null) return [];
    const { declaration } = statement;
    const common = { path, line: lineOf(file, statement), doc: docBefore(file, statement) };
    if (declaration.type === "VariableDeclaration") {
      return declaration.declarations.flatMap(({ id, init }) => {
        if (id.type !== "Identifier") return [];
        return [{ ...common, name: id.name, isCallable: init?.type === "ArrowFunctionExpression", members: [] }];
      });
    }
    if (declaration.type === "TSTypeAliasDeclaration") {
      const { id, typeAnnotation } = declaration;
      const members = typeAnnotation.type === "TSTypeLiteral" ? membersOf(file, typeAnnotation.members) : [];
      return [{ ...common, name: id.name, isCallable: false, members }];
    }
    if (declaration.type === "TSInterfaceDeclaration") {
      const members = membersOf(file, declaration.body.body);
      return [{ ...common, name: declaration.id.name, isCallable: false, members }];
    }
    if (declaration.type === "ClassDeclaration") {
      const members = membersOf(file, declaration.body.body);
      return [{ ...common, name: declaration.id?.name ?? "", isCallable: true, members }];
    }
    if (declaration.type !== "FunctionDeclaration" && declaration.type !== "TSDeclareFunction") return [];
    return [{ ...common, name: declaration.id?.name ?? "", isCallable: true, members: [] }];
  });
}

interface MemberNode extends Span {
  readonly type: string;
  readonly key?: Span & { readonly type: string };
  readonly accessibility?: string | null;
  readonly override?: boolean;
  readonly computed?: boolean;
}

/** The public members; a constructor is documented by its class, an overridden member by what it overrides, overloads once. */
function membersOf(file: SourceFile, nodes: readonly MemberNode[]): PublicName["members"] {
  const members = nodes.flatMap((node) => {
    const { key, accessibility, override } = node;
    if (key === undefined || key.type === "PrivateIdentifier" || node.computed === true || override === true) return [];
    const name = file.text.slice(key.start, key.end);
    if (name === "constructor" || accessibility === "private" || accessibility === "protected") return [];
    return [{ name, line: lineOf(file, node), doc: docBefore(file, node) }];
  });
  return members.filter(({ name, doc }, index) => {
    const first = members.findIndex((other) => other.name === name);
    return first === index || (doc !== undefined && members[first]?.doc === undefined);
  });
}

function docBefore({ text, comments }: SourceFile, { start }: Span): string | undefined {
  return comments.find(
    ({ type, value, end }) =>
      type === "Block" && value.startsWith("*") && end <= start && text.slice(end, start).trim() === "",
  )?.value;
}

function lineOf({ text }: SourceFile, { start }: Span): number {
  return text.slice(0, start).split("\n").length;
}
