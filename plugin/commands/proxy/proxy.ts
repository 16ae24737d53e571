import { choice, type Command, duration, flag } from "../../cli/command.ts";
import type { Session } from "../../cli/session.ts";
import { refuseManifestsOnCluster } from "../../cli/scope.ts";
import { sandboxManifests, sandboxState, sinceStart } from "../../cli/shared-options.ts";
import { UserError } from "../../cli/user-error.ts";
import type { Connected } from "../../connections/connection.ts";
import { connectToFork } from "../../connections/fork-connection.ts";
import { clusterCommand } from "../../connections/globals.ts";
import { connectionForProcess, type ProcessTarget } from "../../connections/process-connection.ts";
import { runOnFork } from "../../process/fork-run.ts";
import { type ProcessOutput, showProcess } from "../../process/screen.ts";
import { checkServing, serveProcess, servingOptions, type ServingRequest } from "../../connections/serving.ts";

const options = {
  ...servingOptions,
  for: duration("--for <duration>", "exit after this time"),
  output: choice(
    "-o, --output <format>",
    "text; json: every stage event as a line; rbac: at the end, the Role for what the process did",
    ["text", "json", "rbac"],
    { default: "text" },
  ),
  sinceStart,
  shadow: flag("--shadow", "in front of a fork of the cluster: what the process writes stays there, and is compared"),
  sandbox: flag("--sandbox", "in front of a new embedded cluster instead of the current context's"),
  manifests: sandboxManifests,
  load: sandboxState,
} as const;

interface ProxyRequest extends ServingRequest {
  readonly flags: ProcessTarget;
  readonly shadow: boolean;
  readonly output: ProcessOutput;
  readonly sinceStart: boolean;
}

/** `proxy`. */
export const proxy: Command = clusterCommand({
  name: "proxy",
  about: "Pass a process's requests on to the API server, and show what it reads, what it writes and why",
  description:
    "Serves HTTPS on 127.0.0.1 in front of the API server, and writes a kubeconfig for it. A process that uses this kubeconfig, a " +
    "controller in any language, works as before: its requests pass unchanged, with your credentials, and what it does is shown: " +
    "what it watches, each write with the delta that probably triggered it, refusals and conflicts; at the end, what is worth acting on. " +
    "`run -- COMMAND` starts the process as well.\n\n" +
    "Exit codes: 0 ended by a signal, or --for is over; 2 wrong arguments or no connection; 130 ended by a second signal.",
  options,
  examples: [
    {
      comment: "For a controller that is started in a debugger",
      line: "proxy --write-kubeconfig /tmp/manager.kubeconfig",
    },
    {
      comment: "The Role that it needs, from what it does in a minute",
      line: "proxy --write-kubeconfig kc --for 1m -o rbac",
    },
    { comment: "In front of an embedded cluster", line: "proxy --sandbox -f crds/ --write-kubeconfig kc" },
  ],
  onSignal: "drain",
  complete({ options: flags }): ProxyRequest {
    return {
      flags,
      kubeconfig: flags.kubeconfigOut,
      port: flags.port,
      forMs: flags.for,
      output: flags.output ?? "text",
      printsText: (flags.output ?? "text") === "text",
      shadow: flags.shadow === true,
      sinceStart: flags.sinceStart === true,
    };
  },
  validate({ flags, shadow }) {
    refuseManifestsOnCluster(flags, "proxy writes nothing itself");
    if (shadow && flags.sandbox === true)
      throw new UserError("--shadow and --sandbox are mutually exclusive", ["a sandbox has no owner to compare with"]);
  },
  statusOnOutput: ({ output }) => output === "text",
  async run(request, session) {
    await checkServing(request);
    if (request.shadow) {
      const { flags, printsText } = request;
      const ran = await runOnFork({
        session,
        open: (listeners) => connectToFork({ flags, io: session.io, ...listeners }),
        printsText,
        work: (connected) => serve({ connected, request, session }),
      });
      return ran?.result ?? 0;
    }
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
  const version = await session.unlessInterrupted(() => connected.serverVersion());
  if (version === undefined) return 0;
  const { context, server, namespace, bus } = connected;
  session.say(`context ${context} · ${server} (${version.gitVersion}) · namespace ${namespace}`);
  const screen = showProcess(bus, {
    session,
    output: request.output,
    ...(request.sinceStart && { sinceStartAt: session.startedAt }),
  });
  try {
    await serveProcess({ connected, request, session, as: request.shadow ? "with a fork" : "with your credentials" });
    screen.end();
    return 0;
  } finally {
    screen.stop();
  }
}
