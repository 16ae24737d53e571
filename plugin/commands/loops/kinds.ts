/** Determines the kinds that `loops` watches. */
import { type Kind, resourceOf } from "../../../src/api/kind.ts";
import { type DiscoveredKind, discover } from "../../../src/client/api/discovery.ts";
import { UserError } from "../../cli/user-error.ts";
import type { Reading } from "../../connections/reading-connection.ts";
import { unreadable } from "../../connections/reading-rights.ts";
import { kindNamed } from "../../names/object-names.ts";

/** The kinds to watch, and those that cannot be watched. */
export interface WatchedKinds {
  readonly kinds: readonly Kind[];
  /** Kinds that the user may not list and watch. */
  readonly refused: readonly Kind[];
  /** Group versions that the server could not list. */
  readonly undiscovered: readonly string[];
}

/** Kinds that are rewritten by design: Leases for elections and heartbeats, and Events, whose counts rise. */
const byDesign = new Set(["leases.coordination.k8s.io", "events", "events.events.k8s.io"]);

/**
 * The named kinds, or all, without those that the user may not list and watch.
 * @throws UserError for a word that names no kind, and if no kind is left to watch.
 */
export async function kindsToWatch(
  words: readonly string[],
  reading: Reading,
  calledAs: string,
): Promise<WatchedKinds> {
  const { namespace, client, user } = reading;
  const { kinds: found, unavailable } = await discover(client);
  const wanted =
    words.length === 0
      ? everyKind(found, namespace)
      : words.map((word) => watchable(kindNamed(word, found, `${calledAs} loops`)));
  const missing = new Set((await unreadable(wanted, reading)).map(({ group, resource }) => `${resource}.${group}`));
  const kinds = wanted.filter(({ plural, group }) => !missing.has(`${plural}.${group}`));
  if (kinds.length === 0) {
    const where = namespace === undefined ? "all namespaces" : `namespace ${namespace}`;
    const who = user === undefined ? "" : ` as user ${user}`;
    throw new UserError(`not allowed to list and watch any kind in ${where}${who}`, [
      "`kubectl auth can-i --list` shows what is allowed",
    ]);
  }
  return {
    kinds,
    refused: wanted.filter((kind) => !kinds.includes(kind)),
    undiscovered: unavailable.map(({ groupVersion }) => groupVersion),
  };
}

/** Each resource once, at its group's preferred version. With a namespace, only namespaced kinds. */
function everyKind(found: readonly DiscoveredKind[], namespace: string | undefined): readonly Kind[] {
  const seen = new Set<string>(byDesign);
  return found.filter((kind) => {
    const name = resourceOf(kind);
    if (seen.has(name) || !isWatchable(kind) || (namespace !== undefined && !kind.namespaced)) return false;
    seen.add(name);
    return true;
  });
}

function isWatchable({ verbs }: DiscoveredKind): boolean {
  return verbs.includes("list") && verbs.includes("watch");
}

/** @throws UserError for a kind that does not support watch. */
function watchable(kind: DiscoveredKind): DiscoveredKind {
  if (isWatchable(kind)) return kind;
  throw new UserError(`cannot watch ${resourceOf(kind)}: the server does not support watching it`, [
    `its verbs are ${kind.verbs.join(", ")}`,
  ]);
}
