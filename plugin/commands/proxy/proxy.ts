import { temporaryPath, removeFile } from "../../../src/platform/files.ts";
import { randomSuffix } from "../../../src/platform/random.ts";
import { messageOf } from "../../../src/api/error-message.ts";
import { openObservedDoor, type ObservedDoor } from "../../../src/proxy/observed-door.ts";
import { choice, type Command, duration, flag, text, wholeNumber } from "../../cli/command.ts";
import type { Session } from "../../cli/session.ts";
import { refuseManifestsOnCluster } from "../../cli/scope.ts";
import { sandboxManifests, sandboxState, sinceStart } from "../../cli/shared-options.ts";
import { UserError } from "../../cli/user-error.ts";
import type { Connected } from "../../connections/connection.ts";
import { clusterCommand } from "../../connections/globals.ts";
import { refuseOtherKubeconfig, writeProcessKubeconfig } from "../../connections/process-kubeconfig.ts";
import { connectionForProcess, type ProcessTarget } from "../../connections/process-connection.ts";
import { type ProcessOutput, showProcess } from "../../process/screen.ts";

const options = {
  kubeconfigOut: text("--write-kubeconfig <file>", "write the process's kubeconfig to FILE", {
    default: "a temporary file, removed at the end",
  }),
  port: wholeNumber("--port <port>", "serve on this port of 127.0.0.1", 1, {
    most: 65_535,
    default: "any that is free",
  }),
  for: duration("--for <duration>", "exit after this time"),
  output: choice(
    "-o, --output <format>",
    "text; json: every stage event as a line; rbac: at the end, the Role for what the process did",
    ["text", "json", "rbac"],
    { default: "text" },
  ),
  sinceStart,
  sandbox: flag("--sandbox", "in front of an embedded cluster of its own instead of the current context's"),
  manifests: sandboxManifests,
  load: sandboxState,
} as const;

interface ProxyRequest {
  readonly flags: ProcessTarget;
  readonly kubeconfig: string | undefined;
  readonly port: number | undefined;
  readonly forMs: number | undefined;
  readonly output: ProcessOutput;
  readonly sinceStart: boolean;
}

/** `proxy`. */
export const proxy: Command = clusterCommand({
  name: "proxy",
  about: "Stand between a process and the API server, and show what it reads, writes and is woken by",
  description:
    "Serves HTTPS on 127.0.0.1 in front of the API server, and writes a kubeconfig for it. A process that uses this kubeconfig, a " +
    "controller in any language, works as before: its requests pass unchanged, with your credentials, and what it does is shown: " +
    "what it watches, each write with the delta that probably woke it, refusals and conflicts; at the end, what is worth acting on. " +
    "For a process that this command is to start, see `run -- COMMAND`.\n\n" +
    "Exec, attach and port-forward are not passed on.\n\n" +
    "Exit codes: 0 ended by a signal, or --for is over; 2 wrong arguments or no connection; 130 ended by a second signal.",
  options,
  examples: [
    {
      says: "For a controller that is started in a debugger",
      line: "proxy --write-kubeconfig /tmp/manager.kubeconfig",
    },
    {
      says: "The Role that it needs, from what it does in a minute",
      line: "proxy --write-kubeconfig kc --for 1m -o rbac",
    },
    { says: "In front of an embedded cluster", line: "proxy --sandbox -f crds/ --write-kubeconfig kc" },
  ],
  onSignal: "drain",
  complete({ options: flags }): ProxyRequest {
    return {
      flags,
      kubeconfig: flags.kubeconfigOut,
      port: flags.port,
      forMs: flags.for,
      output: flags.output ?? "text",
      sinceStart: flags.sinceStart === true,
    };
  },
  validate({ flags }) {
    refuseManifestsOnCluster(flags, "proxy writes nothing itself");
  },
  statusOnOutput: ({ output }) => output === "text",
  async run(request, session) {
    if (request.kubeconfig !== undefined) await refuseOtherKubeconfig(request.kubeconfig);
    const connected = await session.unlessInterrupted(() => connectionForProcess(request.flags, session.io));
    if (connected === undefined) return 0;
    try {
      return await serve({ connected, request, session });
    } finally {
      await connected.close();
    }
  },
});

interface Serving {
  readonly connected: Connected;
  readonly request: ProxyRequest;
  readonly session: Session;
}

async function serve({ connected, request, session }: Serving): Promise<number> {
  const { timeline, random, out } = session.io;
  const version = await session.unlessInterrupted(() => connected.serverVersion());
  if (version === undefined) return 0;
  const { context, server, namespace, bus } = connected;
  session.say(`context ${context} · ${server} (${version}) · namespace ${namespace}`);
  const screen = showProcess(bus, {
    session,
    output: request.output,
    ...(request.sinceStart && { sinceStartAt: session.startedAt }),
  });
  const door = await openAt(request.port, { transport: connected.passThrough(), timeline, bus });
  const file = request.kubeconfig ?? temporaryPath(`kubectl-reconcile-${randomSuffix(random, 8)}.kubeconfig`);
  try {
    await writeProcessKubeconfig(file, door.kubeconfig(namespace));
    session.say(`serving ${door.url} with your credentials, for who has the kubeconfig`);
    if (request.output === "text") out.write(`\nexport KUBECONFIG=${file}\n\n`);
    else session.say(`KUBECONFIG=${file}`);
    session.endAfter(request.forMs);
    await session.ended;
    await door.close();
    door.catchUp();
    screen.end();
    return 0;
  } finally {
    screen.stop();
    if (request.kubeconfig === undefined) await removeFile(file);
    await door.close();
  }
}

async function openAt(
  port: number | undefined,
  options: Parameters<typeof openObservedDoor>[0],
): Promise<ObservedDoor> {
  try {
    return await openObservedDoor({ ...options, ...(port !== undefined && { port }) });
  } catch (error) {
    const where = port === undefined ? "on 127.0.0.1" : `on port ${port} of 127.0.0.1`;
    throw new UserError(
      `cannot listen ${where}: ${messageOf(error)}`,
      port === undefined ? [] : ["choose another --port"],
      { cause: error },
    );
  }
}
