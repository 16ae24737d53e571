/** Small text files and paths. */
import { rmSync } from "node:fs";
import { appendFile, type FileHandle, mkdir, open, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { Buffer } from "node:buffer";
import process from "node:process";

/**
 * The text of a file: UTF-8, or UTF-16 with a byte order mark; undefined if it does not exist.
 * @throws Error with the system's `code` (`EACCES`, `EISDIR`, …) if it cannot be read.
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

/** Decodes UTF-8, or UTF-16 with a byte order mark. */
export function decodedText(bytes: Uint8Array): string {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return new TextDecoder("utf-16le").decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder("utf-16be").decode(bytes);
  return new TextDecoder().decode(bytes);
}

/** The folder of a file, as an absolute path. */
export function folderOf(path: string): string {
  return dirname(resolve(path));
}

/** A path as an absolute one. */
export function absolutePath(path: string): string {
  return resolve(path);
}

/** Resolves a path relative to `folder`; an absolute path stays unchanged. */
export function pathFrom(folder: string, path: string): string {
  return isAbsolute(path) ? path : resolve(folder, path);
}

/**
 * The files directly in a folder, by name; undefined if the path is not a folder.
 * @throws Error with the system's `code` if it cannot be read.
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
 * The folders directly in a folder, by name, without hidden ones and links.
 * @throws Error with the system's `code` if it cannot be read.
 */
export async function foldersOf(path: string): Promise<readonly string[]> {
  const entries = await readdir(path, { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith("."))
    .map((entry) => join(path, entry.name))
    .sort();
}

/** Standard input, to its end. */
export async function readStandardInput(): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of process.stdin) pieces.push(piece as Uint8Array);
  return Buffer.concat(pieces).toString("utf8");
}

/**
 * Writes a file readable only by its owner (mode 0600), atomically: an existing file stays until the new one is complete. Does not follow
 * links at `path` or beside it. A long text may come in pieces.
 * @throws Error with the system's `code`.
 */
export async function writePrivateFile(path: string, text: string | Iterable<string>): Promise<void> {
  const { file, beside } = await openBeside(path);
  try {
    try {
      for (const part of typeof text === "string" ? [text] : inParts(text)) await file.writeFile(part);
    } finally {
      await file.close();
    }
    await rename(beside, path);
  } catch (error) {
    await rm(beside, { force: true });
    throw error;
  }
}

/** What `writePrivateFile` would throw. @throws Error with the system's `code`; EISDIR if `path` is a folder. */
export async function checkWritable(path: string): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isDirectory() === true) throw Object.assign(new Error("it is a folder"), { code: "EISDIR" });
  const { file, beside } = await openBeside(path);
  await file.close();
  await rm(beside, { force: true });
}

/** Opens a new file beside another, to replace it. */
async function openBeside(path: string): Promise<{ readonly file: FileHandle; readonly beside: string }> {
  const beside = `${path}.${process.pid}.new`;
  // Left by an earlier process with this id. A link created since is not followed: "x" requires a new file.
  await rm(beside, { force: true });
  return { file: await open(beside, "wx", 0o600), beside };
}

const partLength = 1_000_000;

/** Few long pieces instead of many short ones. */
function* inParts(pieces: Iterable<string>): Generator<string> {
  let part = "";
  for (const piece of pieces) {
    part += piece;
    if (part.length < partLength) continue;
    yield part;
    part = "";
  }
  yield part;
}

/** Appends to a file, creating it if necessary. @throws Error with the system's `code`. */
export async function appendTextFile(path: string, text: string): Promise<void> {
  await appendFile(path, text);
}

/** Creates a folder and its parents, unless they exist. @throws Error with the system's `code`. */
export async function makeFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true });
}

/** A path in the system's temporary folder. */
export function temporaryPath(name: string): string {
  return join(tmpdir(), name);
}

/** Removes a file, if it exists. */
export async function removeFile(path: string): Promise<void> {
  await rm(path, { force: true });
}

/** The same, synchronously: for a process that exits. */
export function removeFileNow(path: string): void {
  rmSync(path, { force: true });
}

/** When a file was last written, in ms since 1970; undefined if it does not exist. */
export async function writtenAt(path: string): Promise<number | undefined> {
  return (await stat(path).catch(() => undefined))?.mtimeMs;
}
