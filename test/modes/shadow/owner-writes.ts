/** The writes of a controller of kube-controller-manager, from the audit log. */
import { type AuditEvent, type Effect, effectsOf } from "../../support/audit-log.ts";
import type { StoredObject } from "../../../src/api/object.ts";
import { controllerOf } from "../../../src/api/owner-references.ts";
import type { Change, OwnerWrite } from "./judged.ts";

export interface Audited {
  /** Writes of a controller, by kube-controller-manager's name for it: `replicaset-controller`. */
  readonly of: (component: string) => readonly OwnerWrite[];
  /** Changes by any client of objects that have, or had, a controller. */
  readonly changes: readonly Change[];
  /** Objects that others than this component have written (beyond a subresource) or deleted: `pods ns/name`. */
  readonly touchedBeside: (component: string) => ReadonlySet<string>;
}

/** The accepted writes, without Events and Leases. */
export function auditedWrites(events: readonly AuditEvent[]): Audited {
  const effects = effectsOf(events).filter(
    ({ code, dryRun, resource }) => code < 300 && !dryRun && !/^(events|leases)\b/.test(resource),
  );
  return {
    of: (component) => effects.filter((effect) => effect.component === component).flatMap(ownerWrite),
    changes: effects.flatMap(changeOf),
    touchedBeside: (component) =>
      new Set(
        effects
          .filter((effect) => effect.component !== component && !effect.resource.includes("/"))
          .map(({ resource, namespace, name }) => `${resource} ${namespace}/${name}`),
      ),
  };
}

function ownerWrite({ verb, resource, namespace, name, request, response, at }: Effect): OwnerWrite[] {
  if (verb === "deletecollection") return [];
  const { metadata } = (request ?? {}) as { readonly metadata?: { readonly name?: string } };
  const asked = verb === "create" ? (metadata?.name ?? "") : name;
  return [{ verb, resource, namespace, name: asked, body: request, at, given: name, answer: objectIn(response) }];
}

function changeOf({ verb, resource, namespace, name, response, at }: Effect): Change[] {
  const object = objectIn(response);
  if (resource === "pods/eviction") return [{ is: "evicted", namespace, name, at }];
  const owner = object === undefined ? undefined : controllerOf(object);
  const left: Change = { is: "left", namespace, name, at };
  if (object !== undefined && owner !== undefined) {
    const controlled = { ownerUid: owner.uid, version: Number(object.metadata.resourceVersion) };
    return [{ is: "controlled", ...controlled }, ...(isGone(object) ? [left] : [])];
  }
  const stays = verb === "create" || verb === "deletecollection" || resource.includes("/");
  return stays ? [] : [left];
}

/** Whether the write removed the last finalizer of an object that was being deleted: its response has the previous version. */
function isGone({ metadata }: StoredObject): boolean {
  const { deletionTimestamp, finalizers = [], deletionGracePeriodSeconds = 0 } = metadata;
  return deletionTimestamp !== undefined && finalizers.length === 0 && deletionGracePeriodSeconds === 0;
}

/** The stored object, if the response has a uid. */
function objectIn(response: unknown): StoredObject | undefined {
  const { metadata } = (response ?? {}) as { readonly metadata?: { readonly uid?: string } };
  return metadata?.uid === undefined ? undefined : (response as StoredObject);
}
