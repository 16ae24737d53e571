/**
 * Verdicts: well, waiting, no loop, no owner, available, nothing would change. A verdict is derived from what was
 * looked at, and carries it, so that no screen can report as well what was not looked at.
 */

/** Something that could not be looked at. */
export interface Unseen {
  /** What: `replicasets`, `Secrets in other namespaces`, `events`. */
  readonly what: string;
  /** Why not: `no right to list`, `the server has no such kind`, `it came after 500 others`. */
  readonly why: string;
  /** Whether the verdict depends on it: without it, nothing can be called well. */
  readonly isDecisive: boolean;
}

/** What a verdict is based on. */
export interface Evidence {
  /** What was looked at, each as a phrase: `12 Pods`, `29 kinds for 10 s`, `condition Available`. */
  readonly seen: readonly string[];
  readonly unseen: readonly Unseen[];
  /** Why what was seen is too little for "well", though nothing was left out: `watched for 4 s, a loop shows after 5 s`. */
  readonly tooLittle?: readonly string[];
}

declare const judged: unique symbol;

/**
 * `well`: enough was looked at, nothing that matters was left out, and nothing was found. `found`: there are findings, however
 * little was seen. `cannot tell`: nothing was found in what could be seen, and that is not enough.
 *
 * Only `judge` makes one.
 */
export type Verdict<Finding> = { readonly evidence: Evidence; readonly [judged]: true } & (
  | { readonly is: "well" }
  | { readonly is: "found"; readonly findings: readonly [Finding, ...Finding[]] }
  | { readonly is: "cannot tell"; readonly because: string }
);

/** The exit code for scripts: neither well nor found. */
export const cannotTellExitCode = 5;

/** What `judge` weighs: findings, and what was and was not looked at. */
export interface Case<Finding> extends Evidence {
  /** What contradicts "well", most important first. */
  readonly findings: readonly Finding[];
}

/** Weighs the findings against what was looked at. */
export function judge<Finding>({ seen, unseen, tooLittle = [], findings }: Case<Finding>): Verdict<Finding> {
  const evidence: Evidence = { seen, unseen, ...(tooLittle.length > 0 && { tooLittle }) };
  const [first, ...rest] = findings;
  const decisive = unseen.filter(({ isDecisive }) => isDecisive);
  // The only place that makes verdicts: the symbol exists for the compiler only.
  const made = (verdict: object): Verdict<Finding> => ({ evidence, ...verdict }) as Verdict<Finding>;
  if (first !== undefined) return made({ is: "found", findings: [first, ...rest] });
  const doubts = [...tooLittle, ...(decisive.length > 0 ? [unseenText(decisive)] : [])];
  if (doubts.length > 0) return made({ is: "cannot tell", because: doubts.join("; ") });
  if (seen.length === 0) return made({ is: "cannot tell", because: "nothing was checked" });
  return made({ is: "well" });
}

/** `not seen: replicasets (no right to list), events (no right to list)`; empty where all was seen. */
export function unseenText(unseen: readonly Unseen[]): string {
  if (unseen.length === 0) return "";
  const reasons = [...new Set(unseen.map(({ why }) => why))];
  const parts = reasons.map((reason) => {
    const alike = unseen.filter(({ why }) => why === reason).map(({ what }) => what);
    return `${alike.join(", ")} (${reason})`;
  });
  return `not seen: ${parts.join("; ")}`;
}
