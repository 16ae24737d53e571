/** Reads what a diagnosis requests; what cannot be read is reported with the reason. */
import { apiVersionOf, type Kind, resourceOf } from "../../api/kind.ts";
import { Events } from "../../api/kinds.ts";
import type { StoredObject } from "../../api/object.ts";
import { isNotFound } from "../../api/status-error.ts";
import { parseTime } from "../../api/time.ts";
import { readAll } from "../../api/transport.ts";
import type { DiscoveredKind } from "../../client/api/discovery.ts";
import type { Item } from "../../diagnosis/diagnosis.ts";
import { type Got, refersTo, type Want } from "../../diagnosis/look.ts";
import type { Unseen } from "../../verdict/verdict.ts";
import { readEverything } from "./everything.ts";
import { type ReaderOptions, reasonOf } from "./options.ts";
import { readReconciler } from "./reconciler.ts";
import { readWould } from "./would.ts";

const pageSize = 500;
/** Pages per list: 5,000 objects. */
const mostPages = 10;

/**
 * Reads one want.
 * @throws StatusError for errors other than a missing right or a missing object; TransportError.
 */
export async function readWant(options: ReaderOptions, want: Want): Promise<Got> {
  switch (want.is) {
    case "get":
      return readObject(options, want);
    case "list":
      return readList(options, want);
    case "owner":
      return readOwner(options, want);
    case "everything":
      return readEverything(options, want.namespace);
    case "events":
      return readList(options, { is: "list", kind: Events, namespace: want.namespace, selector: "" });
    case "would":
      return readWould(options, want.ref);
    case "reconciler":
      return readReconciler(options, want);
  }
}

async function ifReadable(verb: string, reading: () => Promise<Got>): Promise<Got> {
  try {
    return await reading();
  } catch (error) {
    const why = reasonOf(error, verb);
    if (why === undefined) throw error;
    return { is: "unseen", why };
  }
}

/** The server's kind, in its preferred version. */
function served({ discovery: { kinds } }: ReaderOptions, kind: Kind): DiscoveredKind | undefined {
  return kinds.find((each) => each.kind === kind.kind && each.group === kind.group);
}

const notServed: Got = { is: "unseen", why: "the server has no such kind", isServed: false };

async function readObject(options: ReaderOptions, want: Want & { readonly is: "get" }): Promise<Got> {
  const { client } = options;
  const kind = served(options, want.kind);
  if (kind === undefined) return notServed;
  const at = { namespace: kind.namespaced ? want.namespace : "", name: want.name };
  return ifReadable("get", async () => {
    try {
      const object = await (want.metadata ? client.getMetadata(kind, at) : client.get(kind, at));
      return { is: "objects", items: [{ kind, object }], unseen: [] };
    } catch (error) {
      if (isNotFound(error)) return { is: "missing" };
      throw error;
    }
  });
}

async function readList(options: ReaderOptions, want: Want & { readonly is: "list" }): Promise<Got> {
  const { client } = options;
  const kind = served(options, want.kind);
  if (kind === undefined) return notServed;
  const { selector } = want;
  const namespace = kind.namespaced ? want.namespace : "";
  return ifReadable("list", async () => {
    const items: Item[] = [];
    let continueToken = "";
    for (let pages = 0; pages < mostPages; pages++) {
      const page = await client.list<StoredObject>(kind, {
        namespace,
        limit: pageSize,
        ...(selector !== "" && { labelSelector: selector }),
        ...(continueToken !== "" && { continueToken }),
      });
      items.push(...page.items.map((object) => ({ kind, object })));
      continueToken = page.continueToken;
      if (continueToken === "") break;
    }
    return { is: "objects", items, unseen: continueToken === "" ? [] : [tooMany(kind, items.length)] };
  });
}

function tooMany(kind: Kind, count: number): Unseen {
  return { what: `more ${resourceOf(kind)}`, why: `after the first ${count}`, isDecisive: true };
}

async function readOwner(
  options: ReaderOptions,
  { reference, namespace }: Want & { readonly is: "owner" },
): Promise<Got> {
  const { kinds, unavailable } = options.discovery;
  const kind =
    kinds.find((each) => each.kind === reference.kind && apiVersionOf(each) === reference.apiVersion) ??
    kinds.find((each) => refersTo(reference, each));
  if (kind === undefined) {
    const isSilent = unavailable.some(({ groupVersion }) => groupVersion === reference.apiVersion);
    return { is: "unseen", why: isSilent ? "its API group does not respond" : "the server has no such kind" };
  }
  return readObject(options, { is: "get", kind, namespace, name: reference.name, metadata: false });
}

/** The server's clock, which sets the times of its objects; ours if it sends none. */
export async function serverTime({
  transport,
  timeline,
}: Pick<ReaderOptions, "transport" | "timeline">): Promise<number> {
  const { signal } = new AbortController();
  const accept = { accept: "application/json" };
  const response = await transport.send({ method: "GET", path: "/version", headers: accept, signal });
  await readAll(response.body);
  const date = response.header("date");
  return date === undefined ? timeline.now() : parseTime(date);
}
