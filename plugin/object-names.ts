/** From `TYPE/NAME`, as kubectl has it, to the object that is meant. */
import { objectKey, type ObjectKey } from "../src/api/key.ts";
import { type Kind, resourceOf } from "../src/api/kind.ts";
import { UserError } from "./user-error.ts";

export interface NamedObject {
  /** Undefined for `NAMESPACE/NAME`: an object of whatever kind is asked about. */
  readonly kind: Kind | undefined;
  readonly key: ObjectKey;
}

/** Whether a word of the command line names an object and not a controller. */
export function namesObject(word: string): boolean {
  return word.includes("/");
}

/** Whether a word is a name of the kind: `rs`, `replicaset`, `replicasets`, `replicasets.apps`, `ReplicaSet`. */
export function isNameOf(kind: Kind, word: string): boolean {
  const wanted = word.toLowerCase();
  const names = [kind.plural, kind.kind.toLowerCase(), resourceOf(kind), ...(kind.shortNames ?? [])];
  return names.includes(wanted);
}

/**
 * Reads `TYPE/NAME`, in the given namespace, or `NAMESPACE/NAME` where the first part is no type.
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

/** The one object that the words name. @throws UserError for none, several, and a word that is no `TYPE/NAME`. */
export function splitObject(words: readonly string[]): { readonly type: string; readonly name: string } {
  const [first = "", second] = words;
  // kubectl takes `TYPE NAME` too.
  const [type = "", name = "", ...rest] = second === undefined ? first.split("/") : [first, second];
  if (words.length > 2 || rest.length > 0 || type === "" || name === "" || (second?.includes("/") ?? false)) {
    throw new UserError(`${JSON.stringify(words.join(" "))} does not name one object`, [
      "write TYPE/NAME, as in deploy/web",
    ]);
  }
  return { type, name };
}

/**
 * The kind that a type names, among those that the server has: the preferred version of the first group that has it, as kubectl
 * takes it.
 * @throws UserError for a type that the server does not have.
 */
export function kindNamed<K extends Kind>(type: string, kinds: readonly K[], calledAs: string): K {
  const found = kinds.find((kind) => isNameOf(kind, type));
  if (found !== undefined) return found;
  const near = kinds.find(
    ({ plural, kind }) => plural.startsWith(type) || kind.toLowerCase().startsWith(type.toLowerCase()),
  );
  throw new UserError(`the server has no type ${JSON.stringify(type)}`, [
    near === undefined ? "`kubectl api-resources` lists what it has" : `did you mean ${near.plural}?`,
    `\`${calledAs} why --help\` shows what to write`,
  ]);
}
