/** Writes protobuf on the wire. Source: the encoding as protobuf.dev documents it. */

const encoder = new TextEncoder();

/** A message under construction: its fields in the order in which they are written. */
export class WireWriter {
  #bytes = new Uint8Array(128);
  #length = 0;

  /** Wire type 0: a whole number; a negative one takes ten bytes. */
  varint(field: number, value: number): void {
    this.#tag(field, 0);
    this.#varint(value);
  }

  /** Wire type 1: a double. */
  double(field: number, value: number): void {
    this.#tag(field, 1);
    this.#reserve(8);
    new DataView(this.#bytes.buffer).setFloat64(this.#length, value, true);
    this.#length += 8;
  }

  /** Wire type 2: a message, or bytes. */
  bytes(field: number, value: Uint8Array): void {
    this.#tag(field, 2);
    this.#varint(value.length);
    this.#reserve(value.length);
    this.#bytes.set(value, this.#length);
    this.#length += value.length;
  }

  /** Wire type 2: UTF-8. */
  text(field: number, value: string): void {
    this.bytes(field, encoder.encode(value));
  }

  /** The message so far; it may be overwritten by what is written next. */
  get message(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  #tag(field: number, type: number): void {
    this.#varint(field * 8 + type);
  }

  #varint(value: number): void {
    this.#reserve(10);
    if (value >= 0 && value < 0x80000000) {
      let rest = value;
      for (; rest > 127; rest >>>= 7) this.#bytes[this.#length++] = (rest & 127) | 128;
      this.#bytes[this.#length++] = rest;
      return;
    }
    let rest = BigInt.asUintN(64, BigInt(Math.trunc(value)));
    for (; rest > 127n; rest >>= 7n) this.#bytes[this.#length++] = Number(rest & 127n) | 128;
    this.#bytes[this.#length++] = Number(rest);
  }

  #reserve(more: number): void {
    if (this.#length + more <= this.#bytes.length) return;
    const larger = new Uint8Array(Math.max(this.#bytes.length * 2, this.#length + more));
    larger.set(this.message);
    this.#bytes = larger;
  }
}

/** The bytes of a message. */
export function messageOf(write: (writer: WireWriter) => void): Uint8Array {
  const writer = new WireWriter();
  write(writer);
  return writer.message;
}
