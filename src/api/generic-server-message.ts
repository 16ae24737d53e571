/** client-go's message, by status, for a response without one. */

const messages: Readonly<Record<number, string>> = {
  400: "the server rejected our request for an unknown reason",
  401: "the server has asked for the client to provide credentials",
  404: "the server could not find the requested resource",
  405: "the server does not allow this method on the requested resource",
  409: "the server reported a conflict",
  422: "the server rejected our request due to an error in our request",
  429: "the server has received too many requests and has asked us to try again later",
  503: "the server is currently unable to handle the request",
  504: "the server was unable to return a response in the time allotted, but may still be processing the request",
};

/** The message for a status; undefined if there is none. Source: apimachinery v0.36 api/errors/errors.go NewGenericServerResponse. */
export function genericServerMessage(status: number): string | undefined {
  return messages[status];
}
