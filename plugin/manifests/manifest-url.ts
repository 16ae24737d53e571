/** Manifests at a URL: fetched as in `kubectl apply -f URL`, within limits of time and size. */
import { readAll } from "../../src/api/transport.ts";
import { httpErrorOf } from "../../src/platform/http-error.ts";
import type { HttpResponse } from "../../src/platform/http.ts";
import { openHttp } from "../../src/platform/open-http.ts";
import { sleep } from "../../src/platform/timeline.ts";
import { proxyFromEnvironment } from "../../src/client/config/proxy.ts";
import { unescaped } from "../../src/platform/unescaped.ts";
import { decodedText } from "../../src/platform/files.ts";
import type { Io } from "../cli/io.ts";
import { isUrl } from "./manifest-text.ts";
import { UserError } from "../cli/user-error.ts";
import { version } from "../cli/version.ts";

/** What a fetch needs of `Io`. */
export type WebIo = Pick<Io, "timeline" | "environment" | "err">;

/** For the whole fetch, including redirects and retries. */
const timeLimitMs = 60_000;
/** After this time without a result, a message is printed. */
const patienceMs = 2000;
/** The largest CRD bundles in use are about 5 MiB. */
const mostBytes = 32 * 1024 * 1024;
/** As in Go's client, which kubectl uses. */
const mostRedirects = 10;
const mostTries = 3;
const betweenTriesMs = 1000;

/** The URL as it may be printed: without user, password and query, which may contain tokens. */
export function shownUrl(url: string): string {
  if (!URL.canParse(url)) return url.replace(/\/\/[^/]*@/, "//").replace(/[?#].*$/s, "");
  const { origin, pathname, search } = new URL(url);
  return `${origin}${pathname}${search === "" ? "" : "?…"}`;
}

/**
 * The text at a URL. Like kubectl, it follows ten redirects, tries three times if the server fails (5xx) or breaks the connection, and uses
 * the proxy of the environment (HTTPS_PROXY, HTTP_PROXY, NO_PROXY).
 * @throws UserError in one line: what could not be read, and why; KubeconfigError for a proxy that cannot be used.
 * Source: cli-runtime v0.36 pkg/resource/visitor.go readHttpWithRetries; differs: kubectl has no limit of time or size.
 */
export async function fetchText(url: string, io: WebIo): Promise<string> {
  if (!URL.canParse(url)) throw new UserError(`cannot read ${shownUrl(url)}: it is not a URL`);
  const { timeline, err } = io;
  const ended = new AbortController();
  const cancels = [
    timeline.after(timeLimitMs, "manifest fetch", () =>
      ended.abort(new FetchFailure(`it took longer than ${timeLimitMs / 1000} s`)),
    ),
    timeline.after(patienceMs, "manifest fetch", () => err.line(`fetching ${shownUrl(url)} …`)),
  ];
  try {
    for (let tries = 1; ; tries++) {
      try {
        return await tryOnce(url, io, ended.signal);
      } catch (error) {
        if (!(error instanceof FetchFailure) || !error.isPassing || tries === mostTries) throw error;
        await sleep(timeline, betweenTriesMs, "manifest fetch", { signal: ended.signal });
      }
    }
  } catch (error) {
    if (!(error instanceof FetchFailure)) throw error;
    throw new UserError(`cannot read ${shownUrl(url)}: ${error.message}`, error.next, { cause: error });
  } finally {
    for (const cancel of cancels) cancel();
    ended.abort();
  }
}

interface FailureOptions extends ErrorOptions {
  /** A retry may succeed. */
  readonly isPassing?: boolean;
  readonly next?: readonly string[];
}

/** Why nothing was read. */
class FetchFailure extends Error {
  readonly isPassing: boolean;
  readonly next: readonly string[];

  constructor(message: string, { isPassing = false, next = [], ...options }: FailureOptions = {}) {
    super(message, options);
    this.isPassing = isPassing;
    this.next = next;
  }
}

/** One attempt: the URL, and everything it redirects to. */
async function tryOnce(url: string, io: WebIo, signal: AbortSignal): Promise<string> {
  let at = new URL(url);
  for (let redirects = 0; redirects <= mostRedirects; redirects++) {
    const found = await fetchOnce(at, io, signal);
    if (found.is === "text") return found.text;
    at = found.at;
  }
  throw new FetchFailure(`it redirects more than ${mostRedirects} times`);
}

type Found = { readonly is: "text"; readonly text: string } | { readonly is: "redirect"; readonly at: URL };

async function fetchOnce(url: URL, { environment }: WebIo, signal: AbortSignal): Promise<Found> {
  const proxy = proxyFromEnvironment(url.href, environment);
  const http = openHttp({ tls: {}, ...(proxy !== undefined && { proxy }) });
  const { username, password } = url;
  const login = username === "" && password === "" ? {} : { authorization: `Basic ${btoa(loginOf(url))}` };
  const bare = new URL(url);
  bare.username = bare.password = bare.hash = "";
  const headers = {
    "user-agent": `kubectl-reconcile/${version}`,
    accept: "*/*",
    "accept-encoding": "identity",
    ...login,
  };
  try {
    const response = await http.send({ method: "GET", url: bare.href, headers, signal, stream: true });
    try {
      return await foundIn(response, url);
    } finally {
      response.body.cancel();
    }
  } catch (thrown) {
    if (signal.aborted) throw signal.reason;
    if (thrown instanceof FetchFailure) throw thrown;
    const error = httpErrorOf(thrown);
    const through = proxy === undefined ? "" : ` (through the proxy ${shownUrl(proxy)})`;
    throw new FetchFailure(`${error.message}${through}`, { isPassing: error.failure === "broken", cause: error });
  } finally {
    http.close();
  }
}

function loginOf({ username, password }: URL): string {
  const bytes = new TextEncoder().encode(`${unescaped(username)}:${unescaped(password)}`);
  return String.fromCharCode(...bytes);
}

const reasons: Readonly<Record<number, string>> = {
  401: " (login required)",
  403: " (not allowed)",
  404: " (not found)",
  410: " (gone)",
  429: " (too many requests)",
};

async function foundIn(response: HttpResponse, url: URL): Promise<Found> {
  const { status } = response;
  const location = response.header("location");
  if ([301, 302, 303, 307, 308].includes(status) && location !== undefined) {
    const at = URL.canParse(location, url.href) ? new URL(location, url) : undefined;
    if (at === undefined || !isUrl(at.href))
      throw new FetchFailure("it redirects to something that is not an http or https URL");
    return { is: "redirect", at };
  }
  if (status !== 200) {
    throw new FetchFailure(`${url.host} answered ${status}${reasons[status] ?? ""}`, { isPassing: status >= 500 });
  }
  const bytes = await readAll(response.body, (length) => {
    if (length > mostBytes) throw new FetchFailure(`it is larger than ${mostBytes / 1024 / 1024} MiB`);
  });
  const text = decodedText(bytes);
  if (/^\s*<(!doctype|html|\?xml)/i.test(text)) {
    throw new FetchFailure(`${url.host} answered with a web page, not with YAML or JSON`, {
      next: ["give the address of the raw file; the page may be a login"],
    });
  }
  return { is: "text", text };
}
