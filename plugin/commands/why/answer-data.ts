/** The answer of `why` as data, for `-o json` and `-o yaml`, and as Markdown. */
import { apiVersionOf } from "../../../src/api/kind.ts";
import { formatTime } from "../../../src/api/time.ts";
import type { Answer } from "../../../src/diagnosis/answer.ts";
import { type Finding, findingsOf, type Ref, refText } from "../../../src/diagnosis/diagnosis.ts";
import { adviceOf, titleOf } from "./answer-text.ts";

type AdviceText = (advice: NonNullable<Finding["advice"]>[number]) => string;

function refData({ kind, namespace, name }: Ref): object {
  return { apiVersion: apiVersionOf(kind), kind: kind.kind, ...(namespace !== "" && { namespace }), name };
}

/** The answer as data. A public format: existing fields keep their meaning within a `v`. Times are RFC 3339. */
export function answerData(answer: Answer, adviceText: AdviceText): object {
  const { is, says, verdict, next, notes, owners, lastWrites, changes, warnings, of } = answer;
  return {
    v: 2,
    object: refData(of),
    is,
    says,
    findings: findingsOf(answer).map(({ at, why, since, advice = [] }) => ({
      object: refData(at),
      why,
      ...(since !== undefined && { since: formatTime(since) }),
      ...tryable(advice, adviceText),
    })),
    lookedAt: verdict.evidence.seen,
    notSeen: verdict.evidence.unseen.map(({ what, why, isDecisive }) => ({ what, why, decisive: isDecisive })),
    notes,
    warnings: warnings.map(({ at, text, seenAt, count }) => ({
      object: refData(at),
      text,
      at: formatTime(seenAt),
      count,
    })),
    next,
    changes: changes.map(({ text, by, at }) => ({ text, ...(by !== undefined && { by }), at: formatTime(at) })),
    lastWrites,
    owners: owners.map(refData),
  };
}

function tryable(advice: NonNullable<Finding["advice"]>, adviceText: AdviceText): object {
  const commands = advice.map(adviceText).filter((text) => text !== "");
  return commands.length === 0 ? {} : { try: commands };
}

/** The answer as Markdown, for a pull request or a ticket. */
export function answerMarkdown(answer: Answer, adviceText: AdviceText, withNamespace = false): readonly string[] {
  const findings = findingsOf(answer).map(({ at, why }) => `- ${refText(at)}: ${escaped(why)}`);
  const advice = adviceOf(findingsOf(answer), adviceText);
  const { unseen } = answer.verdict.evidence;
  return [
    `### ${titleOf(answer, withNamespace)}: ${answer.is}`,
    "",
    escaped(answer.says),
    ...(findings.length === 0 ? [] : ["", ...findings.slice(0, 20)]),
    ...(findings.length > 20 ? [`- and ${findings.length - 20} more`] : []),
    ...(answer.next.length === 0 ? [] : ["", ...answer.next.map((text) => `- next: ${escaped(text)}`)]),
    ...(advice.length === 0 ? [] : ["", "```", ...advice, "```"]),
    ...(unseen.length === 0
      ? []
      : ["", `*not seen: ${unseen.map(({ what, why }) => `${escaped(what)} (${escaped(why)})`).join(", ")}*`]),
    "",
  ];
}

function escaped(text: string): string {
  return text.replace(/[\\`*_<>|]/g, (sign) => `\\${sign}`);
}
