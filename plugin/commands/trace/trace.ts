import { endedBeforeStart } from "../../cli/ended-early.ts";
import { shortestLoop } from "../../../src/views/loops/loop.ts";
import { choice, type Command, duration, flag, text, wholeNumber } from "../../cli/command.ts";
import { refuseManifestsOnCluster, refuseTwoScopes } from "../../cli/scope.ts";
import { once, sandboxManifests, sandboxState, sinceStart } from "../../cli/shared-options.ts";
import { UserError } from "../../cli/user-error.ts";
import { namespaceCandidates, objectCandidates } from "../../connections/cluster-candidates.ts";
import { clusterCommand } from "../../connections/globals.ts";
import { controllerCandidates } from "../../names/controller-names.ts";
import { namesObject } from "../../names/object-names.ts";
import type { TraceRequest } from "./request.ts";
import { openSandbox } from "./sandbox-target.ts";
import { failures } from "./screen.ts";
import { openShadow } from "./shadow-target.ts";
import { processOptions, processRequest, refuseForProgram, refuseWithoutProgram } from "../../process/options.ts";
import { traceProgram, type TraceProgramRequest } from "./program.ts";
import { subjectOfWords } from "./subject.ts";
import { TraceView } from "./trace-view.ts";

const options = {
  namespace: text("-n, --namespace <name>", "trace the objects of this namespace", {
    default: "the context's",
    candidates: namespaceCandidates,
  }),
  allNamespaces: flag("-A, --all-namespaces", "trace the objects of all namespaces"),
  why: text(
    "--why <type/name>",
    "show one chain only: this object, its owners and what it owns, each back to its first cause (the command why explains an object once, and exits)",
  ),
  all: flag("--all", "show every sync: also those that write nothing, and repetitions"),
  sandbox: flag("--sandbox", "trace controllers that write, in a new embedded cluster"),
  manifests: sandboxManifests,
  load: sandboxState,
  once,
  for: duration("--for <duration>", "exit after this time"),
  count: wholeNumber("--count <n>", "exit after N syncs", 1),
  failOn: choice(
    "--fail-on <what>",
    "end at the first error, conflict or differs (shadow) with exit code 1, or at the first loop with 3; 5 if it cannot tell; with -- COMMAND only differs, judged at the end",
    failures,
  ),
  output: choice("-o, --output <format>", "text, or json: every stage event as a line", ["text", "json"], {
    default: "text",
  }),
  sinceStart,
  ...processOptions,
} as const;

/** Options that only make sense for controllers. */
const ofControllers = ["allNamespaces", "why", "all", "once", "count"] as const;

