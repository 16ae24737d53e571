/** What an object waits for: the answer of `why`, as data. Pure: everything it looks at is in a snapshot. */
import { readTime } from "../api/time.ts";
import type { Event } from "../api/types.ts";
import { deletionAnswer, namespaceWaits } from "./deletion-waits.ts";
import { genericState } from "./generic-waits.ts";
import { lastWrites } from "./last-writes.ts";
import { podState, withoutPreemption } from "./pod-waits.ts";
import type { Answer, Snapshot, State, Wait } from "./snapshot.ts";
import { workloadState } from "./workload-waits.ts";

/** Answers for any kind: what is known of all objects, and more for pods and what makes them. */
export function answerFor(snapshot: Snapshot): Answer {
  const { kind, object, now } = snapshot;
  const state = stateOf(snapshot);
  const fromNamespace = namespaceWaits(snapshot);
  const waits = [...fromNamespace, ...state.waits];
  const wouldDo = snapshot.wouldDo.map(({ controller, sentence }) => `our ${controller} would now: ${sentence}`);
  const is = state.is === "as desired" && (fromNamespace.length > 0 || wouldDo.length > 0) ? "waiting" : state.is;
  return {
    title: `${kind} ${object.metadata.name}`,
    ...state,
    is,
    waits,
    next: [...state.next, ...wouldDo],
    lastWrites: lastWrites(object, now),
    warnings: is === "as desired" ? [] : warningsOf(snapshot, waits),
  };
}

function stateOf(snapshot: Snapshot): State {
  if (snapshot.object.metadata.deletionTimestamp !== undefined) return deletionAnswer(snapshot);
  switch (snapshot.kind) {
    case "Pod":
      return podState(snapshot);
    case "Deployment":
    case "ReplicaSet":
    case "ReplicationController":
    case "StatefulSet":
      return workloadState(snapshot);
    default:
      return genericState(snapshot);
  }
}

const shownWarnings = 3;

/** The latest Warning of each reason about each object, without those whose words stand among the waits. */
function warningsOf({ events, object }: Snapshot, waits: readonly Wait[]): Answer["warnings"] {
  const said = waits.map(({ why }) => withoutNames(why)).join("\n");
  const latest = new Map<string, Answer["warnings"][number]>();
  for (const event of events) {
    const { type, reason = "", message = "", involvedObject, count = 1 } = event;
    const text = withoutPreemption(message.trim());
    if (type !== "Warning" || said.includes(withoutNames(text))) continue;
    const at = eventTime(event);
    const about = involvedObject.name === object.metadata.name ? "" : `${involvedObject.kind} ${involvedObject.name}`;
    latest.set(`${involvedObject.kind} ${reason}`, { about, text: `${reason}: ${text}`, at, count });
  }
  return [...latest.values()].sort((a, b) => b.at - a.at).slice(0, shownWarnings);
}

/** A message without the names that are another one each time, and without what Events put before it. */
function withoutNames(text: string): string {
  return text.replace(/^\(combined from similar events\): |Error creating: /g, "").replace(/"[^"]*"/g, '""');
}

function eventTime({ lastTimestamp, eventTime: time, metadata }: Event): number {
  return readTime(lastTimestamp ?? time ?? metadata.creationTimestamp) ?? 0;
}
