/** Splits a byte stream into the lines of a watch, and parses them. */
import type { WatchFrame } from "./lister-watcher.ts";
import { parseFrameDroppingManagedFields } from "./managed-fields.ts";

const newline = 10;

/** The frames of a watch, assembled from chunks that may end anywhere, even inside a character. */
export class FrameSplitter<T> {
  #begun: Uint8Array[] = [];
  #decoder: TextDecoder = new TextDecoder();
  #withoutManagedFields: () => boolean;

  /** `withoutManagedFields` is called for each chunk: whether managedFields may be dropped. */
  constructor(options: { readonly withoutManagedFields?: () => boolean } = {}) {
    this.#withoutManagedFields = options.withoutManagedFields ?? (() => false);
  }

  /**
   * The frames that end in this chunk. Bytes after the last newline are kept for the next chunk.
   * @throws SyntaxError for a line that is not JSON.
   */
  push(chunk: Uint8Array): WatchFrame<T>[] {
    const frames: WatchFrame<T>[] = [];
    const without = this.#withoutManagedFields();
    let start = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      const line = this.#line(chunk.subarray(start, end));
      start = end + 1;
      if (line.trim() === "") continue;
      frames.push((without ? parseFrameDroppingManagedFields(line) : JSON.parse(line)) as WatchFrame<T>);
    }
    if (start < chunk.length) this.#begun.push(start === 0 ? chunk : chunk.slice(start));
    return frames;
  }

  /** Whether a frame has begun but not ended. */
  get cut(): boolean {
    return this.#begun.length > 0;
  }

  #line(last: Uint8Array): string {
    if (this.#begun.length === 0) return this.#decoder.decode(last);
    let line = "";
    for (const piece of this.#begun) line += this.#decoder.decode(piece, { stream: true });
    this.#begun.length = 0;
    return line + this.#decoder.decode(last);
  }
}
