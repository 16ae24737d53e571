import { messageOf } from "../../api/error-message.ts";

/**
 * One error for those of several writes: the error itself if there is only one. Its message has each text once, in brackets if there
 * are several.
 * Source: apimachinery v0.36 util/errors/errors.go Aggregate.
 */
export function combinedError(errors: readonly unknown[]): unknown {
  if (errors.length === 1) return errors[0];
  const messages = [...new Set(errors.map(messageOf))];
  return new AggregateError(errors, messages.length === 1 ? messages[0] : `[${messages.join(", ")}]`);
}
