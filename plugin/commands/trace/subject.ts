/** Resolves the words of `trace` to controllers and an object. */
import type { Kind } from "../../../src/api/kind.ts";
import { Pods } from "../../../src/api/kinds.ts";
import { isNameOf } from "../../../src/client/api/discovery.ts";
import { type ControllerDefinition, isNamespaced } from "../../../src/controller/api/definition.ts";
import { controllersEnabledByDefault } from "../../../src/controllers/index.ts";
import { controllersNamed, isLikeController, type Naming } from "../../names/controller-names.ts";
import { namesObject } from "../../names/object-names.ts";
import type { TraceSubject } from "./request.ts";
import { UserError } from "../../cli/user-error.ts";

/** `rs web` means `rs/web`, as in kubectl, if the second word is not like the name of a controller. */
function withoutTypeAndName(words: readonly string[], io: Naming): readonly string[] {
  const [type = "", name, ...rest] = words;
  if (name === undefined || rest.length > 0 || words.some(namesObject) || isLikeController(name, io)) return words;
  const isType = controllersEnabledByDefault.some(({ watches }) => watches.some(({ kind }) => isNameOf(kind, type)));
  return isType ? [`${type}/${name}`] : words;
}

/** The controllers and the object that the words name. @throws UserError for more than one object, or an unknown controller. */
export function subjectOfWords(
  words: readonly string[],
  { why, io }: { readonly why: string | undefined; readonly io: Naming },
): TraceSubject {
  const given = withoutTypeAndName(words, io);
  const names = given.filter((word) => !namesObject(word));
  const [object, another] = given.filter(namesObject);
  if (another !== undefined) {
    throw new UserError("trace accepts at most one TYPE/NAME", ["name one object, or none"]);
  }
  const target = object ?? why;
  if (names.length > 0 || target === undefined) {
    return { controllers: controllersNamed(names, io), object, chain: false, all: names.includes("all") };
  }
  return { controllers: controllersOf(target, io.calledAs), object, chain: true, all: true };
}

/** The controllers for an object of the type: that of its kind and those of its dependents; for a kind without one, those that watch it. */
function controllersOf(object: string, calledAs: string): readonly ControllerDefinition[] {
  const [type = ""] = object.split("/");
  const chosen = new Set(
    controllersEnabledByDefault.filter(({ for: kind }) => kind !== undefined && isNameOf(kind, type)),
  );
  // The iteration includes elements that are added meanwhile. The claims of pods are followed only for a pod.
  for (const { for: of, watches } of chosen) {
    if (of === Pods && !isNameOf(Pods, type)) continue;
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
    `name a controller: \`${calledAs} trace garbage-collector --why ${object}\` shows what happens to it when its owner is deleted`,
    `\`${calledAs} controllers\` lists them`,
  ]);
}

/** The controllers and namespace of a trace, with messages about them. */
export interface TraceScope {
  readonly controllers: readonly ControllerDefinition[];
  /** Undefined for all namespaces. */
  readonly namespace: string | undefined;
  readonly notes: readonly string[];
}

/**
 * Controllers that do not support a single namespace are left out with `all`. If one was named, it shadows all namespaces, and objects in
 * other namespaces are not shown.
 */
export function scopeOf(
  { controllers, all, object }: TraceSubject,
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
  return { controllers, namespace: undefined, notes: [`${names} shadows all namespaces; only ${shown} is shown`] };
}

/** All known kinds, those that the controllers watch first. */
export function kindsKnown(controllers: readonly ControllerDefinition[], others: readonly Kind[]): readonly Kind[] {
  return [...controllers.flatMap(({ watches }) => watches.map(({ kind }) => kind)), ...others];
}

/** Whether one of the controllers works on every kind that exists, as the garbage collector does. */
export function worksOnEveryKind({ controllers }: TraceSubject): boolean {
  return controllers.some(({ dynamicWatches }) => dynamicWatches !== undefined);
}
