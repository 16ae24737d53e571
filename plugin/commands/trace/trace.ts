import { askedFor, type TraceOptions } from "./asked.ts";
import { TraceRun } from "./trace-run.ts";
import { sandboxTarget, shadowTarget } from "./targets.ts";
import { namespaceCandidates, objectCandidates } from "../../connections/cluster-candidates.ts";
import { choice, type Command, command, duration, flag, text, texts, wholeNumber } from "../../cli/command.ts";
import { controllerCandidates } from "../../names/controller-names.ts";
import { namesObject } from "../../names/object-names.ts";
import { failures } from "./screen.ts";

const options = {
  namespace: text("-n, --namespace <name>", "trace the objects of this namespace", {
    default: "the context's",
    complete: namespaceCandidates,
  }),
  allNamespaces: flag("-A, --all-namespaces", "trace the objects of all namespaces"),
  why: text(
    "--why <type/name>",
    "show one chain only: this object, its owners and what it owns, each back to its first cause; the command why answers once instead",
  ),
  all: flag("--all", "show every sync: also those that write nothing, and those like the one before"),
  sandbox: flag("--sandbox", "trace controllers that act, in an embedded cluster of its own"),
  manifests: texts(
    "-f, --filename <path>",
    "with --sandbox: put these files, folders, URLs or - (standard input) into it",
    {},
  ),
  once: flag("--once", "end when every object has been synced and nothing is left to do"),
  for: duration("--for <duration>", "end after this time"),
  count: wholeNumber("--count <n>", "end after so many syncs", 1),
  failOn: choice(
    "--fail-on <what>",
    "end with exit code 1 at the first: error, conflict, differs (shadow), or loop (exit code 3)",
    failures,
  ),
  output: choice("-o, --output <format>", "text, or json: every stage event as a line", ["text", "json"], {
    default: "text",
  }),
  sinceStart: flag("--since-start", "show times as seconds since the start"),
} as const;

export const trace: Command = command({
  name: "trace",
  about: "Show each sync of a controller: why it ran, what it saw, decided and wrote",
  description:
    "Prints a block for each sync that writes or fails: the deltas that woke it with the fields that changed and who changed them, how long the key " +
    "waited, the decisions with their facts, the writes with what they change, the Events, and what came of it: done, a conflict, " +
    "backoff with its next try, and the syncs that its own writes woke. Objects that are rewritten without getting anywhere, and keys " +
    "that their own writes wake again and again, are reported as loops. Syncs that write nothing are counted, and so are those like " +
    "the one before; --all shows each.\n\n" +
    "Against a cluster it shadows: the controller syncs here beside the one that owns the objects, on the same deltas and by the " +
    "same rules, and writes nothing. What it would write stands beside what the owner wrote. With --sandbox it traces controllers " +
    "that act, in an embedded cluster.\n\n" +
    "Exit codes: 0 ended as asked or by a signal; 1 --fail-on was met; 2 wrong arguments or no connection; 3 a loop was found and " +
    "--fail-on loop; 130 ended by a second signal.",
  arguments: {
    name: "<controller|type/name...>",
    about: "which controllers, and TYPE/NAME for one object only; an object alone takes the controllers of its chain",
  },
  async completeArgument(io, before, typing) {
    if (before.length === 0) return controllerCandidates();
    const objects = await objectCandidates(io, { ...typing, before: [] }).catch(() => []);
    return namesObject(typing.typed) ? objects : [...controllerCandidates(), ...objects];
  },
  options,
  examples: [
    {
      says: "Why the ReplicaSet controller syncs this object, beside the one of the cluster",
      line: "trace rs rs/web -n shop",
    },
    { says: "A Deployment and its ReplicaSets, through the controllers of both", line: "trace deploy/web -n shop" },
    { says: "What the garbage collector makes of one object", line: "trace gc --why deploy/web -n shop" },
    { says: "A ReplicaSet, from its manifest to ready pods", line: "trace rs --sandbox -f web.yaml --once" },
    { says: "One chain: Deployment, ReplicaSets and Pods", line: "trace all --sandbox -f web.yaml --why deploy/web" },
  ],
  async run({ arguments: words, options: given }, io) {
    const options = given as TraceOptions;
    const asked = askedFor(words, options, io);
    const trace = new TraceRun(asked, options, io);
    return trace.toItsEnd(options.sandbox === true ? () => sandboxTarget(trace) : () => shadowTarget(trace));
  },
});
