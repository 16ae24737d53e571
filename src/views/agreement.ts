/** How far shadow and the owner agree: a fold over intentions and their outcomes. */
import { pluralize } from "../api/pluralize.ts";
import type { Agreement, AgreementEvent, StageEvent } from "../trace/events.ts";
import { judge, type Verdict } from "../verdict/verdict.ts";
import type { Gap } from "./coverage.ts";

/** How often shadow and the owner agreed. Immutable. */
export interface AgreementSummary {
  /** All would-be writes, each counted once. */
  readonly intentions: number;
  readonly counts: Readonly<Record<Agreement, number>>;
  /** Intentions without an outcome so far. */
  readonly standing: number;
  /** The latest differences, oldest first. */
  readonly differences: readonly AgreementEvent[];
}

/** The evidence for a verdict on differences. */
export interface AgreementEvidence {
  readonly summary: AgreementSummary;
  readonly syncs: number;
  /** The names of the controllers whose owner has not been seen. */
  readonly withoutOwner: readonly string[];
  /** The kinds that are not watched at the end. A watch that was broken and is back has shown the outcome of what was missed. */
  readonly broken: readonly Gap[];
}

/**
 * "Nothing differs" requires an owner, a sync, open watches, and that something was compared if anything was intended. A sync that intends
 * nothing agrees with an owner that writes nothing.
 */
export function agreementVerdict({ summary, syncs, withoutOwner, broken }: AgreementEvidence): Verdict<AgreementEvent> {
  const { counts, differences, intentions, standing } = summary;
  const compared = counts.same + counts.differs + counts["owner was faster"] + counts["owner was refused"];
  const unseen = [
    ...withoutOwner.map((what) => ({ what, why: "no owner was found", isDecisive: true })),
    ...broken.map(({ of, why }) => ({ what: of.kind, why, isDecisive: true })),
  ];
  const tooLittle = [
    ...(syncs === 0 ? ["no object was synced"] : []),
    ...(compared === 0 && standing > 0 ? [`${pluralize(intentions, "intention")}, none compared`] : []),
  ];
  return judge({ findings: differences, seen: [pluralize(syncs, "sync")], unseen, tooLittle });
}

/** Differences kept. */
const keptDifferences = 100;

/** Accepts stage events. An intention whose outcome is revised counts with the latest one. */
export class AgreementReport {
  #standing = new Set<number>();
  #counts: Record<Agreement, number> = {
    same: 0,
    differs: 0,
    "owner was faster": 0,
    "owner was refused": 0,
    "not comparable": 0,
  };
  #differences: readonly AgreementEvent[] = [];
  #intentions = 0;

  accept(event: StageEvent): void {
    if (event.stage === "intention" && !event.again) {
      this.#intentions++;
      this.#standing.add(event.intention);
    }
    if (event.stage === "agreement") this.#agreement(event);
  }

  get summary(): AgreementSummary {
    return {
      intentions: this.#intentions,
      counts: { ...this.#counts },
      standing: this.#standing.size,
      differences: this.#differences,
    };
  }

  #agreement(event: AgreementEvent): void {
    const { is, intention, revises } = event;
    this.#counts[is]++;
    if (intention !== undefined) this.#standing.delete(intention);
    if (revises !== undefined) {
      this.#counts[revises]--;
      this.#differences = this.#differences.filter((each) => each.intention !== intention);
    }
    if (is === "differs") this.#differences = [...this.#differences, event].slice(-keptDifferences);
  }
}
