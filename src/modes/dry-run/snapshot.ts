/**
 * A cluster at one revision, as far as a dry run needs it: everything in its namespaces, closed under owner references,
 * and what admission and scheduling need of the rest. Only reads.
 */
import { type Kind, resourceOf } from "../../api/kind.ts";
import { Namespaces, PersistentVolumeClaims, Pods } from "../../api/kinds.ts";
import type { StoredObject } from "../../api/object.ts";
import { isExpired, StatusError } from "../../api/status-error.ts";
import type { Transport } from "../../api/transport.ts";
import type { PersistentVolumeClaim, Pod } from "../../api/types.ts";
import type { DiscoveredKind, Discovery } from "../../client/api/discovery.ts";
import { isPodTerminal } from "../../controller/workload/pod-status.ts";
import { closeUnderOwners, type UnknownOwner } from "./owners.ts";
import { readList, readObject, type WholeList } from "./read-list.ts";
import { versionedKindName } from "./schema-defaults.ts";

/** What is read, and how. */
export interface SnapshotOptions {
  /** Should refuse writes. */
  readonly transport: Transport;
  /** The kinds that the cluster serves. */
  readonly kinds: readonly DiscoveredKind[];
  /** The group versions whose kinds the server could not list. */
  readonly unavailable: Discovery["unavailable"];
  /** Whether the sandbox can store objects of the kind. */
  readonly isServed: (kind: Kind) => boolean;
  readonly namespaces: readonly string[];
  /** Cluster-scoped kinds to be read in addition. */
  readonly alsoKinds: readonly Kind[];
  /** Those of the namespaces that will be deleted. */
  readonly toDelete?: readonly string[];
  /** Reads Secrets with their contents; otherwise only their metadata. */
  readonly wholeSecrets: boolean;
}

/** A kind that could not be read, and why. */
export interface Unreadable {
  readonly kind: Kind;
  readonly namespace: string | undefined;
  readonly error: StatusError;
}

/** The objects of a cluster at one revision, and what is not known about it. */
export interface Snapshot {
  readonly objects: readonly StoredObject[];
  readonly revision: number;
  /** The server's time of the snapshot, in ms since 1970; undefined if it sent none. */
  readonly atMs: number | undefined;
  readonly unreadable: readonly Unreadable[];
  readonly unknownOwners: readonly UnknownOwner[];
  /**
   * Namespaces being deleted, or to be deleted, that contain or may contain objects not in the snapshot; with the
   * reason.
   */
  readonly held: ReadonlyMap<string, string>;
  /** Kinds of the cluster that were not read. */
  readonly unread: readonly Kind[];
}

/** Cluster-scoped kinds that are always read. */
const clusterWide: ReadonlySet<string> = new Set([
  "nodes",
  "priorityclasses.scheduling.k8s.io",
  "runtimeclasses.node.k8s.io",
  "storageclasses.storage.k8s.io",
  "ingressclasses.networking.k8s.io",
  "deviceclasses.resource.k8s.io",
  "validatingwebhookconfigurations.admissionregistration.k8s.io",
  "mutatingwebhookconfigurations.admissionregistration.k8s.io",
  "validatingadmissionpolicies.admissionregistration.k8s.io",
  "validatingadmissionpolicybindings.admissionregistration.k8s.io",
  "mutatingadmissionpolicies.admissionregistration.k8s.io",
  "mutatingadmissionpolicybindings.admissionregistration.k8s.io",
]);

/** Events and heartbeats. */
const neverRead: ReadonlySet<string> = new Set(["events", "events.events.k8s.io", "leases.coordination.k8s.io"]);

const attempts = 3;

/** @throws StatusError, TransportError if the cluster cannot be read at all; a kind that cannot be read is only recorded. */
export async function takeSnapshot(options: SnapshotOptions): Promise<Snapshot> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await takeOnce(options);
    } catch (error) {
      // The server compacted meanwhile: read its current state.
      if (!isExpired(error) || attempt === attempts) throw error;
    }
  }
}

