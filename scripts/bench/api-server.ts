/** Access to an API server under measurement, without the cost of a client. */

/** The address of an API server, and the credentials for it; a `Cluster` is one. */
export interface ApiServer {
  /** `https://127.0.0.1:PORT`. */
  readonly url: string;
  /** PEM of the authority to trust. */
  readonly ca: string;
  readonly token: string;
}

const longestMs = 30_000;

/** POSTs an object. @throws Error for any status that is not in `wanted`. */
export async function post(
  apiServer: ApiServer,
  path: string,
  body: unknown,
  wanted: readonly number[] = [201],
): Promise<void> {
  const response = await fetch(apiServer.url + path, {
    method: "POST",
    tls: { ca: apiServer.ca },
    headers: {
      authorization: `Bearer ${apiServer.token}`,
      "content-type": "application/json",
      accept: "application/json",
    },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(longestMs),
  });
  const text = await response.text();
  if (!wanted.includes(response.status)) throw new Error(`POST ${path}: ${response.status} ${text.slice(0, 200)}`);
}

/** Opens a watch; its body has one line per event. @throws Error if it is rejected. */
export async function openWatch(
  apiServer: ApiServer,
  path: string,
  options: { readonly from: string; readonly accept: string; readonly signal: AbortSignal },
): Promise<ReadableStream<Uint8Array>> {
  const response = await fetch(`${apiServer.url}${path}?watch=1&resourceVersion=${options.from}`, {
    tls: { ca: apiServer.ca },
    headers: { authorization: `Bearer ${apiServer.token}`, accept: options.accept },
    signal: options.signal,
  });
  if (response.status !== 200 || response.body === null)
    throw new Error(`Cannot watch ${path}: ${await response.text()}`);
  return response.body;
}
