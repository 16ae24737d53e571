/** Prints answers once or, with `--wait`, until there is nothing to wait for. */
import { createClient } from "../../../src/client/api/client.ts";
import { discover } from "../../../src/client/api/discovery.ts";
import { sleep } from "../../../src/platform/timeline.ts";
import { cannotTellExitCode } from "../../../src/verdict/verdict.ts";
import { kubectlAdvice } from "../../cli/advice.ts";
import type { Io } from "../../cli/io.ts";
import type { Connected } from "../../connections/connection.ts";
import { printAnswers } from "./answer-printer.ts";
import { readAnswers } from "./read-answers.ts";
import type { WhyRequest } from "./request.ts";
import type { WhyQuery } from "./targets.ts";

const waitPollMs = 1000;

/** Reads until the wait is over, and prints the last answers. @returns the exit code. @throws UserError, StatusError, TransportError. */
export async function answerUntilOver(request: WhyRequest, connected: Connected, io: Io): Promise<number> {
  const { timeline } = io;
  const { flags, waitMs } = request;
  const query: WhyQuery = {
    words: request.words,
    controllers: request.controllers.map(({ definition }) => definition),
    namespace: flags.allNamespaces === true ? "" : (flags.namespace ?? connected.namespace),
    selector: request.selector,
    calledAs: io.calledAs,
    context: connected.context,
    isSandbox: request.sandbox,
    kubectl: (words) => kubectlAdvice(flags, words),
  };
  const client = createClient({ transport: connected.unlimited, bus: connected.bus, timeline });
  const discovery = await discover(client);
  const until = timeline.now() + waitMs;
  for (;;) {
    const whole = await readAnswers(query, { io, connected, discovery });
    const isOver = whole.verdict.is === "well" || whole.answers.some(({ is }) => is === "failed");
    if (isOver || timeline.now() + waitPollMs > until) {
      printAnswers(whole, request, io);
      return { well: 0, found: 1, "cannot tell": cannotTellExitCode }[whole.verdict.is];
    }
    await sleep(timeline, waitPollMs, "why --wait");
  }
}
