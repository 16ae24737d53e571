/** Connects to an API server: composes the parts of this folder into a client. */
import { controllerNamedBy } from "../api/own-field-manager.ts";
import type { Transport } from "../api/transport.ts";
import type { ConnectionLimits } from "../platform/connection.ts";
import type { Host } from "../platform/host.ts";
import type { TlsSettings } from "../platform/http.ts";
import type { Timeline } from "../platform/timeline.ts";
import type { TraceBus } from "../trace/bus.ts";
import type { RestConfig, Impersonation, KeyPair } from "./config/rest-config.ts";
import { type CompletedRequest, requestLine, withCompleted } from "./http/completed.ts";
import { withCredentials } from "./http/credentials.ts";
import { createClient } from "./api/client.ts";
import { credentialsOf } from "./config/credentials.ts";
import { tlsFilesOf, type TlsMaterial } from "./config/tls-files.ts";
import { patienceMs, withFirstContact } from "./http/first-contact.ts";
import { httpTransport } from "./http/http-transport.ts";
import { withMaxInFlight } from "./http/in-flight.ts";
import { withReconcileHeader } from "./http/reconcile-header.ts";
import { proxyFromEnvironment } from "./config/proxy.ts";
import { type OwnLimits, withRateLimit } from "./http/rate-limit.ts";
import { readOnly } from "./http/read-only.ts";
import { withRetries } from "./http/retries.ts";
import { withUserAgent } from "./http/user-agent.ts";
import type { Client } from "./api/verbs.ts";
import { withWatchdog } from "./http/watchdog.ts";
import { type Fenced, refuseWhileClosed, withWriteFence, type WriteFence } from "./http/write-fence.ts";

/** How to connect. */
export interface ConnectOptions {
  readonly host: Host;
  readonly timeline: Timeline;
  readonly bus: TraceBus;
  /** Requests per second; 0 for no limit. Default 20, as in kube-controller-manager. */
  readonly qps?: number;
  /** Requests that may be sent at once after a pause. Default 30. */
  readonly burst?: number;
  readonly userAgent?: string;
  /** Refuses writes; `validate` sends them as dry runs. */
  readonly readOnly?: boolean | "validate";
  /** Delays writes while it is closed. */
  readonly fence?: WriteFence;
  /** Concurrent requests, not counting watches. Default 64. */
  readonly inFlight?: number;
  /** How long an open watch or a request may receive nothing. Default 90 s. */
  readonly silentMs?: number;
  /** Called with a line for each request sent. */
  readonly log?: (line: string) => void;
  /** Called when the response to a request begins, or when it fails; must not throw. */
  readonly onCompleted?: (completed: CompletedRequest) => void;
  /** Called once if the server has not responded for 2 s. */
  readonly onSlow?: () => void;
  /** Adds the `Reconcile` header to the writes of syncs, for a proxy that they pass. Default false. */
  readonly namesReconciles?: boolean;
  /** How long establishing a connection may take. Default 30 s, of which 10 s for the TLS handshake, as in client-go. */
  readonly limits?: ConnectionLimits;
}

/** A connected client and its transports. */
export interface Connection {
  readonly client: Client;
  readonly transport: Transport;
  /** `transport` without the rate limit, for the few requests at the start. */
  readonly unlimited: Transport;
  readonly server: string;
  /** The PEM certificates of the authorities trusted for the server; undefined if those of the system are. */
  readonly serverCa: string | undefined;
  readonly context: string;
  /** The namespace of the context, or `default`. */
  readonly namespace: string;
  /**
   * A transport that only adds credentials, without limits, retries or timeouts, for a process that has its own. It has its own
   * connections, which `close` closes too.
   */
  readonly passThrough: () => Transport;
  /** A client over the same connections with another field manager. It shares rate limit and fence unless `own` is given. */
  readonly clientFor: (fieldManager: string, own?: OwnLimits & Fenced) => Client;
  /** Closes idle connections; requests in flight continue. */
  readonly close: () => void;
}

/** Source: client-go v0.36 rest/config.go, transport/cache.go (dialer), net/http.Transport.TLSHandshakeTimeout in apimachinery. */
const defaultLimits: ConnectionLimits = { connectMs: 30_000 - patienceMs, handshakeMs: 10_000 - patienceMs };

/**
 * Creates a client. Nothing is sent yet: the first request shows whether the server is reachable. Wrappers, from the
 * outside in: read-only, write fence, retries, rate limit, requests in flight, credentials, watchdog, the fence again,
 * first contact, HTTP. So a retry waits for the rate limit again, and the watchdog does not end a plugin that prompts
 * the user.
 */