/** `trace`. */
export const trace: Command = clusterCommand({
  name: "trace",
  about: "Show each sync of a controller: why it ran, what it saw, decided and wrote",
  description:
    "Prints a block for each sync that writes or fails: the deltas that triggered it, with the fields that changed and who changed them; " +
    "how long the key waited; the decisions with their facts; the writes with what they change; the Events; and the outcome: done, a " +
    "conflict, or backoff with the next retry, and the syncs that its own writes triggered. Objects that are rewritten without " +
    `converging for ${shortestLoop} or longer, and keys that requeue themselves over and over, are reported as loops. Syncs that write ` +
    "nothing are counted, and so are repetitions of the previous block; --all shows each.\n\n" +
    "Against a cluster it shadows: the controller syncs here beside the one that owns the objects, on the same deltas and by the " +
    "same rules, and writes nothing. What it would write is compared with what the owner wrote. With --sandbox it traces " +
    "controllers that write, in an embedded cluster.\n\n" +
    "Exit codes: 0 ended as requested or by a signal; 1 --fail-on was met; 2 wrong arguments or no connection; 3 --fail-on loop was met; 5 " +
    "--fail-on loop or differs cannot tell, because a watch was broken; or loop, because it was traced for less than " +
    `${shortestLoop} or something was still being rewritten; or differs, because no owner was seen, or nothing was synced or compared; ` +
    "130 ended by a second signal; with -- COMMAND its own exit code, if it ends by itself and --fail-on gives no other.",
  program: {
    name: "COMMAND",
    about:
      "instead of controllers, a program in any language: it works against a fork of the cluster. Its writes stay in the fork; they are " +
      "shown, and compared with those of the copy that is deployed in the cluster. With --sandbox it works in an embedded cluster.",
  },
  arguments: {
    name: "[controller|type/name...]",
    about:
      "which controllers, and TYPE/NAME or NAMESPACE/NAME for one object only; an object alone (TYPE/NAME, TYPE NAME) takes the " +
      "controllers of its chain",
  },
  async argumentCandidates(io, before, typing) {
    if (before.length === 0) return controllerCandidates();
    const objects = await objectCandidates(io, { ...typing, before: [] }).catch(() => []);
    return namesObject(typing.typed) ? objects : [...controllerCandidates(), ...objects];
  },
  options,
  examples: [
    {
      comment: "Why the ReplicaSet controller syncs this object, beside the one of the cluster",
      line: "trace rs rs/web -n shop",
    },
    { comment: "A Deployment and its ReplicaSets, through the controllers of both", line: "trace deploy/web -n shop" },
    { comment: "What the garbage collector does with one object", line: "trace gc --why deploy/web -n shop" },
    { comment: "A ReplicaSet, from its manifest to ready pods", line: "trace rs --sandbox -f web.yaml --once" },
    { comment: "The new version of an operator beside the deployed one", line: "trace -n shop --for 5m -- ./manager" },
    {
      comment: "One chain: Deployment, ReplicaSets and Pods",
      line: "trace all --sandbox -f web.yaml --why deploy/web",
    },
  ],
  onSignal: "drain",
  complete({ arguments: words, options: flags, program }, io): TraceRequest | TraceProgramRequest {
    const { why } = flags;
    if (program !== undefined) {
      refuseForProgram({
        controllers: words,
        program,
        given: ofControllers.filter((name) => flags[name] !== undefined).map((name) => options[name].flags),
      });
      if (flags.failOn !== undefined && flags.failOn !== "differs")
        throw new UserError(`--fail-on ${flags.failOn} is for controllers: of a program, only differs can be decided`);
      return { flags, ...processRequest(program, flags), failOnDiffers: flags.failOn === "differs" };
    }
    refuseWithoutProgram(flags);
    if (words.length === 0 && why === undefined)
      throw new UserError("no controller given", [`\`${io.calledAs} trace --help\` shows what to give`]);
    return {
      ...subjectOfWords(words, { why, io }),
      flags,
      why,
      everySync: flags.all === true,
      sandbox: flags.sandbox === true,
      once: flags.once === true,
      forMs: flags.for,
      count: flags.count,
      failOn: flags.failOn,
      json: flags.output === "json",
      sinceStart: flags.sinceStart === true,
    };
  },
  validate(request) {
    const { flags } = request;
    refuseTwoScopes(flags);
    refuseManifestsOnCluster(flags, "trace writes nothing");
    const failsOnDiffers = "program" in request ? request.failOnDiffers : request.failOn === "differs";
    if (flags.sandbox !== true || !failsOnDiffers) return;
    throw new UserError("--fail-on differs is for shadow: in a sandbox there is no owner to differ from", [
      "omit --sandbox, or name another",
    ]);
  },
  // With `-o json`, standard output contains only events.
  statusOnOutput: (request) => ("program" in request ? request.output === "text" : !request.json),
  async run(request, session) {
    if ("program" in request) return traceProgram(request, session);
    const open = request.sandbox ? openSandbox : openShadow;
    const target = await session.unlessInterrupted(() => open(request, session));
    if (target === undefined) return 0;
    try {
      const view = new TraceView(request, session, target);
      const hasStarted = await session.unlessInterrupted(() => target.start().then(() => true));
      if (hasStarted === undefined) return endedBeforeStart(request.failOn, session);
      session.endAfter(request.forMs);
      if (request.once) session.endWhenIdle(() => target.isIdle());
      view.lookForLoops();
      await session.ended;
      view.endLooking();
      // In a sandbox, nothing else acts on the objects.
      const isAtRest = request.once && request.sandbox && target.isIdle();
      await target.stop();
      return view.close({ isAtRest });
    } finally {
      await target.stop();
    }
  },
});
