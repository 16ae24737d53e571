import type { ApiServer } from "./api-server.ts";
import { follow } from "./follow.ts";

/** Counts the objects of a resource as they are created and deleted: the clock of the controller figures. */
export interface ObjectWatch {
  /** Resolves when `count` objects were created since the watch started. @throws Error after two minutes. */
  created(count: number): Promise<void>;
  deleted(count: number): Promise<void>;
  /** When the event that was waited for came, in ms since 1970. */
  at(): number;
  /** When the last event of any type came, in ms since 1970; 0 before the first. */
  lastAt(): number;
  now(): number;
  stop(): void;
}

const longestMs = 120_000;
const metadataOnly = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
/** `{"type":"ADDED",…` */
const typeAt = '{"type":"'.length;

/**
 * Watches metadata only, and looks at little more than the type of each event, so measuring takes as little processor time as possible;
 * both sides pay for it equally. A busy server ends watches that fall behind: then it continues from the last version. `path` is that of
 * the resource: `/api/v1/namespaces/bench/pods`.
 */
export async function watchObjects(apiServer: ApiServer, path: string): Promise<ObjectWatch> {
  const seen = { ADDED: 0, DELETED: 0 };
  const now = (): number => performance.timeOrigin + performance.now();
  let [at, lastAt, look] = [0, 0, (): void => undefined];
  const onLine = (line: string): string | undefined => {
    const type = line.slice(typeAt, line.indexOf('"', typeAt));
    lastAt = now();
    if (type === "ADDED" || type === "DELETED") {
      seen[type]++;
      look();
    }
    return /"resourceVersion":"(\d+)"/.exec(line)?.[1];
  };
  const stop = await follow(apiServer, { path, accept: metadataOnly, onLine });
  const reached = (type: keyof typeof seen, count: number): Promise<void> =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`${seen[type]} of ${count} objects ${type}`)), longestMs);
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
    lastAt: () => lastAt,
    now,
    stop,
  };
}
