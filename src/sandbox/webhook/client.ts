/**
 * Calls webhooks: posts a review, and reads the whole response. Errors have the words of Go's HTTP client and of client-go. Source:
 * apiserver v0.36 pkg/util/webhook/client.go; client-go v0.36 rest/request.go. Differs: at most 32 MiB are read.
 */
import { readAll } from "../../api/transport.ts";
import { HttpError } from "../../platform/http-error.ts";
import type { HttpBody, HttpClient, HttpResponse } from "../../platform/http.ts";
import { openHttp } from "../../platform/open-http.ts";
import type { Timeline } from "../../platform/timeline.ts";
import { shownUrl, type ClientConfig, type ServiceReference } from "./client-config.ts";
import { WebhookError } from "./webhook-error.ts";
import { connectionProblem, deadlineExceeded, statusProblem } from "./words.ts";

/** A call of a webhook. */
export interface WebhookCall {
  readonly config: ClientConfig;
  /** JSON. */
  readonly body: string;
  /** When it must have responded, in ms since 1970. Default: after 30 s. */
  readonly deadline?: number;
}

/** Calls webhooks. */
export interface WebhookClient {
  /** The body of the response. @throws WebhookError */
  call(call: WebhookCall): Promise<Uint8Array>;
  /** Closes idle connections. */
  close(): void;
}

/** Options of a webhook client. */
export interface WebhookClientOptions {
  readonly timeline: Timeline;
  /** URLs of Services, by `NAMESPACE/NAME`: `https://127.0.0.1:9443`. */
  readonly services: ReadonlyMap<string, string>;
  /** Why a Service cannot be reached. */
  readonly unresolved: (service: ServiceReference) => string;
}

const usualTimeoutMs = 30_000;
const mostBytes = 32 * 1024 * 1024;
const mostClients = 200;
const mostRedirects = 10;

/** Creates a client; it opens no connections until it is used. */
export function webhookClient({ timeline, services, unresolved }: WebhookClientOptions): WebhookClient {
  const clients = new Map<string, HttpClient>();
  const clientOf = (ca: string, serverName: string | undefined): HttpClient => {
    const key = `${serverName ?? ""} ${ca}`;
    const known = clients.get(key);
    if (known !== undefined) return known;
    for (const [oldest, client] of clients) {
      if (clients.size < mostClients) break;
      clients.delete(oldest);
      client.close();
    }
    const tls = { ...(ca === "" ? {} : { ca }), ...(serverName === undefined ? {} : { serverName }) };
    const made = openHttp({ tls });
    clients.set(key, made);
    return made;
  };
  const call = async ({ config, body, deadline }: WebhookCall): Promise<Uint8Array> => {
    const { service, caBundle } = config;
    if (caBundle.trim() !== "" && !caBundle.includes("-----BEGIN CERTIFICATE-----"))
      throw new WebhookError("unable to load root certificates: unable to parse bytes as PEM block", {
        wasCalled: false,
      });
    const timeoutMs = deadline === undefined ? usualTimeoutMs : deadline - timeline.now();
    const query = `?timeout=${Math.max(1, Math.ceil(timeoutMs / 1000))}s`;
    const shown = `${shownUrl(config)}${query}`;
    const mapped = service === undefined ? undefined : services.get(`${service.namespace}/${service.name}`);
    if (service !== undefined && mapped === undefined) throw new WebhookError(failedPost(shown, unresolved(service)));
    const serverName = service === undefined ? undefined : `${service.name}.${service.namespace}.svc`;
    const url = mapped === undefined ? shown : `${mapped.replace(/\/$/, "")}${pathOf(shown)}`;
    const abort = new AbortController();
    const cancel = timeline.after(Math.max(0, timeoutMs), "webhook timeout", () => abort.abort());
    try {
      const client = clientOf(caBundle.trim(), serverName);
      return await posted({ client, url, shown, body, signal: abort.signal });
    } finally {
      cancel();
      // Anything still in flight is useless now.
      abort.abort();
    }
  };
  return {
    call,
    close() {
      for (const client of clients.values()) client.close();
      clients.clear();
    },
  };
}

const pathOf = (url: string): string => /^[a-z]+:\/\/[^/]+(.*)$/i.exec(url)?.[1] ?? "/";

/** Go's error for a request without a response. Source: net/url Error. */
const failedPost = (url: string, why: string): string => `Post ${JSON.stringify(url)}: ${why}`;

interface Post {
  readonly client: HttpClient;
  readonly url: string;
  /** The URL in messages. */
  readonly shown: string;
  readonly body: string;
  readonly signal: AbortSignal;
}

async function posted(post: Post): Promise<Uint8Array> {
  const { shown, signal } = post;
  let response: HttpResponse;
  try {
    response = await followed(post);
  } catch (error) {
    if (error instanceof WebhookError) throw error;
    throw new WebhookError(failedPost(shown, whyOf(error, post)), { cause: error });
  }
  let body: Uint8Array;
  try {
    body = await limited(response.body);
  } catch (error) {
    if (error instanceof WebhookError) throw error;
    const why = signal.aborted
      ? `${deadlineExceeded} (Client.Timeout or context cancellation while reading body)`
      : whyOf(error, post);
    const what = "unexpected error when reading response body. Please retry. Original error";
    throw new WebhookError(`${what}: ${signal.aborted ? deadlineExceeded : why}`, { cause: error });
  }
  const { status } = response;
  if (status < 200 || status > 206)
    throw new WebhookError(statusProblem({ status, body, type: response.header("content-type") ?? "" }));
  if (body.length === 0) {
    const type = response.header("content-type") ?? "application/json";
    throw new WebhookError(`0-length response with status code: ${status} and content type: ${type}`);
  }
  return body;
}

/** Follows redirects like Go's client: 307 and 308 resend the body, other redirects send a GET. */
async function followed({ client, url, shown, body, signal }: Post): Promise<HttpResponse> {
  let [method, target] = ["POST", url];
  for (let redirects = 0; ; redirects++) {
    const response = await client.send({
      method,
      url: target,
      headers: {
        accept: "application/json, */*",
        ...(method === "POST" ? { "content-type": "application/json" } : {}),
      },
      ...(method === "POST" ? { body: new TextEncoder().encode(body) } : {}),
      signal,
      stream: true,
    });
    const location = response.header("location");
    if (location === undefined || ![301, 302, 303, 307, 308].includes(response.status)) return response;
    response.body.cancel();
    if (redirects >= mostRedirects) throw new WebhookError(failedPost(shown, "stopped after 10 redirects"));
    target = new URL(location, target).href;
    if (response.status < 304) method = "GET";
  }
}

/** The whole body. @throws WebhookError if it exceeds the limit. */
function limited(body: HttpBody): Promise<Uint8Array> {
  return readAll(body, (length) => {
    if (length <= mostBytes) return;
    body.cancel();
    throw new WebhookError(`the response has more than ${mostBytes} bytes, the most that this sandbox reads`);
  });
}

function whyOf(error: unknown, { url, signal }: Post): string {
  if (signal.aborted) return deadlineExceeded;
  return error instanceof HttpError ? connectionProblem(error, url) : String(error);
}
