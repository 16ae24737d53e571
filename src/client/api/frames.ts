/** Cuts a stream of bytes into the lines of a watch, and reads them. */
import type { WatchFrame } from "./lister-watcher.ts";
import { parseFrameDroppingManagedFields } from "./managed-fields.ts";

const newline = 10;

/** The frames of a watch, put together from chunks that end anywhere, also inside a character. */
export class FrameSplitter<T> {
  #begun: Uint8Array[] = [];
  #decoder: TextDecoder = new TextDecoder();
  #withoutManagedFields: () => boolean;

  /** `withoutManagedFields` is asked for each chunk: whether objects may come without them. */
  constructor(options: { readonly withoutManagedFields?: () => boolean } = {}) {
    this.#withoutManagedFields = options.withoutManagedFields ?? (() => false);
  }

  /**
   * The frames that end in this chunk. What comes after the last newline is kept for the next one.
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

  /** Whether a frame has begun that has not ended. */
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
