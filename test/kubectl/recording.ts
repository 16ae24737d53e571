/** What kubectl printed with a real kube-apiserver, one transcript per script. */
import { join } from "node:path";
import type { Script } from "./script.ts";
import { entriesOf, transcriptOf } from "./transcript.ts";

function recordingPath({ name }: Script): string {
  return join(import.meta.dir, "recorded", `${name}.txt`);
}

/** The entries, one for each command. @throws Error if there is no recording. */
export async function readRecording(script: Script): Promise<readonly string[]> {
  return entriesOf(await Bun.file(recordingPath(script)).text());
}

export async function writeRecording(script: Script, entries: readonly string[]): Promise<void> {
  await Bun.write(recordingPath(script), transcriptOf(entries));
}
