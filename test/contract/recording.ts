/** The recorded answers of a real kube-apiserver, a file a table. */
import { join } from "node:path";
import type { Result, Table } from "./case.ts";

export type Recording = Readonly<Record<string, readonly Result[]>>;

export function recordingPath(table: string): string {
  return join(import.meta.dir, "recorded", `${table}.json`);
}

/** By the names of the cases. @throws Error where there is no recording. */
export async function readRecording(table: string): Promise<Recording> {
  return (await Bun.file(recordingPath(table)).json()) as Recording;
}

/** A case's namespace: the same for each server, so that messages that name it are the same. */
export function namespaceOf({ name }: Table, index: number): string {
  return `${name}-${index}`;
}
