/** A block of `trace` ready to be shown: with its first few causes, and the changes of each one's delta. */
import { type ChangeSummary, noChanges, summarizeChanges } from "./field-interest.ts";
import type { BlockCause, Origin, SyncBlock, SyncName } from "./sync-block.ts";

/** A cause, with the changes of its delta and their writer. */
export type ShownCause =
  | (Omit<Extract<BlockCause, { readonly is: "delta" }>, "detail"> & {
      readonly changes: ChangeSummary;
      readonly writer: string | undefined;
    })
  | Extract<BlockCause, { readonly is: "other" }>;

/** A block with everything computed. */
export interface ShownBlock extends Omit<SyncBlock, "causes"> {
  readonly causes: readonly ShownCause[];
}

/** An `Origin` with everything computed. */
export interface ShownOrigin {
  /** From the nearest sync to the furthest. */
  readonly steps: readonly SyncName[];
  readonly first: ShownCause | undefined;
}

const shownCauses = 6;
const shownChanges = 3;

/** Computes the changes of the shown causes. This is expensive: call it only for blocks that are shown. */
export function shownBlock(block: SyncBlock): ShownBlock {
  const { causes, moreCauses } = block;
  const count = causes.length > shownCauses + 1 ? shownCauses : causes.length;
  return {
    ...block,
    causes: causes.slice(0, count).map(shownCause),
    moreCauses: causes.length - count + moreCauses,
  };
}

/** The same for an origin. */
export function shownOrigin({ steps, first }: Origin): ShownOrigin {
  return { steps, first: first === undefined ? undefined : shownCause(first) };
}

function shownCause(cause: BlockCause): ShownCause {
  if (cause.is === "other") return cause;
  const { detail, ...delta } = cause;
  const changes = detail === undefined ? noChanges : summarizeChanges(detail.changes, shownChanges);
  return { ...delta, changes, writer: detail?.writer };
}
