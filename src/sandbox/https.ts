/** The sandbox over HTTPS on loopback, with a generated certificate and token. */
import { kubeconfigText } from "../api/kubeconfig-text.ts";
import type { User } from "./context/authorizer.ts";
import { loopbackCertificate, type ServerCertificate } from "../platform/certificate.ts";
import { sameSecret, secretToken } from "../platform/secret.ts";
import { serveHttps, type ServedRequest, type ServedResponse } from "../platform/https-server.ts";
import { announceServer, keepRootCertificates } from "./bootstrap/api-server-objects.ts";
import { auditRefused } from "./serving/audited.ts";
import { handle, maxBodyBytes } from "./serving/handler.ts";
import { isWatch } from "./serving/request-attributes.ts";
import { jsonHeaders } from "./serving/responses.ts";
import { bytesOf } from "./serialization/encoding.ts";
import { methodNotAllowed, refusal } from "./meta/refusal.ts";
import type { Server } from "./context/server.ts";
import type { Sandbox } from "./sandbox.ts";
import { clusterAdmin } from "./transport.ts";

/** The certificate and token of a server. To clients, a server that takes over another's identity is the same server. */
export interface SandboxIdentity {
  readonly certificate: ServerCertificate;
  readonly token: string;
  /** When it expires, in milliseconds since 1970: a month before the certificate does. */
  readonly until: number;
}

/** How a sandbox is served. */
export interface ServeOptions {
  /** The address to listen on. Default: 127.0.0.1. */
  readonly host?: string;
  /** Default: any free port. */
  readonly port?: number;
  /** Default: a generated one. */
  readonly identity?: SandboxIdentity;
  /**
   * PEM of the authorities whose client certificates are accepted: the common name is the user's name, organizations are groups. Default:
   * none.
   */
  readonly clientCa?: string;
  /** False: requests without a token or a certificate get 401. Default true: their user is `system:anonymous`. */
  readonly anonymous?: boolean;
  /** The controllers that run in this cluster: a header of every response names them, so no other process runs them too. */
  readonly controllers?: readonly string[];
  /** True: a controller that knows the authority keeps `kube-root-ca.crt` in each namespace. Default: the server creates it once. */
  readonly authorityIsPublished?: boolean;
}

/** Prefix of the `server` header of every response; the names of the controllers follow, separated by commas. */
export const sandboxServer = "kubectl-reconcile-sandbox";

/** A sandbox served over HTTPS. */
export interface SandboxHttps {
  /** `https://127.0.0.1:PORT`, or another address if it listens there. */
  readonly url: string;
  readonly port: number;
  readonly identity: SandboxIdentity;
  readonly token: string;
  /** PEM of the certificate authority. */
  readonly ca: string;
  /**
   * A kubeconfig for the cluster's admin; `namespace` is that of its context, by default `default`. It contains the token: write it to a
   * file that only its owner can read.
   */
  kubeconfig(namespace?: string): string;
  /** Ends all watches and stops listening. */
  close(): Promise<void>;
}

const noUser = refusal(401, "Unauthorized", "Unauthorized");

const unauthorized: ServedResponse = {
  status: 401,
  headers: jsonHeaders,
  body: bytesOf(JSON.stringify(noUser.status)),
};

const tokenProtocol = "base64url.bearer.authorization.k8s.io.";

/**
 * The token of a request, and its other WebSocket protocols. Browsers cannot set headers on WebSockets: they send the token as a protocol,
 * next to at least one other. Source: apiserver v0.36 authentication/request/websocket/protocol.go.
 */
function loginOf(headers: ServedRequest["headers"]): {
  readonly bearer: string;
  readonly protocols: readonly string[];
} {
  const named = (headers["sec-websocket-protocol"] ?? "").split(",").map((protocol) => protocol.trim());
  const protocols = named.filter((protocol) => protocol !== "" && !protocol.startsWith(tokenProtocol));
  const tokens = named.filter((protocol) => protocol.startsWith(tokenProtocol));
  const bearer = /^bearer (.+)$/i.exec(headers["authorization"] ?? "")?.[1];
  if (bearer !== undefined || tokens.length !== 1 || protocols.length === 0) return { bearer: bearer ?? "", protocols };
  const encoded = (tokens[0] ?? "").slice(tokenProtocol.length);
  return { bearer: Buffer.from(encoded, "base64url").toString(), protocols };
}

