/** Ways into an API server that is measured, without a client's own cost. */

/** Where an API server is, and how one gets in; a `Cluster` is one. */
export interface ApiServer {
  /** `https://127.0.0.1:PORT`. */
  readonly url: string;
  /** PEM of the authority to trust. */
  readonly ca: string;
  readonly token: string;
}

const longestMs = 30_000;

/** POSTs an object. @throws Error for any answer that is not in `wanted`. */
export async function post(
  apiServer: ApiServer,
  path: string,
  body: unknown,
  wanted: readonly number[] = [201],
): Promise<void> {
  const answer = await fetch(apiServer.url + path, {
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
  const said = await answer.text();
  if (!wanted.includes(answer.status)) throw new Error(`POST ${path}: ${answer.status} ${said.slice(0, 200)}`);
}

/** Opens a watch; its body is a line an event. @throws Error when it is refused. */
export async function openWatch(
  apiServer: ApiServer,
  path: string,
  options: { readonly from: string; readonly accept: string; readonly signal: AbortSignal },
): Promise<ReadableStream<Uint8Array>> {
  const answer = await fetch(`${apiServer.url}${path}?watch=1&resourceVersion=${options.from}`, {
    tls: { ca: apiServer.ca },
    headers: { authorization: `Bearer ${apiServer.token}`, accept: options.accept },
    signal: options.signal,
  });
  if (answer.status !== 200 || answer.body === null) throw new Error(`Cannot watch ${path}: ${await answer.text()}`);
  return answer.body;
}