async function takeOnce(options: SnapshotOptions): Promise<Snapshot> {
  const { namespaces, transport } = options;
  const unreadable: Unreadable[] = [];
  const revisionList = await firstList(options, unreadable);
  const { revision, serverTime } = revisionList;
  const read = async (kind: Kind, namespace: string | undefined): Promise<readonly StoredObject[]> => {
    const metadataOnly = kind.kind === "Secret" && kind.group === "" && !options.wholeSecrets;
    const listOptions = { revision, metadataOnly, ...(namespace !== undefined && { namespace }) };
    return readOrNote(() => readList(transport, kind, listOptions), { kind, namespace }, unreadable);
  };
  const first = kindsToRead(options);
  const lists = await Promise.all([
    ...first.inNamespaces.flatMap((kind) => namespaces.map((namespace) => read(kind, namespace))),
    ...first.clusterWide.map((kind) => read(kind, undefined)),
  ]);
  const volumes = lists.flat().some(isOpenClaim) ? first.forOpenClaims : [];
  const volumeLists = await Promise.all(volumes.map((kind) => read(kind, undefined)));
  const wanted = { ...first, clusterWide: [...first.clusterWide, ...volumes] };
  const elsewhere = (await read(Pods, undefined)).filter((pod) => !namespaces.includes(pod.metadata.namespace ?? ""));
  const listed = [...lists.flat(), ...volumeLists.flat(), ...(await namespacesOf(options, revisionList, unreadable))];
  const closed = await closeUnderOwners(options, listed, isListed(wanted, unreadable));
  return {
    objects: [...closed.objects, ...elsewhere.flatMap(asLoad)],
    revision: Number(revision) || 0,
    atMs: serverTime,
    unreadable,
    unknownOwners: closed.unknown,
    unread: unreadKinds(options.kinds, wanted),
    held: await heldNamespaces(options, { objects: listed, unreadable }),
  };
}

/** The list that determines the revision: of namespaces or, if they cannot be listed, of the pods in one of them. */
async function firstList(options: SnapshotOptions, unreadable: Unreadable[]): Promise<WholeList> {
  try {
    return await readList(options.transport, Namespaces, {});
  } catch (error) {
    if (!(error instanceof StatusError) || error.code !== 403) throw error;
    unreadable.push({ kind: Namespaces, namespace: undefined, error });
    const [namespace = "default"] = options.namespaces;
    const { revision, serverTime } = await readList(options.transport, Pods, { namespace });
    return { objects: [], revision, serverTime };
  }
}

/** All namespaces, or those of the dry run that can be read one by one. */
async function namespacesOf(
  { transport, namespaces }: SnapshotOptions,
  first: WholeList,
  unreadable: readonly Unreadable[],
): Promise<readonly StoredObject[]> {
  if (!unreadable.some(({ kind }) => kind === Namespaces)) return first.objects;
  const read = namespaces.map(async (name): Promise<StoredObject[]> => {
    try {
      const namespace = await readObject(transport, Namespaces, { namespace: "", name });
      return namespace === undefined ? [] : [namespace];
    } catch (error) {
      if (!(error instanceof StatusError) || error.code !== 403) throw error;
      // Its objects could be listed, so it exists.
      return [assumedNamespace(name)];
    }
  });
  return (await Promise.all(read)).flat();
}

function assumedNamespace(name: string): StoredObject {
  const metadata = { name, uid: `assumed-${name}`, resourceVersion: "1", creationTimestamp: "2026-01-01T00:00:00Z" };
  const spec = { finalizers: ["kubernetes"] };
  return { apiVersion: "v1", kind: "Namespace", metadata, spec, status: { phase: "Active" } } as StoredObject;
}

/** Whether it matters which volumes exist. */
function isOpenClaim(object: StoredObject): boolean {
  // The kind implies the type.
  const { kind, status } = object as PersistentVolumeClaim & { readonly kind?: string };
  return kind === PersistentVolumeClaims.kind && status?.phase !== "Bound";
}

interface KindsToRead {
  readonly inNamespaces: readonly Kind[];
  readonly clusterWide: readonly Kind[];
  /** Kinds that matter only if a claim in the namespaces is unbound, and that are not read anyway. */
  readonly forOpenClaims: readonly Kind[];
}

function kindsToRead({ kinds, isServed, alsoKinds }: SnapshotOptions): KindsToRead {
  const also = new Set(alsoKinds.map(resourceOf));
  const readable = kinds.filter(
    (kind) => kind.preferred && kind.verbs.includes("list") && !neverRead.has(resourceOf(kind)) && isServed(kind),
  );
  const isWanted = (kind: Kind): boolean => clusterWide.has(resourceOf(kind)) || also.has(resourceOf(kind));
  const ofCluster = readable.filter((kind) => !kind.namespaced && resourceOf(kind) !== "namespaces");
  return {
    inNamespaces: readable.filter(({ namespaced }) => namespaced),
    clusterWide: ofCluster.filter(isWanted),
    forOpenClaims: ofCluster.filter((kind) => resourceOf(kind) === "persistentvolumes" && !isWanted(kind)),
  };
}

