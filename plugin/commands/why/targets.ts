/** Finds the objects for `why`: by name, by type, or everything in a namespace. */
import { messageOf } from "../../../src/api/error-message.ts";
import { type Selector } from "../../../src/api/labels.ts";
import { parseSelector } from "../../../src/api/selector-parser.ts";
import { isForbidden, isNotFound } from "../../../src/api/status-error.ts";
import type { ControllerDefinition } from "../../../src/controller/api/definition.ts";
import type { DiscoveredKind, Discovery } from "../../../src/client/api/discovery.ts";
import type { Client } from "../../../src/client/api/verbs.ts";
import type { Item } from "../../../src/diagnosis/diagnosis.ts";
import { diagnosable, readContents } from "../../../src/modes/why/contents.ts";
import { silentServers } from "../../../src/modes/why/listable.ts";
import type { Reading } from "../../../src/modes/why/why.ts";
import type { Unseen } from "../../../src/verdict/verdict.ts";
import { kindNamed, type TypeAndName } from "../../names/object-names.ts";
import { namespaceExists } from "../../names/missing-namespace.ts";
import { pluralize } from "../../cli/style.ts";
import { causesFirst } from "./order.ts";
import { UserError } from "../../cli/user-error.ts";

/** The request with the namespace resolved. */
export interface WhyQuery {
  readonly words: readonly TypeAndName[];
  /** The controllers that determine what they would do. */
  readonly controllers: readonly ControllerDefinition[];
  /** Empty for all namespaces and cluster-scoped objects. */
  readonly namespace: string;
  readonly selector: Selector;
  readonly calledAs: string;
  /** The context for suggested commands. */
  readonly context: string;
  readonly isSandbox: boolean;
  /** `kubectl --context dev WORDS`. */
  readonly kubectl: (words: string) => string;
}

/** The objects to examine, and the evidence of the search. */
export interface Targets {
  readonly items: readonly Item[];
  /** What was listed to find them; empty if they were named. */
  readonly seen: readonly string[];
  readonly unseen: readonly Unseen[];
  /** Whether a single object was named, whose answer is printed in full. */
  readonly isOne: boolean;
  /** `namespace shop`, `2 objects`. */
  readonly where: string;
}

/** The maximum number of objects to examine: those that most others depend on. */
const maxObjects = 2000;

/** Reads `-l`. @throws UserError. */
export function selectorFrom(text: string | undefined): Selector {
  try {
    return text === undefined ? [] : parseSelector(text);
  } catch (error) {
    throw new UserError(messageOf(error), ["write it as for kubectl, as in -l app=web"], { cause: error });
  }
}

/** The context of the search. */
export interface SearchContext {
  readonly reading: Reading;
  readonly client: Client;
  readonly kinds: readonly DiscoveredKind[];
  readonly unavailable: Discovery["unavailable"];
}

/** @throws UserError for a type or an object that does not exist, or that the user is not allowed to read; StatusError, TransportError. */
export async function findTargets(ground: SearchContext, query: WhyQuery): Promise<Targets> {
  const { reading, client, kinds } = ground;
  const { words, namespace, selector, calledAs } = query;
  if (words.length === 0) return wholeNamespace(ground, query);
  const named = words.map(({ type, name }) => ({ kind: kindNamed(type, kinds, `${calledAs} why`), name }));
  const items: Item[] = [];
  const seen: string[] = [];
  const unseen: Unseen[] = [];
  for (const { kind, name } of named) {
    const within = kind.namespaced ? namespace : "";
    if (name !== undefined) {
      if (kind.namespaced && namespace === "") {
        throw new UserError("-A chooses all namespaces, and an object that is named is in one", [
          "write TYPE -A, or the name with -n NAMESPACE",
        ]);
      }
      if (selector !== "nothing" && selector.length > 0) {
        throw new UserError("-l chooses among objects, and these are named", [
          "write TYPE -l SELECTOR, or names without -l",
        ]);
      }
      items.push(await namedObject(ground, { kind, namespace: within, name }, query));
      continue;
    }
    const listed = await reading.list(kind, within, selector);
    // A list in a missing namespace is empty, without an error.
    if (listed.items.length === 0 && within !== "") await namespaceExists(client, within);
    if (listed.unseen.length === 0 && listed.items.length > 0) seen.push(kind.plural);
    items.push(...listed.items);
    unseen.push(...listed.unseen);
  }
  const isOne = words.length === 1 && words[0]?.name !== undefined;
  const types = [...new Set(named.map(({ kind }) => kind.plural))].join(", ");
  const within = namespace === "" ? "all namespaces" : `namespace ${namespace}`;
  const where = named.every(({ kind }) => kind.namespaced) ? `${types} in ${within}` : types;
  const evidence = seen.length > 0 || items.length === 0 ? seen : ["the objects named"];
  return bounded({ items, seen: evidence, unseen, isOne, where });
}

async function wholeNamespace(
  { reading, client, kinds, unavailable }: SearchContext,
  query: WhyQuery,
): Promise<Targets> {
  const { namespace, selector } = query;
  if (namespace !== "") await namespaceExists(client, namespace);
  const diagnosed = diagnosable(kinds, namespace);
  const { items, seen, unseen } = await readContents(reading, { kinds: diagnosed, namespace, selector });
  const isChosen = selector === "nothing" || selector.length > 0;
  // An empty namespace is evidence, but not a selector that matches nothing.
  const evidence = isChosen && items.length === 0 ? [] : seen.length === 0 ? [] : [`${seen.length} kinds`];
  const where = namespace === "" ? "all namespaces" : `namespace ${namespace}`;
  return bounded({ items, seen: evidence, unseen: [...unseen, ...silentServers(unavailable)], isOne: false, where });
}

function bounded(targets: Targets): Targets {
  const { items, unseen } = targets;
  const cut = items.length - maxObjects;
  if (cut <= 0) return targets;
  const left = { what: pluralize(cut, "more object"), why: `after the first ${maxObjects}`, isDecisive: true };
  return { ...targets, items: causesFirst(items).slice(0, maxObjects), unseen: [...unseen, left] };
}

async function namedObject(
  { reading, client }: SearchContext,
  { kind, namespace, name }: { readonly kind: DiscoveredKind; readonly namespace: string; readonly name: string },
  query: WhyQuery,
): Promise<Item> {
  const { context, isSandbox, kubectl } = query;
  try {
    return await reading.object(kind, namespace, name);
  } catch (error) {
    const where = namespace === "" ? "" : ` in namespace ${namespace}`;
    if (isNotFound(error)) {
      if (namespace !== "") await namespaceExists(client, namespace);
      const listed = kubectl(`get ${kind.plural}${namespace === "" ? "" : ` -n ${namespace}`}`);
      const next = isSandbox ? "the sandbox is filled from the manifests of -f" : `\`${listed}\` lists those there are`;
      throw new UserError(`there is no ${kind.kind} ${name}${where} (context ${context})`, [next], { cause: error });
    }
    if (isForbidden(error)) {
      const check = kubectl(`auth can-i --list${namespace === "" ? "" : ` -n ${namespace}`}`);
      throw new UserError(`not allowed to get ${kind.plural}${where}: ${messageOf(error)}`, [
        `\`${check}\` lists what is allowed`,
      ]);
    }
    throw error;
  }
}
