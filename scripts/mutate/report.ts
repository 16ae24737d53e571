/** Reads the report of a mutation run, and compares it with the survivors that have a reason. */
import type { KnownSurvivor } from "./survivors/known-survivor.ts";

/** The part of the mutation testing report that is read here. Source: the mutation-testing-report-schema, version 2. */
export interface MutationReport {
  readonly files: Readonly<
    Record<string, { readonly source: string; readonly mutants: readonly { [name: string]: unknown }[] }>
  >;
}

export interface Mutant {
  readonly file: string;
  /** Counted from 1. */
  readonly lineNumber: number;
  readonly line: string;
  readonly mutator: string;
  readonly replacement: string;
  /** A mutant that makes the tests hang is killed too; one that does not load says nothing about them. */
  readonly is: "killed" | "survived" | "invalid";
}

const outcomes: Readonly<Record<string, Mutant["is"]>> = {
  Killed: "killed",
  Timeout: "killed",
  Survived: "survived",
  NoCoverage: "survived",
};

interface ReportedMutant {
  readonly mutatorName: string;
  readonly replacement?: string;
  readonly status: string;
  readonly location: { readonly start: { readonly line: number } };
}

export function mutantsOf(report: MutationReport): Mutant[] {
  return Object.entries(report.files).flatMap(([file, { source, mutants }]) => {
    const lines = source.split("\n");
    return (mutants as unknown as readonly ReportedMutant[]).map((mutant) => ({
      file,
      lineNumber: mutant.location.start.line,
      line: (lines[mutant.location.start.line - 1] ?? "").trim(),
      mutator: mutant.mutatorName,
      replacement: (mutant.replacement ?? "").replaceAll(/\s+/g, " ").trim(),
      is: outcomes[mutant.status] ?? "invalid",
    }));
  });
}

export interface Judged {
  readonly killed: number;
  readonly survived: number;
  readonly invalid: number;
  /** Percentage of the mutants that load, rounded down. */
  readonly percent: number;
  /** Survivors that no entry explains. */
  readonly unexplained: readonly Mutant[];
  /** Entries for these files that no longer match a survivor. */
  readonly stale: readonly KnownSurvivor[];
}

const same = (mutant: Mutant, known: KnownSurvivor): boolean =>
  mutant.file === known.file && mutant.line === known.line && mutant.replacement === known.replacement;

export function judgeMutants(mutants: readonly Mutant[], known: readonly KnownSurvivor[]): Judged {
  const count = (is: Mutant["is"]): number => mutants.filter((mutant) => mutant.is === is).length;
  const survivors = mutants.filter(({ is }) => is === "survived");
  const files = new Set(mutants.map(({ file }) => file));
  const killed = count("killed");
  return {
    killed,
    survived: survivors.length,
    invalid: count("invalid"),
    percent: Math.floor((100 * killed) / Math.max(1, killed + survivors.length)),
    unexplained: survivors.filter((mutant) => !known.some((entry) => same(mutant, entry))),
    stale: known.filter((entry) => files.has(entry.file) && !survivors.some((mutant) => same(mutant, entry))),
  };
}
