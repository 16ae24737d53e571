/** What a scene of kubectl commands is. */

export interface Step {
  /** The command line, split at blanks. */
  readonly run: string;
  readonly stdin?: string;
  /** Why the sandbox prints something else, and what. */
  readonly differs?: { readonly because: string; readonly prints: string };
}

export interface Scene {
  readonly name: string;
  readonly steps: readonly Step[];
}
