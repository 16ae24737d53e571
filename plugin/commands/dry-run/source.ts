/** The start of a dry run: the cluster of the context, or an empty one, and the text that describes it. */
import type { ControllerDefinition } from "../../../src/controller/api/definition.ts";
import { type Kind, resourceOf } from "../../../src/api/kind.ts";
import type { Node } from "../../../src/api/types.ts";
import type { StoredObject } from "../../../src/api/object.ts";
import type { Transport } from "../../../src/api/transport.ts";
import { createClient } from "../../../src/client/api/client.ts";
import { discover, type DiscoveredKind, findKind } from "../../../src/client/api/discovery.ts";
import { loadKubeconfig } from "../../../src/client/config/kubeconfig.ts";
import {
  initialStateFrom,
  defaultNodes,
  emptyCluster,
  savedCluster,
} from "../../../src/modes/dry-run/initial-state.ts";
import type { InitialState } from "../../../src/modes/dry-run/dry-run.ts";
import { sandboxKinds, servedBySandbox } from "../../../src/modes/dry-run/kinds.ts";
import { noCustomResources, readCustomResources } from "../../../src/modes/dry-run/custom-objects.ts";
import { takeSnapshot } from "../../../src/modes/dry-run/snapshot.ts";
import { realHost } from "../../../src/platform/host.ts";
import { type Connected, connectAs } from "../../connections/connection.ts";
import { controllersThatCan, snapshotNotes } from "./notes.ts";
import { isSaved, type ChangeFlags } from "./requested-changes.ts";
import type { DryRunFlags } from "./flags.ts";
import type { Io } from "../../cli/io.ts";
import { isUrl } from "../../manifests/manifest-text.ts";
import type { Manifest } from "../../manifests/manifests.ts";
import { pluralize } from "../../cli/style.ts";
import { UserError } from "../../cli/user-error.ts";
import { kindsBeside } from "../../manifests/custom-kinds.ts";
import { namespacesOnNodes, nodeNames, refuseMissingNodes } from "./node-flags.ts";
import { customsApart, customTargets } from "./custom-targets.ts";
import {
  assumedNamespaces,
  deletedNamespaces,
  namespacesUsed,
  prunedNamespaces,
  refuseMissingNamespaces,
} from "./namespaces.ts";
import { isOf, refuseUnknownKinds } from "../../manifests/unknown-kinds.ts";

/** The start of a dry run. `close` ends its connection. */
export interface DryRunSource {
  /** `2 manifests over a snapshot of context dev (namespace shop, 214 objects, revision 48300)`. */
  readonly words: string;
  readonly beginning: InitialState;
  readonly kinds: readonly DiscoveredKind[];
  readonly namespace: string;
  /** Nodes among the manifests of an empty cluster, which exist from the start. */
  readonly given: ReadonlySet<Manifest["object"]>;
  /** The number of default nodes, if there are any. */
  readonly assumedNodes: number | undefined;
  /** The requested controllers that can run on it. */
  readonly controllers: readonly ControllerDefinition[];
  /** Whether there is a state to compare with: a cluster or a baseline. */
  readonly hasBaseline: boolean;
  /** What could not be read, one sentence each. */
  readonly notes: readonly string[];
  /** A read-only transport to the cluster; with `--server-validate` it sends writes as dry runs. Unset without a cluster. */
  readonly transport?: Transport;
  close(): Promise<void>;
}

/** Options of `sourceFor`: what to run and what to apply. */
export interface SourceOptions {
  readonly controllers: readonly ControllerDefinition[];
  /** The user has named the controllers, so all of them must run. */
  readonly named: boolean;
  readonly changeFlags: ChangeFlags;
}

/** Opens the source. @throws UserError, KubeconfigError if a requested cluster cannot be read: there is no silent fallback. */
export async function sourceFor(flags: DryRunFlags, options: SourceOptions, io: Io): Promise<DryRunSource> {
  if ((await beginsWith(flags, options)) !== "manifests") return clusterSource(flags, options, io);
  if (flags.serverValidate === true) {
    throw new UserError("--server-validate needs a cluster", [
      "omit --from manifests, or choose a context with --context",
    ]);
  }
  return emptySource(flags, options);
}

/** The value of `--from`, or its default. @throws UserError for options that contradict it. */
export async function beginsWith(
  flags: DryRunFlags,
  { changeFlags: { manifests } }: SourceOptions,
): Promise<NonNullable<DryRunFlags["from"]>> {
  const from = flags.from ?? ((await hasContext(flags)) ? "both" : "manifests");
  if (from === "cluster" && manifests.length > 0) {
    throw new UserError("--from cluster takes no manifests", ["omit -f, or use --from both"]);
  }
  if (from !== "manifests" && flags.nodes !== undefined) {
    throw new UserError("--nodes is for an empty cluster", [
      "the nodes of the cluster are used as they are; add --from manifests",
    ]);
  }
  return from;
}

