/** `/metrics`, `/healthz` and `/readyz` of a run. */
import { messageOf } from "../../src/api/error-message.ts";
import { type PlainHttpServer, servePlainHttp, type TextResponse } from "../../src/platform/plain-http-server.ts";
import { UserError } from "../cli/user-error.ts";
import { type MetricsOptions, RunMetrics } from "./metrics.ts";

/** Where to listen. */
export interface BindAddress {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
}

const forms = "give HOST:PORT, or :PORT for 127.0.0.1";

/** `127.0.0.1:8080`, `[::1]:8080`, `:8080`. @throws UserError. */
export function readBindAddress(flag: string, text: string): BindAddress {
  const [, host = "", port = ""] = /^(.*):(\d{1,5})$/.exec(text) ?? [];
  if (port === "" || Number(port) > 65_535) throw new UserError(`${flag} ${text} is not an address`, [forms]);
  return { host: host === "" ? "127.0.0.1" : host.replace(/^\[(.*)\]$/, "$1"), port: Number(port) };
}

/** Serves from `open` until it is closed. */
export class MetricsEndpoint {
  readonly metrics: RunMetrics;
  #server: PlainHttpServer | undefined;
  /** Why the run is not ready; undefined if it is. */
  #missing: string | undefined = "not connected yet";

  private constructor(metrics: RunMetrics) {
    this.metrics = metrics;
  }

  /** @throws UserError if it cannot listen there. */
  static async open({ host, port }: BindAddress, options: MetricsOptions): Promise<MetricsEndpoint> {
    const endpoint = new MetricsEndpoint(await RunMetrics.open(options));
    try {
      endpoint.#server = await servePlainHttp({ host, port, respond: (path) => endpoint.#respond(path) });
    } catch (error) {
      throw new UserError(`cannot listen on ${host}:${port}: ${messageOf(error)}`, [forms], { cause: error });
    }
    return endpoint;
  }

  /** `http://127.0.0.1:8080`. */
  get url(): string {
    return this.#server?.url ?? "";
  }

  /** What the run still lacks to do its work; undefined if it is ready. A copy that waits to lead is ready. */
  set missing(what: string | undefined) {
    this.#missing = what;
  }

  close(): Promise<void> {
    return this.#server?.close() ?? Promise.resolve();
  }

  async #respond(path: string): Promise<TextResponse> {
    const plain = (status: number, text: string): TextResponse => ({ status, type: "text/plain; charset=utf-8", text });
    switch (path) {
      case "/metrics":
        return { status: 200, type: this.metrics.contentType, text: await this.metrics.text() };
      case "/healthz":
        return plain(200, "ok\n");
      case "/readyz":
        return this.#missing === undefined ? plain(200, "ok\n") : plain(503, `not ready: ${this.#missing}\n`);
      default:
        return plain(404, "not found; here are /metrics, /healthz and /readyz\n");
    }
  }
}
