import { checkWritable } from "../../../src/platform/files.ts";
import type { DivergenceListener } from "../../../src/modes/fork/divergences.ts";
import { type Command, duration, text } from "../../cli/command.ts";
import type { Session } from "../../cli/session.ts";
import { pluralize, styleOf } from "../../cli/style.ts";
import { clusterCommand, type Globals } from "../../connections/globals.ts";
import { cannotWrite } from "../../connections/file-errors.ts";
import { connectToFork } from "../../connections/fork-connection.ts";
import { writeState } from "../../connections/state-file.ts";
import { namespaceCandidates } from "../../connections/cluster-candidates.ts";
import { writtenText } from "../../process/fork-comparison.ts";
import { checkServing, serveProcess, servingOptions, type ServingRequest } from "../../connections/serving.ts";

const options = {
  namespace: text("-n, --namespace <name>", "the namespace of the kubeconfig", {
    default: "the context's",
    candidates: namespaceCandidates,
  }),
  ...servingOptions,
  snapshot: text(
    "--snapshot <file>",
    "at the end, write the fork's contents to FILE: `sandbox --load FILE` starts from it",
  ),
  for: duration("--for <duration>", "exit after this time"),
} as const;

interface ForkRequest extends ServingRequest {
  readonly flags: Globals;
  readonly snapshot: string | undefined;
}

/** `fork`. */
export const fork: Command = clusterCommand({
  name: "fork",
  about: "Serve a copy of the cluster that follows it; what is written stays in the copy",
  description:
    "Serves HTTPS on 127.0.0.1 and writes a kubeconfig for it. Its clients see what the cluster of the current context has, with your rights, " +
    "and its changes as they happen. What they write stays in the fork: the cluster is only read. An object that was written in the fork " +
    "no longer follows the cluster, until both are the same again.\n\n" +
    "Each kind is read when it is first requested. Admission webhooks are not called; quotas, limits, policies and definitions of custom " +
    "resources are the cluster's. No controller runs in the fork. Start a program with its kubeconfig, or run controllers with `run --kubeconfig FILE --force`: without --force, run refuses because the copied objects look as if the cluster's controllers were active.\n\n" +
    "Exit codes: 0 ended by a signal, or --for is over; 2 wrong arguments or no connection; 130 ended by a second signal.",
  options,
  examples: [
    {
      comment: "Try a change with kubectl, on what the cluster has",
      line: "fork --write-kubeconfig /tmp/fork.kubeconfig",
    },
    { comment: "Save what was read, for a sandbox", line: "fork --write-kubeconfig kc --snapshot state.json" },
  ],
  onSignal: "drain",
  complete({ options: flags }): ForkRequest {
    return {
      flags,
      kubeconfig: flags.kubeconfigOut,
      port: flags.port,
      forMs: flags.for,
      printsText: true,
      snapshot: flags.snapshot,
    };
  },
  statusOnOutput: () => true,
  async run(request, session) {
    const { snapshot, flags } = request;
    await checkServing(request);
    if (snapshot !== undefined)
      await checkWritable(snapshot).catch((error: unknown) => {
        throw cannotWrite(snapshot, error);
      });
    const connected = await session.unlessInterrupted(() =>
      connectToFork({ flags, io: session.io, listener: linesOf(session) }),
    );
    if (connected === undefined) return 0;
    try {
      const version = await session.unlessInterrupted(() => connected.serverVersion());
      if (version === undefined) return 0;
      const { context, server, namespace, fork: forked } = connected;
      session.say(`fork of context ${context} · ${server} (${version.gitVersion}) · namespace ${namespace}`);
      if (forked.definitions === "unlistable")
        session.warn("warning: not allowed to list customresourcedefinitions: custom resources can only be read");
      await serveProcess({ connected, request, session, as: "with your rights" });
      session.say(`stopped: ${divergenceText(forked.divergences.list().length)}`);
      if (snapshot === undefined) return 0;
      const saved = forked.sandbox.save();
      await writeState(snapshot, saved);
      session.say(
        `${pluralize(saved.objects, "object")} written to ${snapshot}: everything that was requested, including Secrets`,
      );
      return 0;
    } finally {
      await connected.close();
    }
  },
});

/** Prints a line for each write, and for how the cluster follows. */
function linesOf({ io }: Session): DivergenceListener {
  const { colour } = styleOf(io.out);
  return {
    written: (divergence) => io.out.line(writtenText(divergence)),
    differs: ({ of, key }) =>
      io.out.line(colour.yellow(`  ${of.kind} ${key} changed on the cluster: the fork keeps its own`)),
    agreed: ({ of, key }) =>
      io.out.line(colour.dim(`  ${of.kind} ${key}: the cluster has the same, and is followed again`)),
  };
}

/** `2 objects were written here and differ from the cluster's`. */
function divergenceText(count: number): string {
  if (count === 0) return "nothing here differs from the cluster";
  return count === 1
    ? "1 object was written here and differs from the cluster's"
    : `${count} objects were written here and differ from the cluster's`;
}
