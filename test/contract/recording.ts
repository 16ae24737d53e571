/** The recorded answers of a real kube-apiserver, a file a table. */
import { join } from "node:path";
import type { Result, Table } from "./case.ts";

export type Recording = Readonly<Record<string, readonly Result[]>>;

export function recordingPath(table: string): string {
  return join(import.meta.dir, "recorded", `${table}.json`);
}

const read = new Map<string, Promise<Recording>>();

/** By the names of the cases, as it was when it was first read. @throws Error where there is no recording. */
export function readRecording(table: string): Promise<Recording> {
  return read.getOrInsertComputed(table, () => Bun.file(recordingPath(table)).json() as Promise<Recording>);
}

/** A case's namespace: the same for each server, so that messages that name it are the same. */
export function namespaceOf({ name }: Table, index: number): string {
  return `${name}-${index}`;
}
