/** What a sync found in a namespace after deleting what it could. */

/** Why some kinds are unknown. */
export interface Undiscovered {
  /** Empty if discovery failed as a whole. */
  readonly groupVersions: readonly string[];
  /** The message of the condition. */
  readonly message: string;
  /** The error with which the sync fails. */
  readonly error: Error;
}

/** How many objects are left. */
export interface Counts {
  /** By resource, as the conditions name it: `configmaps.` for the core group. */
  readonly remaining: ReadonlyMap<string, number>;
  /** By finalizer. */
  readonly finalizers: ReadonlyMap<string, number>;
}

/** The result of deleting everything. */
export interface Outcome {
  readonly undiscovered?: Undiscovered;
  /** One for each kind that could not be emptied. */
  readonly failures: readonly Error[];
  /** Undefined while pods are left: other content is then not counted. */
  readonly counts?: Counts;
  /** How long deleting the rest may take at most; 0 if nothing is known to be left. */
  readonly estimateSeconds: number;
  /** The errors with which the sync fails. */
  readonly errors: readonly Error[];
}
