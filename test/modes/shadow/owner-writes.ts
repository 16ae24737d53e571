/** What a controller of kube-controller-manager did, from the audit log. */
import { type AuditEvent, type Effect, effectsOf } from "../../support/audit-log.ts";
import type { StoredObject } from "../../../src/api/object.ts";
import { controllerOf } from "../../../src/api/owner-references.ts";
import { type Change, isGone, type OwnerWrite } from "./judge/round.ts";

export interface Audited {
  /** Component names are those of kube-controller-manager: `replicaset-controller`. */
  readonly of: (component: string) => readonly OwnerWrite[];
  /** Changes by any client to objects that are or were controlled by others. */
  readonly changes: readonly Change[];
  /** `pods ns/name`: objects that other components have deleted, with their status, or written to beyond a subresource. */
  readonly touchedBeside: (component: string) => ReadonlySet<string>;
}

/** The successful writes from event `from` on, without Events and Leases; what came before shows who owned the objects. */
export function auditedWrites(events: readonly AuditEvent[], from = 0): Audited {
  const effects = storedOf(events.slice(from));
  const owners = new Owners();
  for (const effect of storedOf(events.slice(0, from))) owners.note(effect);
  const idle = idleOf(effects);
  return {
    of: (component) =>
      effects
        .filter((effect) => effect.component === component)
        .flatMap((effect) =>
          ownerWrite(effect).map((write) => (idle.has(effect) ? { ...write, isIdle: true } : write)),
        ),
    changes: effects.flatMap((effect) => {
      owners.note(effect);
      return changeOf(effect, owners);
    }),
    touchedBeside: (component) =>
      new Set(
        effects
          .filter((effect) => effect.component !== component && !effect.resource.includes("/"))
          .flatMap(({ verb, resource, namespace, name }) => {
            const own = `${namespace}/${name}`;
            return verb === "delete" ? [`${resource} ${own}`, `${resource}/status ${own}`] : [`${resource} ${own}`];
          }),
      ),
  };
}

function storedOf(events: readonly AuditEvent[]): readonly Effect[] {
  return effectsOf(events).filter(
    ({ code, dryRun, resource }) => code < 300 && !dryRun && !/^(events|leases)\b/.test(resource),
  );
}

/** The owners of objects. The response to a deletion can lack them. */
class Owners {
  readonly #of = new Map<string, readonly string[]>();

  note(effect: Effect): void {
    const object = objectIn(effect.response);
    // A scale is not the object.
    if (object === undefined || effect.resource.includes("/")) return;
    this.#of.set(
      nameOf(effect),
      (object.metadata.ownerReferences ?? []).map(({ uid }) => uid),
    );
  }

  of(effect: Effect): readonly string[] {
    return this.#of.get(nameOf(effect)) ?? [];
  }
}

function nameOf({ resource, namespace, name }: Effect): string {
  return `${resource} ${namespace}/${name}`;
}

/** The updates and patches whose response has a version that an earlier one had. The response to a deletion can have the last one. */
function idleOf(effects: readonly Effect[]): ReadonlySet<Effect> {
  const left = new Set<string>();
  const idle = new Set<Effect>();
  for (const effect of effects) {
    const object = objectIn(effect.response);
    if (object === undefined) continue;
    const version = `${object.metadata.uid} ${object.metadata.resourceVersion}`;
    const isChange = effect.verb === "update" || effect.verb === "patch";
    if (isChange && left.has(version)) idle.add(effect);
    left.add(version);
  }
  return idle;
}

function ownerWrite({ verb, resource, namespace, name, request, response, at }: Effect): OwnerWrite[] {
  if (verb === "deletecollection") return [];
  const { metadata } = (request ?? {}) as { readonly metadata?: { readonly name?: string } };
  const requestedName = verb === "create" ? (metadata?.name ?? "") : name;
  return [
    {
      verb,
      resource,
      namespace,
      name: requestedName,
      body: request,
      at,
      given: name,
      responseObject: objectIn(response),
    },
  ];
}

function changeOf(effect: Effect, owners: Owners): Change[] {
  const { verb, resource, namespace, name, response, at } = effect;
  const object = objectIn(response);
  if (resource === "pods/eviction") return [{ is: "evicted", namespace, name, at }];
  const owner = object === undefined ? undefined : controllerOf(object);
  const left: Change = { is: "left", namespace, name, ownerUids: owners.of(effect), at };
  if (object !== undefined && owner !== undefined) {
    const controlled = { ownerUid: owner.uid, version: Number(object.metadata.resourceVersion) };
    return [{ is: "controlled", ...controlled }, ...(isGone(object) ? [left] : [])];
  }
  const stays = verb === "create" || verb === "deletecollection" || resource.includes("/");
  return stays ? [] : [left];
}

/** A response with a uid is the object as stored. */
function objectIn(response: unknown): StoredObject | undefined {
  const { metadata } = (response ?? {}) as { readonly metadata?: { readonly uid?: string } };
  return metadata?.uid === undefined ? undefined : (response as StoredObject);
}
