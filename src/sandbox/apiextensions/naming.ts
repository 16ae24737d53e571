/**
 * Accepts the names of definitions: no two in a group may share one. Source: apiextensions-apiserver v0.36
 * pkg/controller/status/naming_controller.go.
 */
import { deepEqual } from "../../api/field-changes.ts";
import type { Server } from "../context/server.ts";
import { conditionOf, isTrue } from "../meta/conditions.ts";
import { copyOf, type ApiObject, type Fields } from "../meta/object.ts";
import { setCondition, type DefinitionCondition } from "../registry/apiextensions/definition/conditions.ts";
import { definitionOf, namesOf, type DefinitionNames } from "../registry/apiextensions/definition/definition.ts";
import { definitionsOf, writeStatus } from "./definitions.ts";

interface TakenNames {
  /** Plurals, singulars and short names. */
  readonly resources: ReadonlySet<string>;
  readonly kinds: ReadonlySet<string>;
}

/** Accepts the names of a definition that are free; returns true if other definitions in its group may get names now. */
export function syncNames(server: Server, name: string): boolean {
  const stored = definitionsOf(server).get("", name)?.object;
  if (stored === undefined) return true;
  if (hasItsNames(stored)) return false;
  const definition = copyOf(stored);
  const { names: wanted } = definitionOf(definition);
  const accepted = namesOf(definition.status?.["acceptedNames"]);
  const { names, condition } = chosen({ wanted, accepted, taken: takenIn(server, definition) });
  const before = conditionOf(definition, "NamesAccepted");
  if (deepEqual(names, accepted) && isSameCondition(before, condition)) return false;
  definition.status = { ...definition.status, acceptedNames: written(names) };
  const now = server.timeline.now();
  setCondition(definition, { ...condition, now });
  for (const made of establishedAfter(definition, condition)) setCondition(definition, { ...made, now });
  return writeStatus(server, definition) !== undefined;
}

/** True if a definition has all the names that it requests. */
export function hasItsNames({ spec = {}, status = {} }: ApiObject): boolean {
  return deepEqual(namesOf(spec["names"]), namesOf(status["acceptedNames"]));
}

function isSameCondition(before: Fields | undefined, { status, reason, message }: DefinitionCondition): boolean {
  return before?.["status"] === status && before["reason"] === reason && before["message"] === message;
}

/** Without empty fields, as the server writes names. */
function written({ plural, singular, kind, listKind, shortNames, categories }: DefinitionNames): Fields {
  return {
    plural,
    ...(singular === "" ? {} : { singular }),
    ...(shortNames.length === 0 ? {} : { shortNames }),
    kind,
    ...(listKind === "" ? {} : { listKind }),
    ...(categories.length === 0 ? {} : { categories }),
  };
}

function takenIn(server: Server, definition: ApiObject): TakenNames {
  const { group } = definitionOf(definition);
  const resources = new Set<string>();
  const kinds = new Set<string>();
  for (const { name, object } of definitionsOf(server).range({})) {
    if (!name.endsWith(`.${group}`) || object.spec?.["group"] !== group) continue;
    const names = namesOf(object.status?.["acceptedNames"]);
    for (const name of [names.plural, names.singular, ...names.shortNames]) resources.add(name);
    kinds.add(names.kind).add(names.listKind);
  }
  return { resources, kinds };
}

interface Choice {
  readonly wanted: DefinitionNames;
  readonly accepted: DefinitionNames;
  readonly taken: TakenNames;
}

interface Chosen {
  readonly names: DefinitionNames;
  readonly condition: DefinitionCondition;
}

/** The names that are free or were already accepted; of several conflicts, the last is reported. */
function chosen({ wanted, accepted, taken }: Choice): Chosen {
  let condition: DefinitionCondition = {
    type: "NamesAccepted",
    status: "True",
    reason: "NoConflicts",
    message: "no conflicts found",
  };
  const refuse = (reason: string, names: readonly string[]): void => {
    const problems = names.map((name) => `${JSON.stringify(name)} is already in use`);
    const message = problems.length === 1 ? (problems[0] ?? "") : `[${problems.join(", ")}]`;
    condition = { type: "NamesAccepted", status: "False", reason, message };
  };
  const choose = (key: "plural" | "singular" | "kind" | "listKind", reason: string): string => {
    const used = key === "plural" || key === "singular" ? taken.resources : taken.kinds;
    if (wanted[key] === accepted[key] || !used.has(wanted[key])) return wanted[key];
    refuse(reason, [wanted[key]]);
    return accepted[key];
  };
  const plural = choose("plural", "PluralConflict");
  const singular = choose("singular", "SingularConflict");
  const conflicts = wanted.shortNames.filter(
    (name) => !accepted.shortNames.includes(name) && taken.resources.has(name),
  );
  if (conflicts.length > 0) refuse("ShortNamesConflict", conflicts);
  const shortNames = conflicts.length > 0 ? accepted.shortNames : wanted.shortNames;
  const kind = choose("kind", "KindConflict");
  const listKind = choose("listKind", "ListKindConflict");
  return { names: { plural, singular, shortNames, kind, listKind, categories: wanted.categories }, condition };
}

/** The new condition Established: it follows the names until it is True. */
function establishedAfter(definition: ApiObject, { status }: DefinitionCondition): readonly DefinitionCondition[] {
  if (isTrue(definition, "Established")) return [];
  const type = "Established";
  if (status === "True")
    return [{ type, status: "False", reason: "Installing", message: "the initial names have been accepted" }];
  if (conditionOf(definition, type) !== undefined) return [];
  return [{ type, status: "False", reason: "NotAccepted", message: "not all names are accepted" }];
}
