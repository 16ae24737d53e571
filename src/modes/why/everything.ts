/** The metadata of all objects of all kinds in a namespace: what may be owned, and what blocks a deletion. */
import { resourceOf } from "../../api/kind.ts";
import { isNotFound } from "../../api/status-error.ts";
import type { DiscoveredKind } from "../../client/api/discovery.ts";
import type { Item } from "../../diagnosis/diagnosis.ts";
import type { Got } from "../../diagnosis/look.ts";
import type { Unseen } from "../../verdict/verdict.ts";
import { isMetrics, listable, silentServers } from "./listable.ts";
import { inParallel } from "./parallel.ts";
import { type ReaderOptions, reasonOf } from "./options.ts";

/** Kinds with many objects that are irrelevant to others. */
const left: ReadonlySet<string> = new Set(["events", "events.events.k8s.io"]);
/** How many objects of each kind are read. */
const mostOfAKind = 500;
/** How many kinds are read. */
const mostKinds = 400;

/** Lists metadata of many kinds concurrently; kinds that cannot be listed are reported as unseen. */
export async function readEverything(options: ReaderOptions, namespace: string): Promise<Got> {
  const { kinds, unavailable } = options.discovery;
  const listed = listable(kinds).filter(
    (kind) => !left.has(resourceOf(kind)) && !isMetrics(kind.group) && (namespace === "" || kind.namespaced),
  );
  const readKinds = listed.slice(0, mostKinds);
  const lists = await inParallel(readKinds, (kind) => listMetadata(options, kind, namespace));
  const cut = listed.length - readKinds.length;
  const tooMany = { what: `${cut} more kinds`, why: `after the first ${mostKinds}`, isDecisive: true };
  return {
    is: "objects",
    items: lists.flatMap(({ items }) => items),
    unseen: [...lists.flatMap(({ unseen }) => unseen), ...silentServers(unavailable), ...(cut > 0 ? [tooMany] : [])],
  };
}

interface Part {
  readonly items: readonly Item[];
  readonly unseen: readonly Unseen[];
}

async function listMetadata({ client }: ReaderOptions, kind: DiscoveredKind, namespace: string): Promise<Part> {
  const what = resourceOf(kind);
  try {
    const page = await client.listMetadata(kind, { namespace, limit: mostOfAKind });
    const cut = page.continueToken !== "";
    const unseen = cut ? [{ what: `more ${what}`, why: `after the first ${mostOfAKind}`, isDecisive: true }] : [];
    return { items: page.items.map((object) => ({ kind, object })), unseen };
  } catch (error) {
    const why = reasonOf(error, "list") ?? (isNotFound(error) ? "the server no longer has it" : undefined);
    if (why === undefined) throw error;
    return { items: [], unseen: [{ what, why, isDecisive: true }] };
  }
}