/**
 * A namespace is finalized when it is empty, and unknown objects may prevent that: for namespaces being deleted, kinds that the
 * sandbox does not serve are checked for a single object each. While the kinds of a group cannot be listed, it is not finalized at all. Kinds that cannot be deleted, such as those of metrics, are left alone by the
 * namespace controller. Source: kubernetes v1.36 pkg/controller/namespace/deletion/namespaced_resources_deleter.go deleteAllContent.
 */
async function heldNamespaces(
  { transport, kinds, unavailable, isServed, namespaces, toDelete = [] }: SnapshotOptions,
  { objects, unreadable }: Pick<Snapshot, "objects" | "unreadable">,
): Promise<ReadonlyMap<string, string>> {
  const going = objects
    .filter(({ kind, metadata }) => kind === "Namespace" && metadata.deletionTimestamp !== undefined)
    .map(({ metadata }) => metadata.name);
  const held = new Map<string, string>();
  const unserved = kinds.filter(
    (kind) =>
      kind.preferred &&
      kind.namespaced &&
      kind.verbs.includes("list") &&
      kind.verbs.includes("delete") &&
      !isServed(kind),
  );
  for (const name of new Set([...going, ...toDelete].filter((each) => namespaces.includes(each)))) {
    const [silent] = unavailable;
    if (silent !== undefined) {
      held.set(
        name,
        `the server cannot list the kinds of ${silent.groupVersion}, and the namespace stays until it can`,
      );
      continue;
    }
    const blind = unreadable.filter(({ kind, namespace }) => kind.namespaced && namespace === name);
    if (blind.length > 0) {
      held.set(name, `${resourceOf((blind[0] as Unreadable).kind)} cannot be read, and may exist in it`);
      continue;
    }
    const found = await Promise.all(unserved.map((kind) => isAnyThere(transport, kind, name)));
    const index = found.findIndex((is) => is !== "none");
    const kind = unserved[index];
    if (kind === undefined) continue;
    const whose = `${resourceOf(kind)}, which no controller here handles`;
    held.set(
      name,
      found[index] === "some" ? `it contains ${whose}` : `it may contain ${whose}, and they cannot be read`,
    );
  }
  return held;
}

async function isAnyThere(transport: Transport, kind: Kind, namespace: string): Promise<"some" | "none" | "unknown"> {
  try {
    const { objects } = await readList(transport, kind, { namespace, metadataOnly: true });
    return objects.length > 0 ? "some" : "none";
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    return "unknown";
  }
}

function unreadKinds(kinds: readonly Kind[], { inNamespaces, clusterWide }: KindsToRead): readonly Kind[] {
  const read = new Set([...inNamespaces, ...clusterWide, Namespaces].map(resourceOf));
  return kinds.filter((kind) => !read.has(resourceOf(kind)));
}

/** Whether all objects of the kind, in the namespaces of the snapshot, have been read. */
function isListed(
  wanted: KindsToRead,
  unreadable: readonly Unreadable[],
): (apiVersion: string, kind: string) => boolean {
  const listed = new Set([...wanted.inNamespaces, ...wanted.clusterWide, Namespaces].map(versionedKindName));
  for (const { kind } of unreadable) listed.delete(versionedKindName(kind));
  return (apiVersion, kind) => listed.has(`${apiVersion} ${kind}`);
}

async function readOrNote(
  read: () => Promise<WholeList>,
  what: { readonly kind: Kind; readonly namespace: string | undefined },
  unreadable: Unreadable[],
): Promise<readonly StoredObject[]> {
  try {
    return (await read()).objects;
  } catch (error) {
    if (!(error instanceof StatusError) || isExpired(error)) throw error;
    unreadable.push({ ...what, error });
    return [];
  }
}

/** Pods of other namespaces count only for the capacity that they use: their owners have not been read. */
function asLoad(object: StoredObject): StoredObject[] {
  const pod = object as Pod & StoredObject;
  if (isPodTerminal(pod) || (pod.spec?.nodeName ?? "") === "") return [];
  const { ownerReferences: _owners, finalizers: _finalizers, ...metadata } = pod.metadata;
  return [{ ...pod, metadata }];
}
