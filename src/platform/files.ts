/** Small text files and paths. */
import { appendFile, open, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { Buffer } from "node:buffer";
import process from "node:process";

/**
 * The text of a file, UTF-8 or, where its first two bytes say so, UTF-16; undefined if there is none.
 * @throws Error with the system's `code` (`EACCES`, `EISDIR`, …) when it is there and cannot be read.
 */
export async function readTextFile(path: string): Promise<string | undefined> {
  try {
    return decodedText(await readFile(path));
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw error;
  }
}

/** Bytes as text: UTF-8 or, where the first two say so, UTF-16. */
export function decodedText(bytes: Uint8Array): string {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return new TextDecoder("utf-16le").decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder("utf-16be").decode(bytes);
  return new TextDecoder().decode(bytes);
}

/** The folder that a file stands in, as an absolute path. */
export function folderOf(path: string): string {
  return dirname(resolve(path));
}

/** An absolute path as it is, a relative one seen from `folder`. */
export function pathFrom(folder: string, path: string): string {
  return isAbsolute(path) ? path : resolve(folder, path);
}

/**
 * The files of a folder, not of those in it, by name; undefined if the path is no folder.
 * @throws Error with the system's `code` when it cannot be read.
 */
export async function filesOf(path: string): Promise<readonly string[] | undefined> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isDirectory() !== true) return undefined;
  const entries = await readdir(path, { withFileTypes: true });
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(path, entry.name))
    .sort();
}

/**
 * The folders in a folder, by name, without hidden ones and links.
 * @throws Error with the system's `code` when it cannot be read.
 */
export async function foldersOf(path: string): Promise<readonly string[]> {
  const entries = await readdir(path, { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith("."))
    .map((entry) => join(path, entry.name))
    .sort();
}

/** All of standard input. */
export async function readStandardInput(): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of process.stdin) pieces.push(piece as Uint8Array);
  return Buffer.concat(pieces).toString("utf8");
}

/**
 * Writes a file that only its owner may read (mode 0600), whole or not at all. No link at `path` or beside it is followed.
 * @throws Error with the system's `code`.
 */
export async function writePrivateFile(path: string, text: string): Promise<void> {
  const beside = `${path}.${process.pid}.new`;
  // What an earlier process of this number left. A link that is there all the same is not followed: "x" wants a new file.
  await rm(beside, { force: true });
  const file = await open(beside, "wx", 0o600);
  try {
    await file.writeFile(text);
  } finally {
    await file.close();
  }
  await rename(beside, path);
}

/** Adds to a file, which is made if it is not there. @throws Error with the system's `code`. */
export async function appendTextFile(path: string, text: string): Promise<void> {
  await appendFile(path, text);
}

/** A path in the system's folder for temporary files. */
export function temporaryPath(name: string): string {
  return join(tmpdir(), name);
}

/** Takes a file away; harmless if there is none. */
export async function removeFile(path: string): Promise<void> {
  await rm(path, { force: true });
}
