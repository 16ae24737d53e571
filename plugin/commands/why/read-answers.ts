/** Reads the cluster once, for the answers about all requested objects. */
import { createClient } from "../../../src/client/api/client.ts";
import type { Discovery } from "../../../src/client/api/discovery.ts";
import type { ControllerDefinition } from "../../../src/controller/api/definition.ts";
import type { Answer } from "../../../src/diagnosis/answer.ts";
import { Reading } from "../../../src/modes/why/why.ts";
import { chainOf, onlyForOne } from "../../../src/modes/why/would.ts";
import { judge, type Unseen, type Verdict } from "../../../src/verdict/verdict.ts";
import type { Connected } from "../../connections/connection.ts";
import type { Io } from "../../cli/io.ts";
import { worstFirst } from "./order.ts";
import { type WhyQuery, findTargets, type Targets } from "./targets.ts";

/** The answers of one reading. */
export interface WhyAnswers {
  readonly targets: Targets;
  /** Worst first. */
  readonly answers: readonly Answer[];
  readonly verdict: Verdict<Answer>;
  readonly now: number;
}

/** The connection, and the kinds of its server. */
export interface QueryContext {
  readonly io: Io;
  readonly connected: Connected;
  readonly discovery: Discovery;
}

/** What was not examined: what our controllers would do is only determined for a single object. */
function unevaluated(controllers: readonly ControllerDefinition[], answers: readonly Answer[]): readonly Unseen[] {
  if (answers.every(({ of }) => chainOf(controllers, of.kind).length === 0)) return [];
  return [{ what: "what our controllers would do", why: onlyForOne, isDecisive: false }];
}

/** What could not be read for these answers, each once. */
function unreadFor(answers: readonly Answer[]): readonly Unseen[] {
  const all = answers.flatMap(({ unread }) => unread);
  const once = new Map(all.map((each) => [`${each.what} ${each.why}`, { ...each, isDecisive: false }]));
  return [...once.values()];
}

/** Reads the cluster. @returns an answer about every requested object. @throws UserError, StatusError, TransportError. */
export async function readAnswers(query: WhyQuery, { io, connected, discovery }: QueryContext): Promise<WhyAnswers> {
  const { timeline, random } = io;
  const { bus, unlimited: transport, serverCa } = connected;
  const client = createClient({ transport, bus, timeline });
  const isOne = query.words.length === 1 && query.words[0]?.name !== undefined;
  const { controllers } = query;
  const parts = { transport, client, bus, timeline, random, serverCa, discovery, controllers };
  const reading = await Reading.begin({ ...parts, evaluatesControllers: isOne });
  const targets = await findTargets({ reading, client, ...discovery }, query);
  const answers = await reading.answers(targets.items);
  const findings = answers.filter(({ is }) => is !== "well" && is !== "cannot tell");
  const unclear = answers.filter(({ is }) => is === "cannot tell");
  const verdict = judge({
    findings,
    seen: targets.seen,
    unseen: [
      ...targets.unseen,
      ...unclear.map(({ of, says }) => ({ what: `${of.kind.kind} ${of.name}`, why: says, isDecisive: true })),
      ...(isOne ? [] : [...unreadFor(findings), ...unevaluated(controllers, answers)]),
    ],
  });
  return { targets, answers: worstFirst(answers), verdict, now: reading.now };
}