export function connect(access: RestConfig, options: ConnectOptions): Connection {
  const { timeline, bus, host } = options;
  const guard = {
    timeline,
    ...(options.silentMs !== undefined && { silentMs: options.silentMs }),
    ...(access.requestTimeoutMs !== undefined && { requestTimeoutMs: access.requestTimeoutMs }),
  };
  const credentials = credentialsOf(access, { host, timeline });
  const files = tlsFilesOf(access, { host, timeline });
  const wire = withCredentials(credentials, (keyPair) => {
    const http = openTransport(access, options, { keyPair, files });
    const listeners = completionListeners(access.server, options);
    const onCompleted = (completed: CompletedRequest): void => listeners.forEach((listener) => listener(completed));
    const reporting = listeners.length === 0 ? http : withCompleted(http, { timeline, onCompleted });
    const contact = withFirstContact(reporting, {
      timeline,
      probe: (signal) => http.tryConnection(options.limits ?? defaultLimits, signal),
      onSlow: options.onSlow ?? (() => undefined),
    });
    const fenced = options.fence === undefined ? contact : refuseWhileClosed(contact, options.fence);
    return { ...withWatchdog(fenced, { ...guard, onSilence: () => http.close() }), close: () => http.close() };
  });
  const opened = [wire];
  const naming = options.namesReconciles === true ? withReconcileHeader(wire, bus) : wire;
  const shared = withMaxInFlight(naming, options.inFlight);
  const { qps = 20, burst = 30 } = options;
  const limited = ({ qpsTimes, burstTimes, fence }: OwnLimits & Fenced): Transport => {
    const checked = fence === undefined ? shared : refuseWhileClosed(shared, fence);
    return withRateLimit(checked, { qps: qps * qpsTimes, burst: burst * burstTimes, timeline });
  };
  const finished = (inner: Transport, { fence = options.fence }: Fenced = {}): Transport => {
    const retried = withRetries(inner, { timeline });
    const patient = fence === undefined ? retried : withWriteFence(retried, fence);
    if (options.readOnly === undefined || options.readOnly === false) return patient;
    return readOnly(patient, { serverValidate: options.readOnly === "validate" });
  };
  const transport = finished(limited({ qpsTimes: 1, burstTimes: 1 }));
  const clientFor = (fieldManager: string, own?: OwnLimits & Fenced): Client => {
    const to = own === undefined ? transport : finished(limited(own), own);
    const controller = controllerNamedBy(fieldManager);
    const named = controller === undefined ? to : withUserAgent(to, `${userAgentOf(options)} ${controller}`);
    return createClient({ transport: named, bus, timeline, fieldManager });
  };
  return {
    client: clientFor(program),
    transport,
    unlimited: finished(shared),
    server: access.server,
    serverCa: access.tls.ca,
    context: access.context,
    namespace: access.namespace,
    clientFor,
    passThrough() {
      // A process without a User-Agent must not get ours, because the server derives the field manager from it.
      const nameless = { ...options, userAgent: "" };
      const passing = withCredentials(credentials, (keyPair) => openTransport(access, nameless, { keyPair, files }));
      opened.push(passing);
      return passing;
    },
    close() {
      for (const one of opened) one.close();
    },
  };
}

function userAgentOf({ userAgent = program }: ConnectOptions): string {
  return userAgent;
}

const program = "kubectl-reconcile";

function completionListeners(
  server: string,
  { log, onCompleted }: Pick<ConnectOptions, "log" | "onCompleted">,
): readonly ((completed: CompletedRequest) => void)[] {
  return [
    ...(log === undefined ? [] : [(completed: CompletedRequest) => log(requestLine(server, completed))]),
    ...(onCompleted === undefined ? [] : [onCompleted]),
  ];
}

/** What a transport authenticates with, beside what is in the kubeconfig itself. */
interface Material {
  /** Issued by the login. */
  readonly keyPair: KeyPair | undefined;
  readonly files: (() => Promise<TlsMaterial>) | undefined;
}

function openTransport(
  access: RestConfig,
  options: ConnectOptions,
  { keyPair: issued, files }: Material,
): ReturnType<typeof httpTransport> {
  const tlsWith = ({ ca, keyPair = issued }: TlsMaterial): TlsSettings => ({
    ...access.tls,
    ...(ca !== undefined && { ca }),
    ...keyPair,
  });
  const proxy = access.proxyUrl ?? proxyFromEnvironment(access.server, options.host.env);
  return httpTransport({
    server: access.server,
    tls: tlsWith(access),
    ...(files !== undefined && { currentTls: async () => tlsWith(await files()) }),
    ...(proxy !== undefined && { proxy }),
    disableCompression: access.disableCompression,
    headers: {
      "user-agent": userAgentOf(options),
      ...impersonationHeaders(access.impersonation),
    },
  });
}

/** Source: client-go v0.36 transport/round_trippers.go impersonatingRoundTripper. */
function impersonationHeaders(as: Impersonation | undefined): Record<string, string | readonly string[]> {
  if (as === undefined) return {};
  const extra = Object.entries(as.extra).map(
    ([name, values]) => [`impersonate-extra-${encodeURIComponent(name.toLowerCase())}`, values] as const,
  );
  return {
    "impersonate-user": as.user,
    ...(as.uid !== undefined && { "impersonate-uid": as.uid }),
    ...(as.groups.length > 0 && { "impersonate-group": as.groups }),
    ...Object.fromEntries(extra),
  };
}
