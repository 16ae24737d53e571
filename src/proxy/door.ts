/** The door: an HTTPS server on loopback that a process takes for its API server. */
import { kubeconfigText } from "../api/kubeconfig-text.ts";
import type { Transport } from "../api/transport.ts";
import { loopbackCertificate } from "../platform/certificate.ts";
import { serveHttps, type ServedRequest, type ServedResponse } from "../platform/https-server.ts";
import { sameSecret, secretToken } from "../platform/secret.ts";
import type { Timeline } from "../platform/timeline.ts";
import type { Observe } from "./observer/exchange.ts";
import { type CarriedRequest, forward, forwardUpgrade, isCarried } from "./forward.ts";
import { PendingRequests } from "./pending.ts";
import { statusResponse } from "./refusals.ts";

/** What a door opens to. */
export interface DoorOptions {
  /** Has the credentials, and neither retries nor limits: the process has its own. */
  readonly transport: Transport;
  readonly timeline: Timeline;
  readonly observe: Observe;
  /** By default, any free port. */
  readonly port?: number;
}

/** An open door. */
export interface Door {
  /** `https://127.0.0.1:PORT`. */
  readonly url: string;
  /** For the process; `namespace` is that of its context. It holds the door's token: write it to a file that only its owner can read. */
  kubeconfig(namespace: string): string;
  /** Resolves when the first request comes that the door's token lets in. */
  readonly connected: Promise<void>;
  /** Breaks all connections, and stops listening; writes have a moment to get their responses. */
  close(): Promise<void>;
}

/** kube-apiserver takes 3 MB at most; what is longer is refused there, in its words. Source: apiserver v0.36 server/config.go MaxRequestBodyBytes. */
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

/** Opens a door on 127.0.0.1. @throws Error where the port is taken. */
export async function openDoor({ port = 0, ...options }: DoorOptions): Promise<Door> {
  const certificate = loopbackCertificate(options.timeline.now());
  const token = secretToken();
  const expected = `Bearer ${token}`;
  const pending = new PendingRequests(options.timeline);
  const isForeign = ({ headers }: ServedRequest): boolean => !sameSecret(headers["authorization"] ?? "", expected);
  const { promise: connected, resolve: connect } = Promise.withResolvers<void>();
  const admit = <T>(request: ServedRequest, pass: (carried: CarriedRequest) => T): T | ServedResponse => {
    const { method } = request;
    if (isForeign(request)) return unauthorized.response;
    connect();
    return isCarried(method) ? pass({ ...request, method }) : unknownMethod.response;
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
