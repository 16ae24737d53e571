/** The recorded responses of a real kube-apiserver, one file per table. */
import { join } from "node:path";
import type { Result, Table } from "./case.ts";

export type Recording = Readonly<Record<string, readonly Result[]>>;

export function recordingPath(table: string): string {
  return join(import.meta.dir, "recorded", `${table}.json`);
}

const read = new Map<string, Promise<Recording>>();

/** The recording keyed by case name; each file is read only once. @throws Error if there is no recording. */
export function readRecording(table: string): Promise<Recording> {
  return read.getOrInsertComputed(table, () => Bun.file(recordingPath(table)).json() as Promise<Recording>);
}

/** The namespace of a case: the same on every server, so that messages that contain it are the same. */
export function namespaceOf({ name }: Table, index: number): string {
  return `${name}-${index}`;
}
