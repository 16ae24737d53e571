/** A new sandbox instead of the current context, for `--sandbox`. */
import { type Embedded, type EmbeddedOptions, startEmbedded } from "../../src/modes/run/embedded.ts";
import { Namespaces } from "../../src/api/kinds.ts";
import { isAlreadyExists } from "../../src/api/status-error.ts";
import type { Client } from "../../src/client/api/verbs.ts";
import type { TraceBus } from "../../src/trace/bus.ts";
import { type Applied, applyManifests } from "../manifests/apply-manifests.ts";
import type { Connected } from "./connection.ts";
import type { Io } from "../cli/io.ts";
import type { SandboxState } from "../../src/sandbox/state/document.ts";
import { aboutFile, stateToBeginWith } from "./state-file.ts";
import { serverVersion } from "../../src/client/api/server-version.ts";
import { openBus } from "./trace-bus.ts";
import { readManifests } from "../manifests/manifests.ts";

/** A connection to an embedded cluster, with additional access to it. */
export interface SandboxConnection extends Connected {
  readonly cluster: Embedded;
  readonly applied: readonly Applied[];
  /** The state that it started with; undefined: a new cluster. */
  readonly loaded: SandboxState | undefined;
}

/** What it should contain. */
export interface SandboxFlags extends Pick<
  EmbeddedOptions,
  | "controllers"
  | "nodes"
  | "scheduler"
  | "kubelet"
  | "disabledAdmissionPlugins"
  | "rbac"
  | "audit"
  | "webhooks"
  | "serviceRanges"
  | "serverCa"
  | "authority"
> {
  /** Files, folders, URLs, `-`. */
  readonly manifests: readonly string[];
  /** The file with the initial state. */
  readonly load?: string | undefined;
  /** The file that the caller saves the state to; if it is also the one to load, it may be missing. */
  readonly save?: string | undefined;
  /** The namespace of objects that name none; created if missing. Default `default`. */
  readonly namespace?: string;
  /** A bus with listeners attached, so no event in the cluster is missed. Default: a new one. */
  readonly bus?: TraceBus;
}

/**
 * An embedded cluster with the state and the manifests.
 * @throws UserError for a state or manifests that cannot be read or are rejected; the cluster is then gone.
 */
export async function connectToSandbox(
  { manifests, namespace = "default", bus: given, load, save, ...parts }: SandboxFlags,
  io: Io,
): Promise<SandboxConnection> {
  const { timeline, random } = io;
  // Read before anything is started: errors in a file can be found without a cluster.
  const objects = manifests.length === 0 ? [] : await readManifests(manifests, { io });
  const state = await stateToBeginWith({ load, save });
  const bus = given ?? openBus(io);
  const cluster = await startEmbedded({
    timeline,
    random,
    bus,
    ...parts,
    ...(state === undefined ? {} : { state }),
    onEventLost: (why) => io.err.line(`warning: ${why}`),
  }).catch((error: unknown) => {
    throw load === undefined ? error : aboutFile(load, error);
  });
  const client = cluster.clientFor("kubectl-reconcile-manifests");
  let applied: readonly Applied[] = [];
  try {
    await makeNamespace(client, namespace);
    if (objects.length > 0) applied = await applyManifests(client, objects, { namespace, timeline });
  } catch (error) {
    await cluster.stop();
    throw error;
  }
  return {
    cluster,
    applied,
    loaded: state,
    context: "sandbox",
    server: "in this process",
    user: undefined,
    namespace,
    bus,
    unlimited: cluster.sandbox.transport({ actor: "kubectl-reconcile" }),
    passThrough: () => cluster.sandbox.transport({ actor: "process" }),
    clientFor: (fieldManager) => cluster.clientFor(fieldManager),
    keys: cluster.keys,
    serverVersion: () => serverVersion(client),
    translateError: (error) => error,
    close: () => cluster.stop(),
  };
}

async function makeNamespace(client: Client, name: string): Promise<void> {
  try {
    await client.create(Namespaces, { metadata: { name } });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
}
