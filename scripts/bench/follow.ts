import { type ApiServer, openWatch } from "./api-server.ts";
import { linesOf } from "./lines.ts";

export interface Followed {
  /** Such as `/api/v1/namespaces/bench/pods`. */
  readonly path: string;
  readonly accept: string;
  /** Reads one event, and returns the version to continue from. */
  readonly onLine: (line: string) => string | undefined;
}

/** Watches from the start until the returned function is called; continues from the last version when the server ends the watch. */
export async function follow(apiServer: ApiServer, { path, accept, onLine }: Followed): Promise<() => void> {
  const stop = new AbortController();
  let version = "0";
  const open = (): Promise<ReadableStream<Uint8Array>> =>
    openWatch(apiServer, path, { from: version, accept, signal: stop.signal });
  const first = await open();
  const readOn = async (): Promise<void> => {
    for (let body = first; !stop.signal.aborted; body = await open()) {
      for await (const line of linesOf(body)) version = onLine(line) ?? version;
    }
  };
  void readOn().catch(() => undefined);
  return () => stop.abort();
}
