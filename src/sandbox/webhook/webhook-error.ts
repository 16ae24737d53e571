/** A webhook that could not be called, or whose response was invalid. The message is the real server's. */
export class WebhookError extends Error {
  override readonly name = "WebhookError";
  /** False if there is no way to call it, so nothing was sent. */
  readonly wasCalled: boolean;

  constructor(message: string, { wasCalled = true, ...options }: ErrorOptions & { readonly wasCalled?: boolean } = {}) {
    super(message, options);
    this.wasCalled = wasCalled;
  }
}
