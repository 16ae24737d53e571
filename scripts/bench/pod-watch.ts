import type { Cluster } from "../../test/support/cluster.ts";

/** Counts the pods of a namespace as they come and go; the clock of the figures about ReplicaSets. */
export interface PodWatch {
  /** Resolves when so many were created since the watch began. @throws Error after two minutes. */
  created(count: number): Promise<void>;
  deleted(count: number): Promise<void>;
  /** When the event that was waited for came, in ms since 1970. */
  at(): number;
  now(): number;
  stop(): void;
}

const longestMs = 120_000;

/**
 * Watches metadata only, and looks at little more than the type of each event, so that the measuring takes as little of the machine
 * as it can; both sides pay for it alike. A busy server ends watches that fall behind: then it goes on from the last version.
 */
export async function watchPods(cluster: Cluster, namespace: string): Promise<PodWatch> {
  const stop = new AbortController();
  const seen = { ADDED: 0, DELETED: 0 };
  const now = (): number => performance.timeOrigin + performance.now();
  let [at, look] = [0, (): void => undefined];
  let version = "0";
  const onLine = (line: string): void => {
    const type = line.slice(typeAt, line.indexOf('"', typeAt));
    version = /"resourceVersion":"(\d+)"/.exec(line)?.[1] ?? version;
    if (type !== "ADDED" && type !== "DELETED") return;
    seen[type]++;
    look();
  };
  const first = await open(cluster, namespace, version, stop.signal);
  const readOn = async (): Promise<void> => {
    for (let body = first; !stop.signal.aborted; body = await open(cluster, namespace, version, stop.signal)) {
      await read(body, onLine);
    }
  };
  void readOn().catch(() => undefined);
  const reached = (type: keyof typeof seen, count: number): Promise<void> =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`${seen[type]} of ${count} pods ${type}`)), longestMs);
      look = () => {
        if (seen[type] < count) return;
        at = now();
        clearTimeout(timer);
        look = () => undefined;
        resolve();
      };
      look();
    });
  return {
    created: (count) => reached("ADDED", count),
    deleted: (count) => reached("DELETED", count),
    at: () => at,
    now,
    stop: () => stop.abort(),
  };
}

/** `{"type":"ADDED",…` */
const typeAt = '{"type":"'.length;

async function open(
  cluster: Cluster,
  namespace: string,
  version: string,
  signal: AbortSignal,
): Promise<ReadableStream<Uint8Array>> {
  const path = `/api/v1/namespaces/${namespace}/pods?watch=1&resourceVersion=${version}`;
  const answer = await fetch(cluster.url + path, {
    tls: { ca: cluster.ca },
    headers: {
      authorization: `Bearer ${cluster.token}`,
      accept: "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
    },
    signal,
  });
  if (answer.status !== 200 || answer.body === null) throw new Error(`Cannot watch pods: ${await answer.text()}`);
  return answer.body;
}

async function read(body: ReadableStream<Uint8Array>, onLine: (line: string) => void): Promise<void> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of body) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) onLine(line);
  }
}
