/** The lines of a byte stream: a JSON watch has one event per line. */

const newline = 10;

/** Assembles lines from chunks that may end anywhere, even inside a character. */
export class LineSplitter {
  #begun: Uint8Array[] = [];
  #decoder: TextDecoder = new TextDecoder();

  /** The lines that end in this chunk, except empty ones. What follows the last newline is kept for the next chunk. */
  push(chunk: Uint8Array): string[] {
    const lines: string[] = [];
    let start = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      const line = this.#line(chunk.subarray(start, end));
      start = end + 1;
      if (line.trim() !== "") lines.push(line);
    }
    if (start < chunk.length) this.#begun.push(start === 0 ? chunk : chunk.slice(start));
    return lines;
  }

  /** Whether a line has begun but not ended. */
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