/** Whether kubectl would have a context, from the kubeconfig or from flags. */
async function hasContext(flags: DryRunFlags): Promise<boolean> {
  if (flags.context !== undefined || flags.server !== undefined || flags.cluster !== undefined) return true;
  const { currentContext } = await loadKubeconfig(realHost(), flags);
  return currentContext !== "";
}

/** The source for an empty cluster, or one with saved objects. @throws UserError. */
export async function emptySource(
  flags: DryRunFlags,
  { controllers, changeFlags }: SourceOptions,
): Promise<DryRunSource> {
  const namespace = flags.namespace ?? "default";
  const { manifests, baseline } = changeFlags;
  const kinds = await sandboxKinds();
  refuseUnknownKinds(changeFlags, kinds, "an API server");
  const customKinds = kindsBeside(kinds, changeFlags);
  const saved = savedObjects(changeFlags);
  const assumed = assumedNamespaces(changeFlags, {
    used: namespacesUsed(changeFlags, namespace, []),
    ...(flags.namespace !== undefined && { explicit: flags.namespace }),
    saved: new Set(saved.map(({ metadata }) => metadata.namespace ?? "")),
  });
  const { served, customs } = customsApart(saved, (object) => kinds.some((kind) => isOf(object, kind)));
  const isAboutNodes = nodeNames(changeFlags).length > 0;
  const over = [
    ...(saved.length > 0 ? [pluralize(saved.length, "saved object")] : []),
    ...(baseline.length > saved.length
      ? [`${pluralize(baseline.length - saved.length, "manifest")} of the baseline`]
      : []),
  ];
  const nodes = [...baseline, ...manifests].filter((manifest) => isNode(manifest) && !isSaved(manifest));
  const given = nodes.map(({ object }) => object as Partial<Node>);
  const count = flags.nodes ?? (given.length > 0 ? 0 : undefined);
  const cluster = { nodes: given, ...(count !== undefined && { simulated: count }) };
  const where = over.length === 0 ? "an empty cluster" : over.join(" and ");
  const beginning =
    served.length === 0 ? emptyCluster(assumed.names, cluster) : savedCluster(served, assumed.names, cluster);
  const there = beginning.objects.filter(({ kind }) => kind === "Node").map(({ metadata }) => metadata.name);
  refuseMissingNodes(changeFlags, { there, where: "among the manifests, nor a simulated one" });
  return {
    words: `${changesOver(changeFlags)}${where}, with simulated nodes; no cluster is contacted`,
    beginning: {
      ...beginning,
      scope: { ...beginning.scope, doubtful: assumed.doubtful },
      customResources: { ...noCustomResources, kinds: customKinds, objects: customs },
    },
    given: new Set(nodes.map(({ object }) => object)),
    assumedNodes: count === undefined && !saved.some(({ kind }) => kind === "Node") ? defaultNodes : undefined,
    kinds: [...kinds, ...customKinds],
    namespace,
    controllers,
    hasBaseline: (flags.baseline ?? []).length > 0 || isAboutNodes,
    notes: [...assumed.notes, ...unsavedOwners(saved)],
    close: () => Promise.resolve(),
  };
}

/** Objects of the baseline that were saved from a cluster, as printed by `kubectl get -o yaml`. */
function savedObjects({ baseline }: ChangeFlags): readonly StoredObject[] {
  return baseline.filter(isSaved).map(({ object }) => object as StoredObject);
}

/** Owners that saved objects refer to, but that were not saved themselves. */
function unsavedOwners(saved: readonly StoredObject[]): readonly string[] {
  const uids = new Set(saved.map(({ metadata }) => metadata.uid));
  const owners = saved.flatMap(({ metadata }) => metadata.ownerReferences ?? []).filter(({ uid }) => !uids.has(uid));
  const names = new Set(owners.map(({ kind, name }) => `${kind} ${name}`));
  return [...names].map((name) => `owner ${name} is not among the saved objects; references to it are dropped`);
}

async function clusterSource(flags: DryRunFlags, options: SourceOptions, io: Io): Promise<DryRunSource> {
  const readOnly = flags.serverValidate === true ? "validate" : true;
  const connected = await connectAs(flags, io, { qps: 20, burst: 30, readOnly });
  try {
    return await snapshotSource(connected, flags, options, io);
  } catch (error) {
    await connected.close();
    throw connected.translateError(error);
  }
}

