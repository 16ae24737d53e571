/** A mutant that no test kills. */
export interface KnownSurvivor {
  /** From the top of the work tree. */
  readonly file: string;
  /** The source line on which the mutant starts, without its indentation. */
  readonly line: string;
  /** What replaces the mutated text, on one line. */
  readonly replacement: string;
  readonly why: string;
}
