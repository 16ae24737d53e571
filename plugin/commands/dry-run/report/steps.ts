/** The steps of a rollout, one line each. */
import type { Rollout, SetState } from "../../../../src/views/rollout.ts";
import { formatDuration } from "../../../../src/api/duration.ts";
import { plainTable } from "../../../cli/table.ts";

/** A table with the time, all ready pods, and each set's pods as `ready/pods of desired`. */
export function stepLines({ of, key, steps }: Rollout): string[] {
  const sets = [...new Set(steps.flatMap((step) => step.sets.map((set) => set.key)))];
  const names = sets.map((set) => set.slice(set.indexOf("/") + 1));
  const rows = steps.map(({ at, ready, sets: there }) => [
    `+${formatDuration(at)}`,
    String(ready),
    ...sets.map((name) => setText(there.find((set) => set.key === name))),
  ]);
  const head = ["TIME", "READY", ...names];
  return [`rollout of ${of.kind} ${key} (each set: ready/pods of desired)`, ...plainTable(head, rows).split("\n")];
}

function setText(set: SetState | undefined): string {
  if (set === undefined) return "-";
  const going = set.terminating > 0 ? `, ${set.terminating} going` : "";
  return `${set.ready}/${set.pods} of ${set.desired}${going}`;
}