async function snapshotSource(
  connected: Connected,
  flags: DryRunFlags,
  { controllers, named, changeFlags }: SourceOptions,
  io: Io,
): Promise<DryRunSource> {
  const transport = connected.unlimited;
  const client = createClient({ transport, bus: connected.bus, timeline: io.timeline });
  const [{ kinds, unavailable }, serverVersion] = await Promise.all([discover(client), connected.serverVersion()]);
  refuseUnknownKinds(changeFlags, kinds, "the cluster");
  const namespace = flags.namespace ?? connected.namespace;
  const onNodes = await namespacesOnNodes(client, changeFlags);
  const used = [...new Set([...namespacesUsed(changeFlags, namespace, kinds), ...onNodes])].sort();
  const namespaces = used.length === 0 ? [namespace] : used;
  await refuseMissingNamespaces(client, namespaces, changeFlags);
  if (changeFlags.baseline.some(isSaved)) {
    throw new UserError("--baseline has objects saved from a cluster, and a cluster is read as well", [
      "add --from manifests, or leave the objects that have a uid out of the baseline",
    ]);
  }
  const objects = [...changeFlags.manifests, ...changeFlags.baseline].map(({ object }) => object);
  const applied = kinds.filter((kind) => objects.some((object) => isOf(object, kind)));
  const isServed = await servedBySandbox();
  const customs = await readCustomResources(transport, customTargets(changeFlags, { kinds, isServed, namespace }));
  const newKinds = kindsBeside(kinds, changeFlags);
  const toDelete = [...deletedNamespaces(changeFlags), ...prunedNamespaces(changeFlags)];
  const snapshot = await takeSnapshot({
    transport,
    kinds,
    unavailable,
    isServed,
    namespaces,
    toDelete,
    alsoKinds: [
      ...applied,
      ...deletedKinds(changeFlags, kinds),
      // Pods that move to another node need their volumes there.
      ...(onNodes.length > 0 ? volumeKind(kinds) : volumeKinds(objects, kinds)),
    ],
    wholeSecrets: objects.some(({ kind }) => kind === "Secret"),
  });
  const chosen = controllersThatCan(controllers, snapshot, { applied, named, flags });
  const where = namespaces.length === 1 ? "namespace" : "namespaces";
  const about = `${where} ${namespaces.join(", ")}, ${pluralize(snapshot.objects.length, "object")}, revision ${snapshot.revision}`;
  return {
    words: `${changesOver(changeFlags)}a snapshot of context ${connected.context} (${about})`,
    beginning: {
      ...initialStateFrom(snapshot, namespaces, io.timeline.now()),
      serverVersion,
      customResources: { ...customs, kinds: [...customs.kinds, ...newKinds] },
    },
    kinds: [...kinds, ...newKinds],
    namespace,
    given: new Set(),
    assumedNodes: undefined,
    controllers: chosen.controllers,
    hasBaseline: true,
    notes: [...chosen.notes, ...snapshotNotes(snapshot, toDelete)],
    transport,
    close: async () => await connected.close(),
  };
}

/** `2 manifests over `; empty if there are no changes. */
export function changesOver(changes: ChangeFlags): string {
  const text = changesText(changes);
  return text === "" ? "" : `${text} over `;
}

/** `2 manifests, --scale deploy/web=3`; URLs are shown, because their contents may change. */
function changesText({ manifests, prune, scales, deletes, nodesDown, drains }: ChangeFlags): string {
  const urls = [...new Set(manifests.map(({ file }) => file).filter(isUrl))];
  const from = urls.length === 0 ? "" : ` (${urls.join(", ")})`;
  return [
    ...(manifests.length > 0 ? [`${pluralize(manifests.length, "manifest")}${from}`] : prune ? ["no manifests"] : []),
    ...scales.map((text) => `--scale ${text}`),
    ...deletes.map((text) => `--delete ${text}`),
    ...nodesDown.map((text) => `--node-down ${text}`),
    ...drains.map((text) => `--drain ${text}`),
  ].join(", ");
}

function deletedKinds({ deletes }: ChangeFlags, kinds: readonly DiscoveredKind[]): readonly Kind[] {
  return deletes.flatMap((text) => findKind(kinds, text.split("/")[0] ?? "") ?? []);
}

/** The kinds for volumes, which are read only if a manifest needs a volume. */
function volumeKinds(objects: readonly Manifest["object"][], kinds: readonly DiscoveredKind[]): readonly Kind[] {
  const needsVolumes = objects.some(
    (object) =>
      object.kind === "PersistentVolumeClaim" ||
      /"(?:persistentVolumeClaim|volumeClaimTemplates?)"/.test(JSON.stringify(object)),
  );
  return needsVolumes ? volumeKind(kinds) : [];
}

function volumeKind(kinds: readonly DiscoveredKind[]): readonly Kind[] {
  return kinds.filter((kind) => resourceOf(kind) === "persistentvolumes");
}

function isNode({ object }: Manifest): boolean {
  return object.kind === "Node" && object.apiVersion === "v1";
}
