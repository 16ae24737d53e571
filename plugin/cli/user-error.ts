/** A mistake that the user can fix: one clear line, then what to do next. Exit code 2. */
export class UserError extends Error {
  override readonly name = "UserError";
  /** Lines printed below the message: details and the next step. */
  readonly next: readonly string[];

  constructor(message: string, next: readonly string[] = [], options?: ErrorOptions) {
    super(message, options);
    this.next = next;
  }
}
