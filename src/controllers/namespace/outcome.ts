/** What a sync found in a namespace, after it has deleted what it could. */

/** Why not all kinds are known. */
export interface Undiscovered {
  /** Empty where discovery failed as a whole. */
  readonly groupVersions: readonly string[];
  /** As the condition tells it. */
  readonly message: string;
  /** As the failure of the sync tells it. */
  readonly error: Error;
}

/** How many objects are left. */
export interface Counts {
  /** By resource, as the conditions name it: `configmaps.` for the core group. */
  readonly remaining: ReadonlyMap<string, number>;
  /** By finalizer. */
  readonly finalizers: ReadonlyMap<string, number>;
}

/** What came of deleting everything. */
export interface Outcome {
  readonly undiscovered?: Undiscovered;
  /** One for each kind that could not be emptied. */
  readonly failures: readonly Error[];
  /** Undefined while pods hold up the rest, of which then nothing is known. */
  readonly counts?: Counts;
  /** The longest that what is left may take; 0 where nothing is known to be left. */
  readonly estimateSeconds: number;
  /** What the sync fails with. */
  readonly errors: readonly Error[];
}
