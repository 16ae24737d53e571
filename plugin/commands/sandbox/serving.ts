/** Serving a sandbox over HTTPS until the session ends, and saving its state. */
import { formatDuration } from "../../../src/api/duration.ts";
import { Nodes } from "../../../src/api/kinds.ts";
import { certificateSigningRequestSigning } from "../../../src/controllers/certificatesigningrequest-signing/certificatesigningrequest-signing.ts";
import { rootCaCertificatePublisher } from "../../../src/controllers/root-ca-certificate-publisher/root-ca-certificate-publisher.ts";
import { removeFile, temporaryPath } from "../../../src/platform/files.ts";
import { randomSuffix } from "../../../src/platform/random.ts";
import { type SandboxHttps, type SandboxIdentity, serveSandbox } from "../../../src/sandbox/https.ts";
import type { Io } from "../../cli/io.ts";
import type { Session } from "../../cli/session.ts";
import { pluralize } from "../../cli/style.ts";
import { UserError } from "../../cli/user-error.ts";
import { writeKubeconfig } from "../../connections/kubeconfig-file.ts";
import type { SandboxConnection } from "../../connections/sandbox-connection.ts";
import { writeState } from "../../connections/state-file.ts";
import type { SandboxRequest } from "./request.ts";

/** A sandbox that nothing changes anymore. */
export interface Saving {
  readonly connection: SandboxConnection;
  readonly io: Io;
}

/** Writes the state once nothing changes it anymore. @throws UserError. */
export async function saveTo(path: string, { connection, io }: Saving): Promise<void> {
  const state = connection.cluster.sandbox.save();
  await writeState(path, state);
  io.out.write(`saved ${pluralize(state.objects, "object")} to ${path}\n`);
}

/** What serving a sandbox needs. */
export interface Serving {
  readonly request: SandboxRequest;
  readonly session: Session;
  /** The identity of the previous sandbox, which clients may still use. */
  readonly identity: SandboxIdentity;
  /** The PEM certificates of the authorities trusted for client certificates. */
  readonly clientCa: string | undefined;
  /** Called when held-back lines of controllers may be printed. */
  readonly introduced: () => void;
}

/** Serves it until the session ends; the introduction comes first. Returns the exit code. @throws UserError for a port that is taken. */
export async function serve(connection: SandboxConnection, serving: Serving): Promise<number> {
  const { request, session, introduced } = serving;
  const { random, out } = session.io;
  const https = await listen(connection, serving);
  const kept = request.kubeconfig;
  const file = kept ?? temporaryPath(`kubectl-reconcile-sandbox-${randomSuffix(random, 8)}.kubeconfig`);
  try {
    await writeKubeconfig(file, https, request.namespace);
    for (const line of await introduction(connection, https, request)) out.line(line);
    out.write(`\nexport KUBECONFIG=${file}\n`);
    out.write(`ready after ${formatDuration(session.elapsedMs)}, Ctrl-C stops\n\n`);
    introduced();
    await session.ended;
    out.write(`stopped after ${formatDuration(session.elapsedMs)}\n`);
    return 0;
  } finally {
    if (kept === undefined) await removeFile(file);
    await https.close();
  }
}

async function listen({ cluster }: SandboxConnection, { request, identity, clientCa }: Serving): Promise<SandboxHttps> {
  const { port } = request;
  // Requesting client certificates slows down every request, so it is done only with RBAC.
  const acceptsOwn = request.rbac && request.controllers.includes(certificateSigningRequestSigning);
  const accepted = [...(clientCa === undefined ? [] : [clientCa]), ...(acceptsOwn ? [identity.certificate.ca] : [])];
  try {
    return await serveSandbox(cluster.sandbox, {
      controllers: cluster.manager.controllers.map(({ definition }) => definition.name),
      ...(port !== undefined && { port }),
      identity,
      authorityIsPublished: request.controllers.includes(rootCaCertificatePublisher),
      ...(accepted.length > 0 && { clientCa: accepted.join("\n") }),
    });
  } catch (error) {
    if (port === undefined) throw error;
    throw new UserError(
      `cannot serve on 127.0.0.1:${port}: the port is in use or not permitted`,
      ["omit --port for one that is free"],
      { cause: error },
    );
  }
}

/** The introduction: aligned lines about the sandbox. */
async function introduction(
  connection: SandboxConnection,
  https: SandboxHttps,
  { kubelet, scheduler, controllers, load }: SandboxRequest,
): Promise<readonly string[]> {
  const parts = [
    ...(scheduler ? ["scheduler"] : []),
    ...(kubelet ? ["kubelet"] : []),
    ...controllers.map(({ name }) => name),
  ];
  const { applied, loaded } = connection;
  const { items: nodes } = await connection.clientFor("kubectl-reconcile").list(Nodes);
  return [
    `sandbox ${https.url} (${(await connection.serverVersion()).gitVersion}) · ${pluralize(nodes.length, "simulated node")}`,
    `running ${parts.length === 0 ? "nothing but the API server" : parts.join(", ")}`,
    ...(load === undefined ? [] : [loadedFrom(load, loaded)]),
    ...(applied.length === 0 ? [] : [`applied ${pluralize(applied.length, "object")}`]),
  ];
}

function loadedFrom(path: string, state: SandboxConnection["loaded"]): string {
  if (state === undefined) return `new: ${path} does not exist yet`;
  return `loaded ${pluralize(state.items.length, "object")} from ${path}`;
}
