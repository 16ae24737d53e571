/** Each write, sent to the API server as a dry run: what it refuses or changes is marked. */

export interface Validation {
  /** One sentence. */
  readonly text: string;
}
