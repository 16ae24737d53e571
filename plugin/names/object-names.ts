/** Names of types and objects as kubectl accepts and prints them: `deploy/web`, `replicaset.apps/web-1`, `pods`, `TYPE NAME`. */
import { objectKey, type ObjectKey } from "../../src/api/key.ts";
import type { Kind } from "../../src/api/kind.ts";
import { isNameOf } from "../../src/client/api/discovery.ts";
import { distance } from "../cli/nearest.ts";
import { isControllerFile } from "../cli/controller-files.ts";
import { UserError } from "../cli/user-error.ts";

/** A named object, with its kind looked up. */
export interface NamedObject {
  /** Undefined for `NAMESPACE/NAME`: an object of any kind. */
  readonly kind: Kind | undefined;
  readonly key: ObjectKey;
}

/** A type and, if a single object is meant, its name: as written, not yet looked up. */
export interface TypeAndName {
  readonly type: string;
  /** Undefined: all objects of the type. */
  readonly name: string | undefined;
}

/** Whether a word on the command line names an object rather than a controller. */
export function namesObject(word: string): boolean {
  return word.includes("/") && !isControllerFile(word);
}

type Named = Kind & { readonly singular?: string };

/**
 * Reads `TYPE/NAME`, in the given namespace, or `NAMESPACE/NAME` if the first part is not a type.
 * @throws UserError for a word that is neither.
 */
export function objectNamed(word: string, kinds: readonly Kind[], namespace: string): NamedObject {
  const [first = "", name = "", ...rest] = word.split("/");
  if (first === "" || name === "" || rest.length > 0) {
    throw new UserError(`${JSON.stringify(word)} does not name an object`, ["write TYPE/NAME, as in deploy/web"]);
  }
  const kind = kinds.find((each) => isNameOf(each, first));
  if (kind === undefined) return { kind: undefined, key: objectKey(first, name) };
  return { kind, key: objectKey(kind.namespaced ? namespace : "", name) };
}

/** Whether a word looks like a duration: `2m`, which is no object either. */
const isDuration = (word: string): boolean => /^\d+(ms|s|m|h)$/.test(word);

/**
 * What the words name, as in kubectl: `TYPE/NAME` each, or types (`pods`, `deploy,rs`) followed by names of their objects.
 * @throws UserError for words that mix the two, or are neither.
 */
export function typesAndNames(words: readonly string[]): readonly TypeAndName[] {
  const refuse = (): never => {
    throw new UserError(`${JSON.stringify(words.join(" "))} does not name objects`, [
      "write TYPE/NAME, as in deploy/web, or TYPE NAME, or TYPE for all of a type",
      ...words.filter(isDuration).map((word) => `the duration of an option follows a =, as in --wait=${word}`),
    ]);
  };
  if (words.some((word) => word === "")) refuse();
  if (words.some(namesObject)) {
    return words.map((word) => {
      const [type = "", name = "", ...rest] = word.split("/");
      return type === "" || name === "" || rest.length > 0 ? refuse() : { type, name };
    });
  }
  const [first, ...names] = words;
  if (first === undefined) return [];
  const types = first.split(",");
  if (types.includes("")) refuse();
  return types.flatMap((type): readonly TypeAndName[] =>
    names.length === 0 ? [{ type, name: undefined }] : names.map((name) => ({ type, name })),
  );
}

/**
 * The kind that a type names, among those that the server has: the preferred version of the first group that has it, as in kubectl.
 * `command` is the command as the user called it.
 * @throws UserError for a type that the server does not have.
 */
export function kindNamed<K extends Named>(type: string, kinds: readonly K[], command: string): K {
  const found = kinds.find((kind) => isNameOf(kind, type));
  if (found !== undefined) return found;
  const near = nearest(type.toLowerCase(), kinds);
  throw new UserError(`the server doesn't have a resource type ${JSON.stringify(type)}`, [
    near === undefined
      ? "`kubectl api-resources` lists what it has"
      : `did you mean ${writtenName(near, type.toLowerCase())}?`,
    `\`${command} --help\` shows what to write`,
  ]);
}

/** As usual in kubectl commands: `deployment` for `deploymnt`, `pods` for `podz`. */
function writtenName({ plural, singular, kind }: Named, wanted: string): string {
  const one = singular ?? kind.toLowerCase();
  return awayFrom(wanted, one) < awayFrom(wanted, plural) ? one : plural;
}

function awayFrom(wanted: string, name: string): number {
  return name.startsWith(wanted) ? 1 : distance(name, wanted);
}

/** The kind whose name has the same prefix, or is one letter off, or two in a longer word. */
function nearest<K extends Named>(wanted: string, kinds: readonly K[]): K | undefined {
  const away = ({ plural, kind }: K): number =>
    Math.min(...[plural, kind.toLowerCase()].map((name) => awayFrom(wanted, name)));
  const most = wanted.length > 4 ? 2 : 1;
  return kinds.filter((kind) => away(kind) <= most).sort((a, b) => away(a) - away(b))[0];
}
