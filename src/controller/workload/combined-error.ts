import { messageOf } from "../../api/error-message.ts";

/**
 * Combines the errors of several writes: returns the error itself if there is only one. The message has each distinct text once, in brackets
 * if there are several.
 * Source: apimachinery v0.36 util/errors/errors.go Aggregate.
 */
export function combinedError(errors: readonly unknown[]): unknown {
  if (errors.length === 1) return errors[0];
  const messages = [...new Set(errors.map(messageOf))];
  return new AggregateError(errors, messages.length === 1 ? messages[0] : `[${messages.join(", ")}]`);
}
