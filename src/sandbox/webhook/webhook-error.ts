/** A webhook that could not be called, or did not answer as one does. The message has the real server's words. */
export class WebhookError extends Error {
  override readonly name = "WebhookError";
  /** False where there is no way to call it at all, so that nothing was sent. */
  readonly wasCalled: boolean;

  constructor(message: string, { wasCalled = true, ...options }: ErrorOptions & { readonly wasCalled?: boolean } = {}) {
    super(message, options);
    this.wasCalled = wasCalled;
  }
}
