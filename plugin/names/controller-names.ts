/** Resolves the user's words to controllers. */
import type { ControllerDefinition } from "../../src/controller/api/definition.ts";
import { builtInControllers, controllersEnabledByDefault } from "../../src/controllers/index.ts";
import type { Candidate } from "../cli/command.ts";
import type { Io } from "../cli/io.ts";
import { UserError } from "../cli/user-error.ts";
import { nearest } from "../cli/nearest.ts";

/** The context for resolving names: the files that were loaded for this command line. */
export type Naming = Pick<Io, "calledAs" | "controllerFiles">;

/** The names of the built-in controllers, and `all`. */
export function controllerCandidates(): readonly Candidate[] {
  return [
    ...builtInControllers.map(({ name, purpose }) => ({ value: name, about: purpose })),
    { value: "all", about: "what kube-controller-manager runs by default, without those that need the cluster's keys" },
  ];
}

/**
 * The named controllers, each once, in the order of the catalogue; `all` means every one that need not be named explicitly, or those given.
 * Aliases are accepted; a controller's companions are included. Those from files come last.
 * @throws UserError that names the word, and the most similar known one.
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

/** The controller with that name, and its companions. @throws UserError as above. */
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

/** Whether a name is long enough for similarity to be meaningful: `pvc-protection`; two letters are similar to any others. */
const isTelling = (name: string): boolean => name.length > 5;

/**
 * The controller with a name or an alias, in any case, or the first one in a file. @throws UserError that suggests the most similar one.
 */
export function controllerNamed(word: string, { calledAs, controllerFiles }: Naming): ControllerDefinition {
  const [own] = controllerFiles.get(word) ?? [];
  if (own !== undefined) return own;
  const wanted = word.toLowerCase();
  const found = builtInControllers.find(({ name, aliases }) => name === wanted || aliases.includes(wanted));
  if (found !== undefined) return found;
  throw new UserError(`unknown controller ${JSON.stringify(word)}`, hintsAbout(word, calledAs));
}

function hintsAbout(word: string, calledAs: string): readonly string[] {
  const wanted = word.toLowerCase();
  if (/\.[cm]?[jt]s$/.test(wanted)) return [`for a file of controllers, give ./${word}`];
  const near = nearestController(wanted);
  const known = builtInControllers.map(({ name }) => name).join(", ");
  return [
    near === undefined ? `known are: ${known}` : `did you mean ${near}?`,
    `\`${calledAs} controllers\` lists them`,
  ];
}

function nearestController(wanted: string): string | undefined {
  const names = builtInControllers.map(({ name }) => name);
  return nearest(wanted, [...names, ...builtInControllers.flatMap(({ aliases }) => aliases).filter(isTelling)]);
}

/** Whether a word names a controller, or `all`, or is similar to the name of one. */
export function isLikeController(word: string, { controllerFiles }: Naming): boolean {
  const wanted = word.toLowerCase();
  const isAlias = builtInControllers.some(({ aliases }) => aliases.includes(wanted));
  return controllerFiles.has(word) || wanted === "all" || isAlias || nearestController(wanted) !== undefined;
}

/**
 * Only a sandbox provides its private keys.
 * @throws UserError for a controller that needs them.
 */
export function refuseKeyless(controllers: readonly ControllerDefinition[]): void {
  const keyless = controllers.find(({ withKeys }) => withKeys !== undefined);
  if (keyless === undefined) return;
  throw new UserError(`${keyless.name} needs the private keys of the cluster, which are available only in a sandbox`, [
    "`sandbox` runs it; with --sandbox it can be run and traced here",
    "a program that has the keys runs it with the library: certificateSigner, serviceAccountTokens",
  ]);
}
