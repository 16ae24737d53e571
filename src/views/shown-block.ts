/** A block of `trace` with all that is shown of it: of its causes the first few, each with what its delta changed. */
import { type ChangeSummary, noChanges, summarizeChanges } from "./field-interest.ts";
import type { BlockCause, Origin, SyncBlock, SyncName } from "./sync-block.ts";

/** A cause, with what its delta changed and who changed it. */
export type ShownCause =
  | (Omit<Extract<BlockCause, { readonly is: "delta" }>, "detail"> & {
      readonly changes: ChangeSummary;
      readonly writer: string | undefined;
    })
  | Extract<BlockCause, { readonly is: "other" }>;

/** A block, finished: nothing of it is worked out later. */
export interface ShownBlock extends Omit<SyncBlock, "causes"> {
  readonly causes: readonly ShownCause[];
}

/** The chain from a sync back to its first cause, finished. */
export interface ShownOrigin {
  /** From the nearest sync to the furthest. */
  readonly steps: readonly SyncName[];
  readonly first: ShownCause | undefined;
}

const shownCauses = 6;
const shownChanges = 3;

/** Works out what the deltas of the shown causes changed, which takes far longer than all the rest: ask for blocks that are shown. */
export function shownBlock(block: SyncBlock): ShownBlock {
  const { causes, moreCauses } = block;
  const most = causes.length > shownCauses + 1 ? shownCauses : causes.length;
  return {
    ...block,
    causes: causes.slice(0, most).map(shownCause),
    moreCauses: causes.length - most + moreCauses,
  };
}

/** The same of an origin. */
export function shownOrigin({ steps, first }: Origin): ShownOrigin {
  return { steps, first: first === undefined ? undefined : shownCause(first) };
}

function shownCause(cause: BlockCause): ShownCause {
  if (cause.is === "other") return cause;
  const { detail, ...delta } = cause;
  const changes = detail === undefined ? noChanges : summarizeChanges(detail.changes, shownChanges);
  return { ...delta, changes, writer: detail?.writer };
}
