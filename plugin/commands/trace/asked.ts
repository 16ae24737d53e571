/** What the arguments of `trace` ask for: which controllers, and which object's syncs. */
import type { Kind } from "../../../src/api/kind.ts";
import { isNameOf } from "../../../src/client/api/discovery.ts";
import { type ControllerDefinition, isNamespaced } from "../../../src/controller/api/definition.ts";
import { controllersEnabledByDefault } from "../../../src/controllers/index.ts";
import { controllersNamed } from "../../names/controller-names.ts";
import type { Globals } from "../../connections/globals.ts";
import type { Io } from "../../cli/io.ts";
import { namesObject } from "../../names/object-names.ts";
import { refuseManifestsOnCluster, refuseTwoScopes } from "../../cli/scope.ts";
import type { Failure } from "./screen.ts";
import { UserError } from "../../cli/user-error.ts";

export interface TraceOptions extends Globals {
  readonly allNamespaces?: true;
  readonly why?: string;
  readonly all?: true;
  readonly sandbox?: true;
  readonly manifests?: readonly string[];
  readonly once?: true;
  readonly for?: number;
  readonly count?: number;
  readonly failOn?: Failure;
  readonly output?: "text" | "json";
  readonly sinceStart?: true;
}

export interface Asked {
  readonly controllers: readonly ControllerDefinition[];
  /** `TYPE/NAME`: only this object's syncs are shown. */
  readonly object: string | undefined;
  /** With it those of the objects above and below it. */
  readonly chain: boolean;
  /** The controllers were not named one by one: those that do not fit the scope may be left out. */
  readonly all: boolean;
}

/** @throws UserError for arguments that contradict each other, and for controllers that are not known. */
export function askedFor(words: readonly string[], options: TraceOptions, io: Io): Asked {
  const names = words.filter((word) => !namesObject(word));
  const [object, another] = words.filter(namesObject);
  if (another !== undefined) {
    throw new UserError("more than one object named", ["trace follows one: omit the others, or name none"]);
  }
  refuseTwoScopes(options);
  refuseManifestsOnCluster(options, "trace writes nothing");
  if (options.sandbox === true && options.failOn === "differs") {
    throw new UserError("--fail-on differs is for shadow: in a sandbox there is no owner to differ from", [
      "omit --sandbox, or name another",
    ]);
  }
  if (names.length > 0) {
    return { controllers: controllersNamed(names, io.calledAs), object, chain: false, all: names.includes("all") };
  }
  const target = object ?? options.why;
  if (target === undefined)
    return { controllers: controllersNamed(names, io.calledAs), object, chain: false, all: false };
  return { controllers: controllersOf(target, io.calledAs), object, chain: true, all: true };
}

/**
 * The controllers that an object of the type goes through: that of its kind, and those of what it owns; for a kind that has none,
 * those that watch it.
 */
function controllersOf(object: string, calledAs: string): readonly ControllerDefinition[] {
  const [type = ""] = object.split("/");
  const chosen = new Set(
    controllersEnabledByDefault.filter(({ for: kind }) => kind !== undefined && isNameOf(kind, type)),
  );
  // A set takes in what is added while it is gone through.
  for (const { watches } of chosen) {
    const owned = watches.filter((watch) => watch.owned === true).map(({ kind }) => kind);
    for (const each of controllersEnabledByDefault)
      if (each.for !== undefined && owned.includes(each.for)) chosen.add(each);
  }
  if (chosen.size === 0) {
    for (const each of controllersEnabledByDefault)
      if (each.watches.some(({ kind }) => isNameOf(kind, type))) chosen.add(each);
  }
  if (chosen.size > 0) return controllersEnabledByDefault.filter((each) => chosen.has(each));
  throw new UserError(`no built-in controller is for the type ${JSON.stringify(type)}`, [
    `name a controller: \`${calledAs} trace garbage-collector --why ${object}\` shows what becomes of it when its owner goes`,
    `\`${calledAs} controllers\` lists them`,
  ]);
}

/** Where the controllers look on, and what is said of it. */
export interface TraceScope {
  readonly controllers: readonly ControllerDefinition[];
  /** Undefined: all namespaces. */
  readonly namespace: string | undefined;
  readonly notes: readonly string[];
}

/**
 * Controllers that work beyond one namespace cannot look on in one. Where all were asked for they are left out; one that was named
 * looks on in all namespaces, and what concerns others is not shown.
 */
export function scopeOf(
  { controllers, all, object }: Asked,
  { namespace, why }: { readonly namespace: string | undefined; readonly why: string | undefined },
): TraceScope {
  const wide = controllers.filter((definition) => !isNamespaced(definition));
  if (namespace === undefined || wide.length === 0) return { controllers, namespace, notes: [] };
  const names = wide.map(({ name }) => name).join(", ");
  const narrow = controllers.filter(isNamespaced);
  if (all && narrow.length > 0) {
    const note = `left out, since they work beyond namespace ${namespace}: ${names}; -A traces them too`;
    return { controllers: narrow, namespace, notes: [note] };
  }
  const target = object ?? why;
  const shown = target === undefined ? `what is in namespace ${namespace}, or in none,` : target;
  return { controllers, namespace: undefined, notes: [`${names} looks on in all namespaces: only ${shown} is shown`] };
}

/** Every kind that is known by name: those that the controllers watch first. */
export function kindsKnown(controllers: readonly ControllerDefinition[], others: readonly Kind[]): readonly Kind[] {
  return [...controllers.flatMap(({ watches }) => watches.map(({ kind }) => kind)), ...others];
}
