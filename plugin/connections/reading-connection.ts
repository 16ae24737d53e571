/** Where commands watch without writing: the cluster of the current context, or a sandbox in which controllers run. */
import type { ConfigFlags } from "../../src/client/config/rest-config.ts";
import { createClient } from "../../src/client/api/client.ts";
import { readOnly } from "../../src/client/http/read-only.ts";
import type { Client } from "../../src/client/api/verbs.ts";
import { controllersOfEmbedded } from "../../src/controllers/index.ts";
import type { TraceBus } from "../../src/trace/bus.ts";
import type { Timeline } from "../../src/platform/timeline.ts";
import { maxFailures, waitUntilIdle } from "../cli/idle.ts";
import { applyManifests } from "../manifests/apply-manifests.ts";
import { type Connected, connectAs } from "./connection.ts";
import type { Io } from "../cli/io.ts";
import { openBus } from "./trace-bus.ts";
import { readManifests } from "../manifests/manifests.ts";
import { connectToSandbox, type SandboxConnection } from "./sandbox-connection.ts";

/** The flags of a command that only reads. */
export interface ReadingFlags extends ConfigFlags {
  readonly namespace?: string;
  readonly allNamespaces?: true;
  readonly sandbox?: true;
  /** The manifests are applied to the sandbox before it is opened, and its controllers are at rest; `begin` then does nothing. */
  readonly isFilled?: boolean;
  /** Files, folders, URLs, `-`: applied to the sandbox once watching has started. */
  readonly manifests?: readonly string[];
  /** The initial state of the sandbox. */
  readonly load?: string;
}

/** A connection that only reads. */
export interface Reading extends Pick<Connected, "context" | "server" | "user" | "serverVersion" | "translateError"> {
  /** Rejects every write before a byte is sent. */
  readonly client: Client;
  /** The bus of the watching command; the sandbox's own controllers do not report to it. */
  readonly bus: TraceBus;
  /** Undefined: all. */
  readonly namespace: string | undefined;
  /** Called when the caches are synced and the listeners attached: applies the manifests to the sandbox. */
  begin(): Promise<void>;
  close(): Promise<void>;
}

/** As in kubectl: many kinds are listed and watched at once, each only once. */
const politeness = { qps: 50, burst: 300 };

/** @throws KubeconfigError; UserError for manifests that cannot be read. */
export async function readingConnection(flags: ReadingFlags, io: Io): Promise<Reading> {
  if (flags.sandbox === true) return readingSandbox(flags, io);
  const connected = await connectAs(flags, io, { ...politeness, readOnly: true });
  return {
    ...connected,
    client: connected.clientFor("kubectl-reconcile"),
    namespace: flags.allNamespaces === true ? undefined : (flags.namespace ?? connected.namespace),
    begin: () => Promise.resolve(),
    close: async () => connected.close(),
  };
}

/** The longest wait for controllers to come to rest, in ms. */
const maxSettleMs = 10_000;

async function settled({ cluster }: SandboxConnection, timeline: Timeline): Promise<void> {
  const until = timeline.now() + maxSettleMs;
  await waitUntilIdle(timeline, {
    who: "sandbox",
    isIdle: () => cluster.manager.isIdle(maxFailures),
    isOver: () => timeline.now() >= until,
  });
}

async function readingSandbox(
  { namespace, manifests = [], load, allNamespaces, isFilled = false }: ReadingFlags,
  io: Io,
): Promise<Reading> {
  const objects = isFilled || manifests.length === 0 ? [] : await readManifests(manifests, { io });
  const where = namespace === undefined ? {} : { namespace };
  const first = isFilled ? manifests : [];
  const connected = await connectToSandbox(
    { manifests: first, load, ...where, controllers: controllersOfEmbedded },
    io,
  );
  const { timeline } = io;
  if (isFilled) await settled(connected, timeline);
  const bus = openBus(io);
  return {
    ...connected,
    bus,
    client: createClient({ transport: readOnly(connected.unlimited), bus, timeline }),
    namespace: allNamespaces === true ? undefined : connected.namespace,
    async begin() {
      const client = connected.clientFor("kubectl-reconcile-manifests");
      if (objects.length > 0) await applyManifests(client, objects, { namespace: connected.namespace, timeline });
    },
    close: async () => connected.close(),
  };
}
