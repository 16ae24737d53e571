/** The start of a program's dry run: a fork of the context's cluster, or an empty one. */
import type { Kind } from "../../../src/api/kind.ts";
import type { ServerVersion } from "../../../src/api/server-version.ts";
import { isForbidden, isNotFound } from "../../../src/api/status-error.ts";
import type { ControllerDefinition } from "../../../src/controller/api/definition.ts";
import { createClient } from "../../../src/client/api/client.ts";
import { discover } from "../../../src/client/api/discovery.ts";
import type { Client } from "../../../src/client/api/verbs.ts";
import { emptyPlace, forkedPlace, type Place } from "../../../src/modes/rehearsal/place.ts";
import type { Io } from "../../cli/io.ts";
import { UserError } from "../../cli/user-error.ts";
import { connectAs } from "../../connections/connection.ts";
import { kindsBeside } from "../../manifests/custom-kinds.ts";
import { refuseUnknownKinds } from "../../manifests/unknown-kinds.ts";
import type { DryRunFlags } from "./flags.ts";
import { namespacesUsed, refuseMissingNamespaces } from "./namespaces.ts";
import { isSaved } from "./requested-changes.ts";
import { beginsWith, changesOver, type DryRunSource, emptySource, type SourceOptions } from "./source.ts";

/** Like the source of any dry run, with a running cluster instead of a state. */
export interface ProgramSource extends Omit<DryRunSource, "beginning" | "transport"> {
  readonly place: Place;
  /** The cluster's; undefined without a cluster. */
  readonly serverVersion?: ServerVersion;
}

/** Each resource is listed only once, when it is first requested. */
const politeness = { qps: 50, burst: 100, readOnly: true };

/** Options of `programSource`. */
export interface ProgramSourceOptions extends SourceOptions {
  readonly flags: DryRunFlags;
  readonly io: Io;
}

/** @throws UserError, KubeconfigError. */
export async function programSource(options: ProgramSourceOptions): Promise<ProgramSource> {
  const { flags, io } = options;
  const { timeline, random } = io;
  if ((await beginsWith(flags, options)) !== "manifests") return forkedSource(options);
  const { beginning, ...source } = await emptySource(flags, options);
  const place = await emptyPlace(beginning, { timeline, random });
  const hasBaseline = source.hasBaseline || flags.baselineCommand !== undefined;
  const notes = [...source.notes, ...(beginning.scope.doubtful?.values() ?? [])];
  return { ...source, notes, hasBaseline, place, close: () => Promise.resolve(place.stop()) };
}

async function forkedSource({ flags, io, controllers, changeFlags }: ProgramSourceOptions): Promise<ProgramSource> {
  const { timeline, random } = io;
  const connected = await connectAs(flags, io, politeness);
  try {
    const client = createClient({ transport: connected.unlimited, bus: connected.bus, timeline });
    const [{ kinds }, serverVersion] = await Promise.all([discover(client), connected.serverVersion()]);
    refuseUnknownKinds(changeFlags, kinds, "the cluster");
    const namespace = flags.namespace ?? connected.namespace;
    await refuseMissingNamespaces(client, namespacesUsed(changeFlags, namespace, kinds), changeFlags);
    if (changeFlags.baseline.some(isSaved)) {
      throw new UserError("--baseline has objects saved from a cluster, and a cluster is read as well", [
        "add --from manifests, or leave the objects that have a uid out of the baseline",
      ]);
    }
    const able = await controllersThatList(client, controllers);
    const place = await forkedPlace({ cluster: connected.unlimited, timeline, random });
    return {
      words: `${changesOver(changeFlags)}a fork of context ${connected.context}: the cluster is only read`,
      kinds: [...kinds, ...kindsBeside(kinds, changeFlags)],
      namespace,
      given: new Set(),
      assumedNodes: undefined,
      controllers: able.controllers,
      hasBaseline: true,
      notes: able.notes,
      place,
      serverVersion,
      async close() {
        place.stop();
        await connected.close();
      },
    };
  } catch (error) {
    await connected.close();
    throw connected.translateError(error);
  }
}

/** The controllers whose objects can be listed in all namespaces; the others are reported. */
async function controllersThatList(
  client: Client,
  controllers: readonly ControllerDefinition[],
): Promise<Pick<ProgramSource, "controllers" | "notes">> {
  const listable = new Map<string, Promise<boolean>>();
  const canList = (kind: Kind): Promise<boolean> => {
    const name = `${kind.plural}.${kind.group}`;
    const known = listable.get(name) ?? mayList(client, kind);
    listable.set(name, known);
    return known;
  };
  const able: ControllerDefinition[] = [];
  const notes: string[] = [];
  for (const controller of controllers) {
    const may = await Promise.all(controller.watches.map(({ kind }) => canList(kind)));
    const lacks = controller.watches[may.indexOf(false)];
    if (lacks === undefined) able.push(controller);
    else notes.push(`${controller.name} is left out: not allowed to list ${lacks.kind.plural} in all namespaces`);
  }
  return { controllers: able, notes };
}

async function mayList(client: Client, kind: Kind): Promise<boolean> {
  try {
    await client.list(kind, { limit: 1 });
    return true;
  } catch (error) {
    if (isForbidden(error)) return false;
    // An older server may not serve the kind; then it has no objects.
    if (isNotFound(error) && kind.optional === true) return true;
    throw error;
  }
}
