/** Small fake transports for the tests of this folder. */
import type { ApiRequest, ApiResponse, Transport } from "../../src/api/transport.ts";

export interface FakeResponse {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** A string is sent as is, anything else as JSON. */
  readonly body?: unknown;
}

export function fakeResponse({ status = 200, headers = {}, body = "" }: FakeResponse): ApiResponse {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const chunks = text === "" ? [] : [new TextEncoder().encode(text)];
  return {
    status,
    header: (name) => headers[name],
    body: { next: () => Promise.resolve(chunks.shift()), cancel: () => undefined },
  };
}

export interface FakeTransport extends Transport {
  readonly requests: ApiRequest[];
}

/** Responds with a function, which may throw, and records the requests. */
export function fakeTransport(respond: (request: ApiRequest, count: number) => FakeResponse): FakeTransport {
  const requests: ApiRequest[] = [];
  return {
    requests,
    send(request) {
      requests.push(request);
      try {
        return Promise.resolve(fakeResponse(respond(request, requests.length)));
      } catch (error) {
        return Promise.reject(error);
      }
    },
  };
}

export function get(path: string, extra: Partial<ApiRequest> = {}): ApiRequest {
  return { method: "GET", path, signal: new AbortController().signal, ...extra };
}

export function bodyOf(request: ApiRequest | undefined): unknown {
  return request?.body === undefined ? undefined : JSON.parse(new TextDecoder().decode(request.body));
}
