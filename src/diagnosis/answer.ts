/** The answer of `why`: the diagnosis of one object, with who wrote it last, what changed, and what happens next. */
import { type Unseen, unseenText } from "../verdict/verdict.ts";
import { changesOf, type Change } from "./changes.ts";
import {
  type Diagnosis,
  type Examined,
  findingsOf,
  type Finding,
  type Item,
  judged,
  type Ref,
  refOf,
  refText,
} from "./diagnosis.ts";
import { type LastWrite, lastWrites } from "./last-writes.ts";
import { aside, eventTime, Look, type Readings } from "./look.ts";
import { withoutPreemption } from "./pods.ts";
import { contextOf } from "./object-context.ts";
import { examine } from "./table.ts";
import type { Want } from "./look.ts";

/** A Warning Event. */
export interface Warning {
  readonly at: Ref;
  readonly text: string;
  /** When it was last seen, in ms since 1970. */
  readonly seenAt: number;
  readonly count: number;
}

/** The diagnosis of an object, and its surroundings. */
export interface Answer extends Diagnosis {
  /** From the nearest up. */
  readonly owners: readonly Ref[];
  readonly changes: readonly Change[];
  readonly lastWrites: readonly LastWrite[];
  /** The latest warnings that add something to the findings. */
  readonly warnings: readonly Warning[];
  /** What could not be read, for the object or for those that it depends on; part of the verdict's evidence. */
  readonly unread: readonly Unseen[];
}

/** The diagnosis of an object; `Look.diagnose` includes others. */
export function diagnose(look: Look, item: Item): Diagnosis {
  const examined = examine(look, item);
  const whole = look.isFirst ? withUnread(look, withContext(look, item, examined)) : examined;
  const diagnosis = judged(refOf(item), whole);
  return item.object.metadata.deletionTimestamp === undefined ? diagnosis : { ...diagnosis, is: "being deleted" };
}

/** The answer from what has been read so far, and what is missing for a better one. */
export function answerFrom(world: Readings, item: Item): { readonly answer: Answer; readonly wants: readonly Want[] } {
  const look = new Look(world, diagnose);
  // Never undefined for the first object: no diagnosis is in progress.
  const diagnosis = look.diagnose(item) as Diagnosis;
  const isWell = diagnosis.is === "well";
  const answer: Answer = {
    ...diagnosis,
    owners: contextOf(look, item).owners,
    changes: isWell ? [] : changesOf(look, item),
    lastWrites: lastWrites(item.object, look.now),
    warnings: isWell ? [] : warningsOf(look, item, findingsOf(diagnosis)),
    unread: look.refused(),
  };
  return { answer, wants: look.wants() };
}

function withContext(look: Look, item: Item, examined: Examined): Examined {
  const around = contextOf(look, item);
  const findings = [...around.findings, ...examined.findings];
  const unseen = [...examined.unseen, ...around.unseen];
  if (item.object.metadata.deletionTimestamp !== undefined) return { ...examined, findings, unseen };
  const would = look.would(refOf(item));
  const sentences = would.objects.map(({ controller, sentence }) => `our ${controller} would now: ${sentence}`);
  const all = [...unseen, ...would.unseen.map((each) => ({ ...each, isDecisive: false }))];
  if (examined.reached === true) {
    const left = sentences.map((why): Finding => ({ at: refOf(item), why }));
    return { ...examined, findings: [...findings, ...left], unseen: all };
  }
  // Neither a refused creation happens next, nor one that a back-off delays, which our shadow has not seen begin.
  const isHeld = findings.some(({ why }) => /^(pods cannot be created|back-off after)/.test(why));
  return { ...examined, findings, unseen: all, next: [...(examined.next ?? []), ...(isHeld ? [] : sentences)] };
}

/** With what could not be read for the objects that it depends on. Each kind's own file decides whether that matters. */
function withUnread(look: Look, examined: Examined): Examined {
  const known = new Set(examined.unseen.map(({ what }) => what));
  const more = look.refused().filter(({ what }) => !known.has(what));
  return { ...examined, unseen: [...examined.unseen, ...aside(more)] };
}

const shownWarnings = 3;

/** The latest Warning of each reason and object, except those that the findings contain already. */
function warningsOf(look: Look, item: Item, findings: readonly Finding[]): readonly Warning[] {
  const findingsText = findings.map(({ why }) => withoutNames(why)).join("\n");
  const refs = new Map([refOf(item), ...findings.map(({ at }) => at)].map((ref) => [refText(ref), ref]));
  const latest = new Map<string, Warning>();
  for (const event of look.eventsIn(item.object.metadata.namespace ?? "default")) {
    const { type, reason = "", message = "", involvedObject, count = 1 } = event;
    const at = refs.get(`${involvedObject.kind} ${involvedObject.name}`);
    const text = withoutPreemption(message.trim());
    if (at === undefined || type !== "Warning" || findingsText.includes(withoutNames(text))) continue;
    latest.set(`${involvedObject.kind} ${reason}`, { at, text: `${reason}: ${text}`, seenAt: eventTime(event), count });
  }
  return [...latest.values()].sort((a, b) => b.seenAt - a.seenAt).slice(0, shownWarnings);
}

/** A message without names, which vary, and without the prefixes of Events. */
function withoutNames(text: string): string {
  return text.replace(/^\(combined from similar events\): |Error creating: /g, "").replace(/"[^"]*"/g, '""');
}

/** For one line: what could not be looked at, without what the summary already contains. */
export function notSeen({ verdict, says }: Pick<Diagnosis, "verdict" | "says">): string {
  const { unseen } = verdict.evidence;
  return unseenText(unseen.filter(({ what, why }) => !says.startsWith(what) && !says.includes(why)));
}
