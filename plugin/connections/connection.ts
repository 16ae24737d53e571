/** From the flags of the connection to a client. */
import type { Transport } from "../../src/api/transport.ts";
import type { ServerVersion } from "../../src/api/server-version.ts";
import type { ConfigFlags } from "../../src/client/config/rest-config.ts";
import { loadRestConfig } from "../../src/client/config/load-rest-config.ts";
import { createClient } from "../../src/client/api/client.ts";
import type { ClusterKeys } from "../../src/controller/api/cluster-keys.ts";
import { connect } from "../../src/client/connect.ts";
import type { Client } from "../../src/client/api/verbs.ts";
import type { CompletedRequest } from "../../src/client/http/completed.ts";
import type { WriteFence } from "../../src/client/http/write-fence.ts";
import type { OwnLimits } from "../../src/client/http/rate-limit.ts";
import { realHost } from "../../src/platform/host.ts";
import type { TraceBus } from "../../src/trace/bus.ts";
import type { Io } from "../cli/io.ts";
import { errorTranslator } from "./connection-errors.ts";
import { serverVersion } from "../../src/client/api/server-version.ts";
import { openBus } from "./trace-bus.ts";
import { version } from "../cli/version.ts";

/** A connection to a cluster, and the names for it in messages. */
export interface Connected {
  readonly context: string;
  readonly server: string;
  /** PEM of the authorities trusted for the server; undefined for the system's, or if the server is not verified. */
  readonly serverCa?: string | undefined;
  /** Its private keys, if it provides them: a sandbox does. */
  readonly keys?: ClusterKeys;
  /** The impersonated user, or else the name of the user in the kubeconfig; undefined if there is none. */
  readonly user: string | undefined;
  /** The context's, or the value of `-n`. */
  readonly namespace: string;
  readonly bus: TraceBus;
  /** Without the limit on requests per second. */
  readonly unlimited: Transport;
  /** For a process behind a proxy: the credentials and the connection, without limits, retries or timeouts. */
  readonly passThrough: () => Transport;
  /** A client that shares the limit on requests per second, unless it has its own. */
  readonly clientFor: (fieldManager: string, own?: OwnLimits) => Client;
  /** @throws UserError if the server cannot be reached or rejects the login. */
  serverVersion(): Promise<ServerVersion>;
  /** The error as shown to the user: an unreachable server, a rejected login; others are returned unchanged. */
  translateError(error: unknown): unknown;
  close(): void | Promise<void>;
}

/** The flags that select the cluster and the login. */
export interface ConnectionFlags extends ConfigFlags {
  /** From 6 on, each request is logged on standard error. */
  readonly verbosity?: number;
}

/** What a command may do on a connection. */
export interface ConnectionOptions {
  readonly qps: number;
  readonly burst: number;
  /** Only reads are let through; `validate`: writes too, as dry runs. */
  readonly readOnly?: boolean | "validate";
  /** Holds writes back while it is closed. */
  readonly fence?: WriteFence;
  /** Called when the response to a request starts, or when the request fails. */
  readonly onCompleted?: (completed: CompletedRequest) => void;
}

/** `1`: controllers name their syncs in their requests, for a proxy on the way (docs/exact.md). */
const exactVariable = "KUBECTL_RECONCILE_EXACT";

/** @throws KubeconfigError for a kubeconfig or flags that do not identify a cluster. */
export async function connectAs(flags: ConnectionFlags, io: Io, options: ConnectionOptions): Promise<Connected> {
  const { timeline } = io;
  const bus = openBus(io);
  const host = realHost();
  const access = await loadRestConfig(host, flags);
  const userAgent = `kubectl-reconcile/${version}`;
  const log = (flags.verbosity ?? 0) >= 6 ? { log: (line: string) => io.err.line(line) } : {};
  const onSlow = (): void => io.err.line(`connecting to ${access.server} …`);
  const namesReconciles = io.environment[exactVariable] === "1";
  const connection = connect(access, { host, timeline, bus, userAgent, onSlow, namesReconciles, ...log, ...options });
  const context = access.context === "" ? "(none)" : access.context;
  const translateError = errorTranslator(flags, access);
  return {
    context,
    server: access.server,
    serverCa: connection.serverCa,
    user: access.impersonation?.user ?? (access.userName === "" ? undefined : access.userName),
    namespace: connection.namespace,
    bus,
    unlimited: connection.unlimited,
    passThrough: () => connection.passThrough(),
    clientFor: (fieldManager, own) => connection.clientFor(fieldManager, own),
    async serverVersion() {
      try {
        const client = createClient({ transport: connection.unlimited, bus, timeline });
        return await serverVersion(client);
      } catch (error) {
        throw translateError(error);
      }
    },
    translateError,
    close: () => connection.close(),
  };
}
