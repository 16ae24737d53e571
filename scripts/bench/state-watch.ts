import type { ApiServer } from "./api-server.ts";
import { follow } from "./follow.ts";

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

/** An object, with the fields that distinguish its states. */
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
  const done = new Set<string>();
  let look = (): void => undefined;
  const onLine = (line: string): string => {
    const { object } = JSON.parse(line) as { readonly object: Watched };
    if (isReached(object)) done.add(object.metadata.uid);
    look();
    return object.metadata.resourceVersion;
  };
  const stop = await follow(apiServer, { path, accept: "application/json", onLine });
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
    stop,
  };
}
