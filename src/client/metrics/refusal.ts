/** Error messages for a metrics API that is not installed. */
import { genericServerMessage } from "../../api/generic-server-message.ts";
import { StatusError } from "../../api/status-error.ts";

/** The requested resource, as named in client-go's errors. */
export interface RequestedResource {
  /** `pods.metrics.k8s.io` */
  readonly resource: string;
  /** The name of the object, if there is one. */
  readonly name?: string;
}

/**
 * The same refusal with client-go's message, if the server did not send a Status: a server without the API responds with plain text. Any
 * other error is returned unchanged. Source: apimachinery v0.36 api/errors/errors.go NewGenericServerResponse.
 */
export function withMessage(error: unknown, { resource, name }: RequestedResource): unknown {
  if (!(error instanceof StatusError) || error.status.kind === "Status") return error;
  const genericMessage = genericServerMessage(error.code);
  if (genericMessage === undefined) return error;
  const message = `${genericMessage} (get ${resource}${name === undefined ? "" : ` ${name}`})`;
  return new StatusError(error.code, { ...error.status, message }, { cause: error });
}
