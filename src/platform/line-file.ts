/** A file that lines are appended to. */
import { open } from "node:fs/promises";

/** An open file. */
export interface LineFile {
  /** Appends a line; it reaches the disk some time later, in order. */
  write(line: string): void;
  /** Resolves when all lines are on disk. @throws Error with the system's `code` if one could not be written. */
  close(): Promise<void>;
}

/** Opens a file, which only its owner can read if it is new. @throws Error with the system's `code`. */
export async function openLineFile(path: string): Promise<LineFile> {
  const file = await open(path, "a", 0o600);
  const stream = file.createWriteStream();
  let failure: Error | undefined;
  stream.on("error", (error) => (failure ??= error));
  return {
    write: (line) => void stream.write(`${line}\n`),
    async close() {
      await new Promise<void>((resolve) => {
        if (failure !== undefined) resolve();
        else stream.end(() => resolve());
      });
      if (failure !== undefined) throw failure;
    },
  };
}
