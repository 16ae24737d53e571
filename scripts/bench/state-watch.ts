import { type ApiServer, openWatch } from "./api-server.ts";
import { linesOf } from "./lines.ts";

/** Counts the objects of a resource that have reached a state: the clock of the figures about states. */
export interface StateWatch {
  /**
   * Resolves when `count` objects have been in the state since the watch started, with that time in ms since 1970.
   * @throws Error after five minutes.
   */
  reached(count: number): Promise<number>;
  stop(): void;
}

const longestMs = 300_000;

/** An object, with the fields by which states are told apart. */
export interface Watched {
  readonly metadata: { readonly uid: string; readonly resourceVersion: string; readonly generation?: number };
  readonly spec?: { readonly replicas?: number; readonly taints?: readonly object[] };
  readonly status?: {
    readonly phase?: string;
    readonly observedGeneration?: number;
    readonly replicas?: number;
    readonly updatedReplicas?: number;
    readonly availableReplicas?: number;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
}

/**
 * Watches the objects at `path`, such as `/api/v1/namespaces/bench/pods`; continues from the last version when the server ends the watch.
 * An object that has been in the state once stays counted.
 */
export async function watchStates(
  apiServer: ApiServer,
  { path, isReached }: { readonly path: string; readonly isReached: (object: Watched) => boolean },
): Promise<StateWatch> {
  const stop = new AbortController();
  const done = new Set<string>();
  let version = "0";
  let look = (): void => undefined;
  const onLine = (line: string): void => {
    const { object } = JSON.parse(line) as { readonly object: Watched };
    version = object.metadata.resourceVersion;
    if (isReached(object)) done.add(object.metadata.uid);
    look();
  };
  const open = (): Promise<ReadableStream<Uint8Array>> =>
    openWatch(apiServer, path, { from: version, accept: "application/json", signal: stop.signal });
  const first = await open();
  const readOn = async (): Promise<void> => {
    for (let body = first; !stop.signal.aborted; body = await open()) {
      for await (const line of linesOf(body)) onLine(line);
    }
  };
  void readOn().catch(() => undefined);
  return {
    reached: (count) =>
      new Promise((resolve, reject) => {
        const late = (): void => reject(new Error(`${done.size} of ${count} objects of ${path} reached their state`));
        const timer = setTimeout(late, longestMs);
        look = () => {
          if (done.size < count) return;
          clearTimeout(timer);
          look = () => undefined;
          resolve(performance.timeOrigin + performance.now());
        };
        look();
      }),
    stop: () => stop.abort(),
  };
}
