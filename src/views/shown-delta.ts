/** A line of `watch` ready to be shown. */
import type { FieldChange } from "../api/field-changes.ts";
import type { SeenDelta, WatchLine } from "./delta-report.ts";
import { byInterest, tellingChanges } from "./field-interest.ts";

/** What a delta reports about its object. */
export type DeltaNews =
  /** `missed`: what the informer did not see of the deletion. */
  | { readonly is: "gone"; readonly missed?: "the delete event" | "the last states" }
  | { readonly is: "resync" }
  | { readonly is: "there at the start" | "new" | "unchanged"; readonly byList: boolean }
  | {
      readonly is: "changed";
      readonly byList: boolean;
      /** The changes that do not just accompany others, the most telling first. */
      readonly telling: readonly FieldChange[];
      /** All changes, the most telling first. */
      readonly all: readonly FieldChange[];
    };

/** A line with everything computed. */
export type ShownLine =
  | (Extract<WatchLine, { readonly is: "delta" }> & { readonly news: DeltaNews; readonly writer: string | undefined })
  | Exclude<WatchLine, { readonly is: "delta" }>;

/** Computes the changes of a delta. This is expensive: call it only for lines that are shown. */
export function shownLine(line: WatchLine): ShownLine {
  if (line.is !== "delta") return line;
  const { type, detail } = line.delta;
  const isWritten = type !== "Deleted" && type !== "Sync";
  return { ...line, news: newsOf(line.delta), writer: isWritten ? detail.writer : undefined };
}

function newsOf({ type, detail, tombstone, relist }: SeenDelta): DeltaNews {
  if (type === "Deleted") {
    if (tombstone !== true) return { is: "gone" };
    return { is: "gone", missed: relist === true ? "the last states" : "the delete event" };
  }
  if (type === "Sync") return { is: "resync" };
  const byList = type === "Replaced" && relist === true;
  if (detail.isNew) return { is: type === "Replaced" && !byList ? "there at the start" : "new", byList };
  const { changes } = detail;
  if (changes.length === 0) return { is: "unchanged", byList };
  return { is: "changed", byList, telling: tellingChanges(changes), all: byInterest(changes) };
}
