/** Compares two normalized records of one step. */
import { fieldChanges } from "../../src/api/field-changes.ts";
import type { StepRecord, Entry } from "./step-record.ts";

/** One difference between the two sides. */
export interface Difference {
  /** `create pods 201`, `final ReplicaSet`, `Event`, … */
  readonly what: string;
  /** The field. Empty if one side has a whole additional effect. */
  readonly path: string;
  readonly theirs: unknown;
  readonly ours: unknown;
  /** Whether a write was rejected in this step on either side. */
  readonly refused: boolean;
}

export interface Compared {
  /** Whether the order of each owner's writes is compared too. */
  readonly order: boolean;
}

/** Compares each effect of one side with one of the other: with an equal one if there is one, otherwise with the most similar one. */
export function compare(theirs: StepRecord, ours: StepRecord, { order }: Compared): Difference[] {
  const refused = theirs.refused || ours.refused;
  const parts = (["writes", "events", "objects", ...(order ? (["order"] as const) : [])] as const).flatMap((part) =>
    compareAll(theirs[part], ours[part]),
  );
  return parts.map((difference) => ({ ...difference, refused }));
}

/** Compares only the objects: the resulting state, no matter who caused it. */
export function compareObjects(theirs: StepRecord, ours: StepRecord): Difference[] {
  return compareAll(theirs.objects, ours.objects).map((difference) => ({ ...difference, refused: theirs.refused }));
}

type Bare = Omit<Difference, "refused">;

function compareAll(theirs: readonly Entry[], ours: readonly Entry[]): Bare[] {
  const kinds = new Set([...theirs, ...ours].map(({ what }) => what));
  return [...kinds].flatMap((what) => compareKind(what, of(theirs, what), of(ours, what)));
}

function of(entries: readonly Entry[], what: string): string[] {
  return entries
    .filter((one) => one.what === what)
    .map(({ content }) => JSON.stringify(content))
    .sort();
}

function compareKind(what: string, theirs: readonly string[], ours: readonly string[]): Bare[] {
  const [onlyTheirs, onlyOurs] = [without(theirs, ours), without(ours, theirs)];
  const found: Bare[] = [];
  for (const one of onlyTheirs) {
    const theirOne: unknown = JSON.parse(one);
    const like = mostLike(theirOne, onlyOurs);
    if (like === undefined) {
      found.push({ what, path: "", theirs: theirOne, ours: undefined });
      continue;
    }
    onlyOurs.splice(onlyOurs.indexOf(like), 1);
    for (const { path, before, after } of fieldChanges(theirOne, JSON.parse(like))) {
      found.push({ what, path, theirs: before, ours: after });
    }
  }
  return [
    ...found,
    ...onlyOurs.map((one) => ({ what, path: "", theirs: undefined, ours: JSON.parse(one) as unknown })),
  ];
}

/** The multiset difference of `left` and `right`: three copies in `left` and one in `right` leave two. */
function without(left: readonly string[], right: readonly string[]): string[] {
  const rest = new Map<string, number>();
  for (const one of right) rest.set(one, (rest.get(one) ?? 0) + 1);
  return left.filter((one) => {
    const count = rest.get(one) ?? 0;
    rest.set(one, count - 1);
    return count <= 0;
  });
}

/** Searches only the first 30: if there are hundreds, they usually all differ in the same way, and any of them will do. */
function mostLike(one: unknown, others: readonly string[]): string | undefined {
  let best: { readonly other: string; readonly changes: number } | undefined;
  for (const other of others.slice(0, 30)) {
    const changes = fieldChanges(one, JSON.parse(other)).length;
    if (best === undefined || changes < best.changes) best = { other, changes };
  }
  return best?.other;
}
