/**
 * Owners of a snapshot's objects that are not in the snapshot: looked up one by one. An owner that cannot be read is
 * unknown, never absent.
 */
import type { Kind } from "../../api/kind.ts";
import type { OwnerReference, StoredObject } from "../../api/object.ts";
import { StatusError } from "../../api/status-error.ts";
import type { Transport } from "../../api/transport.ts";
import type { DiscoveredKind } from "../../client/api/discovery.ts";
import { readObject } from "./read-list.ts";

/** An owner that is known only from a reference. */
export interface UnknownOwner {
  readonly owner: OwnerReference;
  readonly namespace: string;
  readonly why: string;
}

/** How owners are looked up. */
export interface OwnerSources {
  readonly transport: Transport;
  readonly kinds: readonly DiscoveredKind[];
  readonly isServed: (kind: Kind) => boolean;
}

/** Limit for chains of owners; real ones have about three. */
const mostFloors = 6;

/**
 * The objects with all their existing owners. An unknown owner is added with its name only, so that it does not count
 * as absent.
 */
export async function closeUnderOwners(
  sources: OwnerSources,
  listed: readonly StoredObject[],
  isListed: (apiVersion: string, kind: string) => boolean,
): Promise<{ readonly objects: readonly StoredObject[]; readonly unknown: readonly UnknownOwner[] }> {
  const objects = [...listed];
  const unknown: UnknownOwner[] = [];
  const known = new Set(objects.map(({ metadata }) => metadata.uid));
  let fresh: readonly StoredObject[] = objects;
  for (let floor = 0; floor < mostFloors && fresh.length > 0; floor++) {
    const missing = missingOwners(fresh, known, isListed);
    const found = await Promise.all(missing.map((each) => lookUp(sources, each)));
    const added: StoredObject[] = [];
    for (const { owner, is } of found) {
      known.add(owner.owner.uid);
      if (is === "absent") continue;
      if (typeof is === "string") unknown.push({ ...owner, why: is });
      const object = typeof is === "string" ? bare(owner, sources) : is;
      if (object !== undefined) added.push(object);
    }
    objects.push(...added);
    fresh = added;
  }
  return { objects, unknown };
}

interface Wanted {
  readonly owner: OwnerReference;
  readonly namespace: string;
}

function missingOwners(
  objects: readonly StoredObject[],
  known: ReadonlySet<string>,
  isListed: (apiVersion: string, kind: string) => boolean,
): Wanted[] {
  const missing = new Map<string, Wanted>();
  for (const { metadata } of objects) {
    for (const owner of metadata.ownerReferences ?? []) {
      // If a kind was read completely, a missing object does not exist.
      if (known.has(owner.uid) || isListed(owner.apiVersion, owner.kind)) continue;
      missing.set(owner.uid, { owner, namespace: metadata.namespace ?? "" });
    }
  }
  return [...missing.values()];
}

function kindOfOwner({ kinds }: OwnerSources, { apiVersion, kind }: OwnerReference): DiscoveredKind | undefined {
  const slash = apiVersion.indexOf("/");
  const [group, version] = slash < 0 ? ["", apiVersion] : [apiVersion.slice(0, slash), apiVersion.slice(slash + 1)];
  return kinds.find((each) => each.kind === kind && each.group === group && each.version === version);
}

/** A string: why it is unknown. */
type LookedUp = { readonly owner: Wanted; readonly is: StoredObject | "absent" | (string & {}) };

async function lookUp(sources: OwnerSources, wanted: Wanted): Promise<LookedUp> {
  const { owner, namespace } = wanted;
  const kind = kindOfOwner(sources, owner);
  if (kind === undefined)
    return { owner: wanted, is: `the cluster does not serve ${owner.kind} of ${owner.apiVersion}` };
  try {
    const at = { namespace: kind.namespaced ? namespace : "", name: owner.name };
    const object = await readObject(sources.transport, kind, at);
    if (object === undefined || object.metadata.uid !== owner.uid) return { owner: wanted, is: "absent" };
    return {
      owner: wanted,
      is: sources.isServed(kind) ? object : `${kind.kind} is a kind that the sandbox does not serve`,
    };
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    return { owner: wanted, is: error.message };
  }
}

/** Undefined for a kind that the sandbox does not serve: a lookup then fails with that, not with "not found". */
function bare({ owner, namespace }: Wanted, sources: OwnerSources): StoredObject | undefined {
  const kind = kindOfOwner(sources, owner);
  if (kind === undefined || !sources.isServed(kind)) return undefined;
  return {
    apiVersion: owner.apiVersion,
    kind: owner.kind,
    metadata: {
      name: owner.name,
      uid: owner.uid,
      resourceVersion: "1",
      creationTimestamp: "2026-01-01T00:00:00Z",
      ...(kind.namespaced && { namespace }),
    },
  };
}