const anonymous: User = { name: "system:anonymous", groups: ["system:unauthenticated"] };

/**
 * The user of a request; undefined if its token or certificate is not accepted. Source: kubernetes v1.36
 * pkg/kubeapiserver/authenticator/config.go; apiserver v0.36 authentication/request/{x509,union,anonymous}.
 */
function userOf(server: Server, { certificate }: ServedRequest, { bearer, token, nobody }: Bearer): User | undefined {
  if (certificate?.is === "valid" && certificate.commonName !== "") {
    const { commonName: name, organizations, fingerprint } = certificate;
    const groups = [...new Set([...organizations, "system:authenticated"])];
    return { name, groups, extra: { "authentication.kubernetes.io/credential-id": [`X509SHA256=${fingerprint}`] } };
  }
  if (bearer === "") return certificate?.is === "invalid" ? undefined : nobody;
  if (sameSecret(bearer, token)) return clusterAdmin;
  const found = server.tokens.authenticate(bearer);
  return "user" in found ? found.user : undefined;
}

interface Bearer {
  /** The token of the request. */
  readonly bearer: string;
  /** The admin's token. */
  readonly token: string;
  /** The user of requests without credentials; undefined: such requests are rejected. */
  readonly nobody: User | undefined;
}

const unknownMethod = { type: "application/json", body: JSON.stringify(methodNotAllowed().status) };

const elevenMonthsMs = 334 * 24 * 3_600_000;

/** A new, generated identity. `now` is in milliseconds since 1970. */
export function newIdentity(now: number): SandboxIdentity {
  return { certificate: loopbackCertificate(now), token: secretToken(), until: now + elevenMonthsMs };
}

/** Serves a sandbox, on 127.0.0.1 unless another address is given. @throws Error if the port is taken. */
export async function serveSandbox(sandbox: Sandbox, options: ServeOptions = {}): Promise<SandboxHttps> {
  const { server } = sandbox;
  const identity = options.identity ?? newIdentity(server.timeline.now());
  const { certificate, token } = identity;
  const { host = "127.0.0.1", clientCa } = options;
  const nobody = options.anonymous === false ? undefined : anonymous;
  server.logins.set(token, clusterAdmin);
  const named = `${sandboxServer} ${(options.controllers ?? []).join(",")}`.trimEnd();
  let requests = 0;
  const respond = async (request: ServedRequest): Promise<ServedResponse> => {
    const { bearer, protocols } = loginOf(request.headers);
    const user = userOf(server, request, { bearer, token, nobody });
    if (user === undefined) {
      auditRefused(server, { request, refusal: noUser });
      return unauthorized;
    }
    const response = await handle(server, { ...request, user, actor: `chunk https ${++requests}` });
    return { ...response, protocols, headers: { ...response.headers, server: named } };
  };
  const https = await serveHttps({
    host,
    port: options.port ?? 0,
    certificate,
    ...(clientCa === undefined ? {} : { clientCa }),
    maxBodyBytes,
    unknownMethod,
    allowsWebSocket: isWatch,
    handle: respond,
  });
  announceServer(server, { port: https.port, ca: clientCa ?? certificate.ca });
  if (sandbox.fillsNamespaces && options.authorityIsPublished !== true) keepRootCertificates(server, certificate.ca);
  const url = `https://${host.includes(":") ? `[${host}]` : host}:${https.port}`;
  return {
    url,
    port: https.port,
    identity,
    token,
    ca: certificate.ca,
    kubeconfig: (namespace = "default") =>
      kubeconfigText({ name: "sandbox", url, ca: certificate.ca, token, namespace }),
    async close() {
      server.logins.delete(token);
      for (const watch of server.watches) watch.end();
      await https.close();
    },
  };
}
