/** Records the writes that a controller intends, at its own client: before any code of shadow sees them. */
import { type Kind, resourceOf } from "../../../src/api/kind.ts";
import { Pods } from "../../../src/api/kinds.ts";
import type { CreateInput, StoredObject } from "../../../src/api/object.ts";
import { controllerOf } from "../../../src/api/owner-references.ts";
import type { Pod } from "../../../src/api/types.ts";
import type { DeleteOptions } from "../../../src/client/api/verbs.ts";
import type { ControllerDefinition } from "../../../src/controller/api/definition.ts";
import { isPodActive } from "../../../src/controller/workload/pod-status.ts";
import type { SyncClient, SyncContext } from "../../../src/controller/api/sync-context.ts";
import type { Read, SyncRecord, Write } from "./judge/round.ts";
import { namesOfMade } from "./judge/made-up.ts";

/** Replaces a controller's context, to make a mutant that has lost a behavior. */
export type Mutation = (context: SyncContext) => SyncContext;

/** The controller, with each sync recorded in `into`. Calls that a mutation keeps from the client are not recorded. */
export function recording(
  definition: ControllerDefinition,
  into: SyncRecord[],
  mutation: Mutation = (context) => context,
): ControllerDefinition {
  return {
    ...definition,
    async sync(key, context) {
      const [writes, reads]: [Write[], Read[]] = [[], []];
      const made = new Map<string, string>();
      const lookedUp = new Set<string>();
      const record = { key, ...seen(definition, context), lookedUp, writes, reads, made, failed: false };
      into.push(record);
      try {
        const client = recordingClient(context, { writes, reads, made });
        return await definition.sync(key, mutation({ ...context, client, cache: recordingCache(context, lookedUp) }));
      } catch (error) {
        record.failed = true;
        throw error;
      }
    },
  };
}

type Seen = Pick<SyncRecord, "primary" | "pods" | "versions">;

function seen({ for: kind, watches }: ControllerDefinition, context: SyncContext): Seen {
  const object = kind === undefined ? undefined : context.cache(kind).get(context.key);
  if (object === undefined) return { primary: undefined, pods: [], versions: new Map() };
  const { uid, resourceVersion, namespace } = object.metadata;
  const owned = watches.filter((watch) => watch.owned === true);
  const its = owned.flatMap((watch) =>
    context
      .cache(watch.kind)
      .list(namespace)
      .filter((each) => controllerOf(each)?.uid === uid)
      .map((each) => ({ kind: watch.kind.kind, object: each })),
  );
  return {
    primary: { uid, resourceVersion },
    // Objects of the kind Pods are pods.
    pods: its.flatMap((each) => (each.kind === Pods.kind && isPodActive(each.object as Pod) ? [each.object] : [])),
    versions: new Map(its.map((each) => [each.object.metadata.name, Number(each.object.metadata.resourceVersion)])),
  };
}

function recordingCache(context: SyncContext, into: Set<string>): SyncContext["cache"] {
  return (kind) => {
    const lister = context.cache(kind);
    return {
      ...lister,
      get(key) {
        const object = lister.get(key);
        if (object !== undefined) into.add(`${resourceOf(kind)} ${key} ${object.metadata.resourceVersion}`);
        return object;
      },
    };
  };
}

interface Named {
  readonly metadata: { readonly namespace?: string; readonly name: string };
}

type CreateOptions = Parameters<SyncClient["create"]>[2];

interface Recorded {
  readonly writes: Write[];
  readonly reads: Read[];
  readonly made: Map<string, string>;
}

function recordingClient(context: SyncContext, { writes, reads, made }: Recorded): SyncClient {
  const { client } = context;
  const note = (verb: Write["verb"], kind: Kind, write: Partial<Write> & { readonly subresource?: string }): void => {
    const { subresource, ...rest } = write;
    const resource = resourceOf(kind) + (subresource === undefined ? "" : `/${subresource}`);
    writes.push({ verb, resource, namespace: "", name: "", body: undefined, at: context.now(), ...rest });
  };
  const whole = ({ metadata }: Named): Pick<Write, "namespace" | "name"> => ({
    namespace: metadata.namespace ?? "",
    name: metadata.name,
  });
  return {
    ...client,
    getMetadata(kind, at, options) {
      reads.push({ resource: resourceOf(kind), namespace: at.namespace, name: at.name, at: context.now() });
      return client.getMetadata(kind, at, options);
    },
    async create(kind: Kind, object: CreateInput<StoredObject>, options: CreateOptions) {
      const { namespace = "", name = "" } = object.metadata;
      note("create", kind, { namespace, name, body: object });
      const write = writes.at(-1);
      const created = await client.create(kind, object, options).catch((error: unknown) => {
        // Only successful ones count, as for the owner.
        if (write !== undefined) writes.splice(writes.indexOf(write), 1);
        throw error;
      });
      const request = { resource: resourceOf(kind), namespace, name, body: object };
      for (const [text, instead] of namesOfMade(request, created)) made.set(text, instead);
      // Has the type that the caller requested.
      return created as never;
    },
    update(kind, object, options) {
      const { subresource } = options;
      note("update", kind, { ...whole(object), body: object, ...(subresource !== undefined && { subresource }) });
      return client.update(kind, object, options);
    },
    updateStatus(kind, object, options) {
      note("update", kind, { ...whole(object), body: object, subresource: "status" });
      return client.updateStatus(kind, object, options);
    },
    updateScale(kind, at, scale, options) {
      note("update", kind, { ...at, body: scale, subresource: "scale" });
      return client.updateScale(kind, at, scale, options);
    },
    patch(kind, at, patch, options) {
      const { subresource } = options;
      note("patch", kind, { ...at, body: patch.body, ...(subresource !== undefined && { subresource }) });
      return client.patch(kind, at, patch, options);
    },
    delete(kind, at, options) {
      note("delete", kind, { ...at, body: deleteOptionsOf(options) });
      return client.delete(kind, at, options);
    },
  };
}

function deleteOptionsOf({ preconditions, propagationPolicy }: DeleteOptions): object {
  return { preconditions, propagationPolicy };
}
