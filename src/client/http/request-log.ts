import { messageOf } from "../../api/error-message.ts";
import type { Timeline } from "../../platform/timeline.ts";
import type { Transport } from "../../api/transport.ts";

/** Where log lines go. */
export interface LogOptions {
  readonly timeline: Timeline;
  /** The address that paths are relative to. */
  readonly server: string;
  readonly log: (line: string) => void;
}

/**
 * Logs each request when its response starts or fails: `GET https://127.0.0.1:6443/version 200 in 12 ms`. Headers and
 * bodies, and so credentials, are not logged. Source: what `kubectl -v=6` prints, client-go v0.36
 * transport/round_trippers.go.
 */
export function withRequestLog(transport: Transport, { timeline, server, log }: LogOptions): Transport {
  return {
    async send(request) {
      const startedAt = timeline.now();
      const query = (request.query ?? []).map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&");
      const url = `${server}${request.path}${query === "" ? "" : `?${query}`}`;
      const tell = (outcome: string): void => {
        log(`${request.method} ${url} ${outcome} in ${Math.round(timeline.now() - startedAt)} ms`);
      };
      try {
        const response = await transport.send(request);
        tell(String(response.status));
        return response;
      } catch (error) {
        tell(`failed (${messageOf(error)})`);
        throw error;
      }
    },
  };
}
