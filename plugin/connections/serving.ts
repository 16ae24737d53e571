/** A proxy for a process that is started elsewhere, with a kubeconfig for it. */
import { messageOf } from "../../src/api/error-message.ts";
import { removeFile, temporaryPath } from "../../src/platform/files.ts";
import { randomSuffix } from "../../src/platform/random.ts";
import { openObservedProxy, type ObservedProxy } from "../../src/proxy/observed-proxy.ts";
import { type OptionsFor, text, wholeNumber } from "../cli/command.ts";
import type { Session } from "../cli/session.ts";
import { UserError } from "../cli/user-error.ts";
import type { Connected } from "./connection.ts";
import { refuseOtherKubeconfig, writeProcessKubeconfig } from "./process-kubeconfig.ts";

/** Where it listens. */
export interface ServingRequest {
  /** The file for the kubeconfig; undefined: a temporary one, removed at the end. */
  readonly kubeconfig: string | undefined;
  /** Undefined: any free port. */
  readonly port: number | undefined;
  readonly forMs: number | undefined;
  /** Where to print the export line: if standard output contains events, it is a status line. */
  readonly printsText: boolean;
}

/** The values of these options. */
export interface ServingFlags {
  readonly kubeconfigOut?: string;
  readonly port?: number;
}

/** The options that select it. */
export const servingOptions: OptionsFor<ServingFlags> = {
  kubeconfigOut: text("--write-kubeconfig <file>", "write the kubeconfig to FILE", {
    default: "a temporary file, removed at the end",
  }),
  port: wholeNumber("--port <port>", "serve on this port of 127.0.0.1", 1, {
    most: 65_535,
    default: "any that is free",
  }),
};

/** What is served, and where it is reported. */
export interface Serving {
  readonly connected: Connected;
  readonly request: ServingRequest;
  readonly session: Session;
  /** `with your credentials`: the access that the kubeconfig grants. */
  readonly as: string;
}

/** @throws UserError for a kubeconfig that something else wrote. */
export async function checkServing({ kubeconfig }: ServingRequest): Promise<void> {
  if (kubeconfig !== undefined) await refuseOtherKubeconfig(kubeconfig);
}

/** Serves until the session ends; everything that passed has been reported when this resolves. @throws UserError. */
export async function serveProcess({ connected, request, session, as }: Serving): Promise<void> {
  const { timeline, random, out } = session.io;
  const { bus, namespace } = connected;
  const proxy = await openAt(request.port, { transport: connected.passThrough(), timeline, bus });
  const file = request.kubeconfig ?? temporaryPath(`kubectl-reconcile-${randomSuffix(random, 8)}.kubeconfig`);
  try {
    await writeProcessKubeconfig(file, proxy.kubeconfig(namespace));
    session.say(`serving ${proxy.url} ${as} to anyone who has the kubeconfig`);
    if (request.printsText) out.write(`\nexport KUBECONFIG=${file}\n\n`);
    else session.say(`KUBECONFIG=${file}`);
    session.endAfter(request.forMs);
    await session.ended;
    await proxy.close();
    proxy.catchUp();
  } finally {
    if (request.kubeconfig === undefined) await removeFile(file);
    await proxy.close();
  }
}

async function openAt(
  port: number | undefined,
  options: Parameters<typeof openObservedProxy>[0],
): Promise<ObservedProxy> {
  try {
    return await openObservedProxy({ ...options, ...(port !== undefined && { port }) });
  } catch (error) {
    const where = port === undefined ? "on 127.0.0.1" : `on port ${port} of 127.0.0.1`;
    throw new UserError(
      `cannot listen ${where}: ${messageOf(error)}`,
      port === undefined ? [] : ["choose another --port"],
      { cause: error },
    );
  }
}
