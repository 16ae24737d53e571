/**
 * What a controller's objects and Events reveal about another owner: statuses that it wrote, objects left unreconciled.
 */
import { type Kind } from "../../../api/kind.ts";
import { Nodes, Pods, ResourceClaims } from "../../../api/kinds.ts";
import { keyOf } from "../../../api/key.ts";
import type { ManagedFieldsEntry, StoredObject } from "../../../api/object.ts";
import { parseTime } from "../../../api/time.ts";
import type { ControllerDefinition } from "../../../controller/api/definition.ts";
import type { OwnerReads } from "./owner-reads.ts";
import {
  type Idle,
  isOurs,
  joined,
  lastTouched,
  type Look,
  nothingSeen,
  pageSize,
  type Sign,
  writtenAt,
} from "./sign.ts";

/** What the search for a controller's owner needs to know about it. */
export type ReconciledController = Pick<
  ControllerDefinition,
  "name" | "for" | "component" | "appliesAs" | "isLeftUndone" | "recordsEvents" | "permissions"
>;

/** Signs of the controller's owner. Only reads; what cannot be read is reported as unseen. `process` runs the controller elsewhere. */
export async function ownWork(reads: OwnerReads, controller: ReconciledController, process: string): Promise<Look> {
  const { for: kind } = controller;
  return joined(
    await Promise.all([
      kind === undefined ? nothingSeen : atObjects(reads, controller, { kind, process }),
      controller.recordsEvents === false ? nothingSeen : reads.events.of(controller.component),
    ]),
  );
}

async function atObjects(
  reads: OwnerReads,
  controller: ReconciledController,
  { kind, process }: { readonly kind: Kind; readonly process: string },
): Promise<Look> {
  const page = await reads.objectsOf(kind);
  if (page === "absent") return nothingSeen;
  if (page === "forbidden") {
    return { ...nothingSeen, unseen: [{ what: kind.plural, why: "no right to list", isDecisive: false }] };
  }
  const inScope = page.items.filter(
    ({ metadata }) => reads.namespace === undefined || !kind.namespaced || metadata.namespace === reads.namespace,
  );
  const unseen = [{ what: `${kind.plural} beyond the first ${pageSize}`, why: "not looked at", isDecisive: false }];
  return {
    signs: inScope.flatMap((object) => signsOf(object, { kind, process, ownsStatus: ownsStatus(controller) })),
    idles: oldest(inScope.flatMap((object) => idleOf(controller, kind, object))),
    seen: inScope.length === 0 ? [] : [`${inScope.length} ${kind.plural}`],
    unseen: (page.continueToken ?? "") === "" ? [] : unseen,
  };
}

/**
 * Whether the controller writes the status of its objects. Otherwise others do: the volume binder, not volume protection.
 * Assumed for a controller that names no permissions. A status applied under upstream's own name does not show who wrote it.
 */
export function ownsStatus({
  for: kind,
  appliesAs,
  permissions,
}: Pick<ControllerDefinition, "for" | "appliesAs" | "permissions">): boolean {
  if (kind === undefined || appliesAs !== undefined) return false;
  return permissions.length === 0 || permissions.some(({ resource }) => resource === `${kind.plural}/status`);
}

interface Searched {
  readonly kind: Kind;
  /** The process that runs the controller elsewhere. */
  readonly process: string;
  readonly ownsStatus: boolean;
}

/** Kinds whose status others also write: kubelets, and for device claims schedulers and drivers. */
const writtenByMany: ReadonlySet<Kind> = new Set<Kind>([Pods, Nodes, ResourceClaims]);

/** Whether the writer of the kind's status may be other than its controller. */
export function isWrittenByMany(kind: Kind | undefined): boolean {
  return kind !== undefined && writtenByMany.has(kind);
}

/**
 * The status is written by the owner, under any name (k3s and others embed kube-controller-manager in their own program), unless others
 * write it, too. Other writes count only if the process made them.
 */
function signsOf(object: StoredObject, { kind, process, ...controller }: Searched): readonly Sign[] {
  return (object.metadata.managedFields ?? []).flatMap((entry) => {
    const at = writtenAt(entry);
    const isOwn = controller.ownsStatus && writesStatus(entry) && (!isWrittenByMany(kind) || entry.manager === process);
    if (at === undefined || !(isOwn || entry.manager === process)) return [];
    const { manager: by = "" } = entry;
    return [{ clause: `${kind.kind} ${keyOf(object)} was written by ${by}`, at, isOwn, by }];
  });
}

/** Parts of the API server: it marks the first ServiceCIDR ready, regardless of who runs controllers. */
const apiServer: ReadonlySet<string> = new Set(["kube-apiserver", "kubernetes-service-cidr-controller"]);

/** Whether the entry is for a status written by another controller: neither by us nor by a user or the API server. */
export function writesStatus({ manager = "", subresource }: ManagedFieldsEntry): boolean {
  const isOthers = !isOurs(manager) && !manager.startsWith("kubectl") && !apiServer.has(manager);
  return subresource === "status" && manager !== "" && isOthers;
}

function idleOf({ name, isLeftUndone }: ReconciledController, kind: Kind, object: StoredObject): readonly Idle[] {
  if (isLeftUndone?.(object) !== true) return [];
  const touched = lastTouched(object);
  const { deletionTimestamp } = object.metadata;
  if (touched === undefined) return [];
  const since = deletionTimestamp === undefined ? touched : Math.max(touched, parseTime(deletionTimestamp));
  return [{ clause: `${kind.kind} ${keyOf(object)} has waited for a sync`, since, controller: name }];
}

function oldest(idles: readonly Idle[]): readonly Idle[] {
  return [...idles].sort((a, b) => a.since - b.since).slice(0, 1);
}
