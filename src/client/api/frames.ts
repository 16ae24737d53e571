/** The frames of a watch: each line of its body, parsed. */
import { LineSplitter } from "../../api/lines.ts";
import type { WatchFrame } from "./lister-watcher.ts";
import { parseFrameDroppingManagedFields } from "./managed-fields.ts";

/** The frames of a watch, assembled from chunks that may end anywhere, even inside a character. */
export class FrameSplitter<T> {
  #lines: LineSplitter = new LineSplitter();
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
    const parse = this.#withoutManagedFields() ? parseFrameDroppingManagedFields : JSON.parse;
    return this.#lines.push(chunk).map((line) => parse(line) as WatchFrame<T>);
  }

  /** Whether a frame has begun but not ended. */
  get cut(): boolean {
    return this.#lines.cut;
  }
}
