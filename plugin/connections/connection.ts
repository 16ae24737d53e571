/** From the flags of the connection to a client. */
import type { Transport } from "../../src/api/transport.ts";
import type { ConfigFlags } from "../../src/client/config/rest-config.ts";
import { loadRestConfig } from "../../src/client/config/load-rest-config.ts";
import { createClient } from "../../src/client/api/client.ts";
import type { ClusterKeys } from "../../src/controller/api/cluster-keys.ts";
import { connect } from "../../src/client/connect.ts";
import type { Client } from "../../src/client/api/verbs.ts";
import type { AnsweredRequest } from "../../src/client/http/answered.ts";
import type { WriteFence } from "../../src/client/http/write-fence.ts";
import type { OwnLimits } from "../../src/client/http/rate-limit.ts";
import { realHost } from "../../src/platform/host.ts";
import type { TraceBus } from "../../src/trace/bus.ts";
import type { Io } from "../cli/io.ts";
import { errorTranslator } from "./connection-errors.ts";
import { serverVersion } from "./server-version.ts";
import { openBus } from "./trace-bus.ts";
import { version } from "../cli/version.ts";

/** A connection to a cluster, and how it is spoken of. */
export interface Connected {
  readonly context: string;
  readonly server: string;
  /** PEM of the authorities by which the server is trusted; undefined where those of the system are, or nobody has to be. */
  readonly serverCa?: string | undefined;
  /** Its private keys, where it hands them over: a sandbox does. */
  readonly keys?: ClusterKeys;
  /** Who is impersonated, or else the name of the user in the kubeconfig; undefined where there is none. */
  readonly user: string | undefined;
  /** The context's, or what `-n` says. */
  readonly namespace: string;
  readonly bus: TraceBus;
  /** Without the limit on requests a second. */
  readonly unlimited: Transport;
  /** For a process that speaks through a proxy: the credentials and the connection, without limits, retries or timeouts. */
  readonly passThrough: () => Transport;
  /** A client that shares the limit on requests a second, unless it has its own. */
  readonly clientFor: (fieldManager: string, own?: OwnLimits) => Client;
  /** `v1.36.3`. @throws UserError when the server cannot be reached or refuses the login. */
  serverVersion(): Promise<string>;
  /** The error as the user should read it: a server that cannot be reached, a login that is not accepted; others stay as they are. */
  translateError(error: unknown): unknown;
  close(): void | Promise<void>;
}

/** The flags that choose the cluster and the login. */
export interface ConnectionFlags extends ConfigFlags {
  /** From 6 on, each request is a line on standard error. */
  readonly verbosity?: number;
}

/** What a command allows itself on a connection. */
export interface ConnectionOptions {
  readonly qps: number;
  readonly burst: number;
  /** Nothing but reads gets through; `validate`: writes too, as dry runs. */
  readonly readOnly?: boolean | "validate";
  /** Holds writes back while it is closed. */
  readonly fence?: WriteFence;
  /** Called when the response to a request begins, or when it fails. */
  readonly onAnswered?: (answered: AnsweredRequest) => void;
}

/** `1`: controllers name their syncs in their requests, for a proxy that these pass (docs/exact.md). */
const exactVariable = "KUBECTL_RECONCILE_EXACT";

/** @throws KubeconfigError for a kubeconfig or flags that do not lead to a cluster. */
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
