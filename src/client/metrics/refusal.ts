/** What a metrics API that is not there says. */
import { genericServerMessage } from "../../api/generic-server-message.ts";
import { StatusError } from "../../api/status-error.ts";

/** What was asked for, as client-go's errors name it. */
export interface Asked {
  /** `pods.metrics.k8s.io` */
  readonly resource: string;
  /** The object, where one was named. */
  readonly name?: string;
}

/**
 * The same refusal with client-go's message where the server sent none of its own: a server without the API answers with plain text.
 * Anything else is returned as it is. Source: apimachinery v0.36 api/errors/errors.go NewGenericServerResponse.
 */
export function withMessage(error: unknown, { resource, name }: Asked): unknown {
  if (!(error instanceof StatusError) || error.status.kind === "Status") return error;
  const says = genericServerMessage(error.code);
  if (says === undefined) return error;
  const message = `${says} (get ${resource}${name === undefined ? "" : ` ${name}`})`;
  return new StatusError(error.code, { ...error.status, message }, { cause: error });
}
