/** From the words a user types to controllers. */
import type { ControllerDefinition } from "../../src/controller/api/definition.ts";
import { builtInControllers, controllersEnabledByDefault } from "../../src/controllers/index.ts";
import type { Candidate } from "../cli/command.ts";
import type { Io } from "../cli/io.ts";
import { UserError } from "../cli/user-error.ts";
import { nearest } from "../cli/nearest.ts";

/** What names are resolved with: the files that were loaded for this command line. */
export type Naming = Pick<Io, "calledAs" | "controllerFiles">;

/** The names of the built-in controllers, and `all`. */
export function controllerCandidates(): readonly Candidate[] {
  return [
    ...builtInControllers.map(({ name, purpose }) => ({ value: name, about: purpose })),
    { value: "all", about: "what kube-controller-manager runs by default, without those that need the cluster's keys" },
  ];
}

/**
 * The controllers named, each once, in the order of the catalogue; `all` is every one that need not be named, or those given. Aliases are
 * understood; with a controller come those that are a part of it. Those of files come last.
 * @throws UserError that names the word, and the nearest known one.
 */
export function controllersNamed(
  words: readonly string[],
  naming: Naming & { readonly all?: readonly ControllerDefinition[] },
): readonly ControllerDefinition[] {
  if (words.length === 0) {
    throw new UserError("no controller named", [
      `name one or more of: ${builtInControllers.map(({ name }) => name).join(", ")}, all`,
    ]);
  }
  const { all = controllersEnabledByDefault } = naming;
  const chosen = new Set(words.flatMap((word) => (word === "all" ? all : controllersCalled(word, naming))));
  const builtIn = builtInControllers.filter((definition) => chosen.has(definition));
  return [...builtIn, ...[...chosen].filter((definition) => !builtIn.includes(definition))];
}

/** The controller of that name, and its parts. @throws UserError as above. */
function controllersCalled(word: string, naming: Naming): readonly ControllerDefinition[] {
  const own = naming.controllerFiles.get(word);
  if (own !== undefined) return own;
  const named = controllerNamed(word, naming);
  return [named, ...companionsOf(named)];
}

/** The controllers that run with this one, and only with it. */
export function companionsOf({ name }: Pick<ControllerDefinition, "name">): readonly ControllerDefinition[] {
  return builtInControllers.filter(({ companionOf }) => companionOf === name);
}

/** Whether a name is long enough that what is like it was meant: `pvc-protection`; two letters are like any others. */
const isTelling = (name: string): boolean => name.length > 5;

/** The controller of a name or an alias, in any case, or the first one of a file. @throws UserError that names the nearest one. */
export function controllerNamed(word: string, { calledAs, controllerFiles }: Naming): ControllerDefinition {
  const [own] = controllerFiles.get(word) ?? [];
  if (own !== undefined) return own;
  const wanted = word.toLowerCase();
  const found = builtInControllers.find(({ name, aliases }) => name === wanted || aliases.includes(wanted));
  if (found !== undefined) return found;
  const names = builtInControllers.map(({ name }) => name);
  const near = nearest(wanted, [...names, ...builtInControllers.flatMap(({ aliases }) => aliases).filter(isTelling)]);
  throw new UserError(`unknown controller ${JSON.stringify(word)}`, [
    near === undefined ? `known are: ${names.join(", ")}` : `did you mean ${near}?`,
    `\`${calledAs} controllers\` lists them`,
  ]);
}

/**
 * No cluster but a sandbox hands over its private keys.
 * @throws UserError for a controller that needs them.
 */
export function refuseKeyless(controllers: readonly ControllerDefinition[]): void {
  const keyless = controllers.find(({ withKeys }) => withKeys !== undefined);
  if (keyless === undefined) return;
  throw new UserError(`${keyless.name} needs the private keys of the cluster, which only a sandbox hands over`, [
    "`sandbox` runs it; with --sandbox it can be run and traced here",
    "a program that has the keys runs it with the library: certificateSigner, serviceAccountTokens",
  ]);
}
