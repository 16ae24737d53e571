import { type ApiServer, openWatch } from "./api-server.ts";
import { linesOf } from "./lines.ts";

/** Observes Deployments becoming available; the clock of the Deployment figures. */
export interface DeploymentWatch {
  /** Resolves when `count` Deployments have all their replicas available. @throws Error after five minutes. */
  available(count: number): Promise<void>;
  stop(): void;
}

const longestMs = 300_000;

interface WatchLine {
  readonly object: {
    readonly metadata: { readonly name: string; readonly resourceVersion: string };
    readonly status?: { readonly availableReplicas?: number };
  };
}

/** Watches the Deployments of a namespace; continues from the last version when the server ends the watch. */
export async function watchDeployments(
  apiServer: ApiServer,
  namespace: string,
  replicas: number,
): Promise<DeploymentWatch> {
  const stop = new AbortController();
  const done = new Set<string>();
  let version = "0";
  let look = (): void => undefined;
  const onLine = (line: string): void => {
    const { object } = JSON.parse(line) as WatchLine;
    version = object.metadata.resourceVersion;
    if ((object.status?.availableReplicas ?? 0) >= replicas) done.add(object.metadata.name);
    look();
  };
  const path = `/apis/apps/v1/namespaces/${namespace}/deployments`;
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
    available: (count) =>
      new Promise((resolve, reject) => {
        const late = (): void => reject(new Error(`${done.size} of ${count} Deployments became available`));
        const timer = setTimeout(late, longestMs);
        look = () => {
          if (done.size < count) return;
          clearTimeout(timer);
          look = () => undefined;
          resolve();
        };
        look();
      }),
    stop: () => stop.abort(),
  };
}
