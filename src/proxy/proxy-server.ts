/** The proxy: an HTTPS server on loopback that a process uses as its API server. */
import { kubeconfigText } from "../api/kubeconfig-text.ts";
import type { Transport } from "../api/transport.ts";
import { loopbackCertificate } from "../platform/certificate.ts";
import { serveHttps, type ServedRequest, type ServedResponse } from "../platform/https-server.ts";
import { sameSecret, secretToken } from "../platform/secret.ts";
import type { Timeline } from "../platform/timeline.ts";
import type { Observe } from "./observer/exchange.ts";
import { type ForwardableRequest, forward, forwardUpgrade, isForwardable } from "./forward.ts";
import { PendingRequests } from "./pending.ts";
import { statusResponse } from "./refusals.ts";

/** Options of `openProxy`. */
export interface ProxyOptions {
  /** Adds the credentials. It must not retry or rate-limit requests, because the process does so itself. */
  readonly transport: Transport;
  readonly timeline: Timeline;
  readonly observe: Observe;
  /** Default: any free port. */
  readonly port?: number;
}

/** A running proxy. */
export interface ProxyServer {
  /** `https://127.0.0.1:PORT`. */
  readonly url: string;
  /** The kubeconfig for the process, with `namespace` in its context. It contains the proxy's token: write it to a file that only its owner can read. */
  kubeconfig(namespace: string): string;
  /** Resolves on the first authenticated request. */
  readonly connected: Promise<void>;
  /** Stops listening and closes all connections, after waiting up to 2 s for the responses of writes. */
  close(): Promise<void>;
}

/** Larger than kube-apiserver's own limit of 3 MB, so that the server refuses long bodies itself. Source: apiserver v0.36 server/config.go MaxRequestBodyBytes. */
const maxBodyBytes = 4 * 1024 * 1024;

const unauthorized = statusResponse({ code: 401, reason: "Unauthorized", message: "Unauthorized" });
const unknownMethod = statusResponse({
  code: 405,
  reason: "MethodNotAllowed",
  message: "kubectl reconcile passes GET, POST, PUT, PATCH and DELETE on, and no other method",
});
const upgrades = statusResponse({
  code: 501,
  reason: "NotImplemented",
  message:
    "exec, attach, port-forward and watches by WebSocket need a cluster behind kubectl reconcile; here is an embedded one",
});

/** Starts the proxy on 127.0.0.1. @throws Error if the port is in use. */
export async function openProxy({ port = 0, ...options }: ProxyOptions): Promise<ProxyServer> {
  const certificate = loopbackCertificate(options.timeline.now());
  const token = secretToken();
  const expected = `Bearer ${token}`;
  const pending = new PendingRequests(options.timeline);
  const isAuthenticated = ({ headers }: ServedRequest): boolean => sameSecret(headers["authorization"] ?? "", expected);
  const { promise: connected, resolve: connect } = Promise.withResolvers<void>();
  const admit = <T>(request: ServedRequest, pass: (carried: ForwardableRequest) => T): T | ServedResponse => {
    const { method } = request;
    if (!isAuthenticated(request)) return unauthorized.response;
    connect();
    return isForwardable(method) ? pass({ ...request, method }) : unknownMethod.response;
  };
  const https = await serveHttps({
    port,
    certificate,
    maxBodyBytes,
    unknownMethod: { type: "application/json", body: unknownMethod.text },
    upgrade: async (request) =>
      admit(request, async (carried) => (await forwardUpgrade(options, carried)) ?? upgrades.response),
    handle: (request) =>
      admit(request, (carried) => pending.during(carried, (abort) => forward({ ...options, abort }, carried))),
  });
  const url = `https://127.0.0.1:${https.port}`;
  return {
    url,
    kubeconfig: (namespace) => kubeconfigText({ name: "kubectl-reconcile", url, ca: certificate.ca, token, namespace }),
    connected,
    async close() {
      await pending.end();
      await https.close();
    },
  };
}
