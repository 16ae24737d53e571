/** DER (X.690), as far as certificates and certificate requests need it: writing and reading values. */

/** Encoded bytes. */
export type Bytes = Uint8Array;

function joined(parts: readonly Bytes[]): Bytes {
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}

/** One value: its tag, its length, its contents. */
export function value(tag: number, ...contents: readonly Bytes[]): Bytes {
  const body = joined(contents);
  const { length } = body;
  return joined([Uint8Array.from([tag, ...sizeOf(length)]), body]);
}

function sizeOf(length: number): readonly number[] {
  if (length < 0x80) return [length];
  const digits: number[] = [];
  for (let left = length; left > 0; left >>= 8) digits.unshift(left & 0xff);
  return [0x80 | digits.length, ...digits];
}

/** A sequence of values. */
export const sequence = (...contents: readonly Bytes[]): Bytes => value(0x30, ...contents);
/** Bytes of any kind. */
export const octets = (content: Bytes): Bytes => value(0x04, content);
/** No value: an absent parameter. */
export const nothing: Bytes = value(0x05);
/** A set; its values are sorted by their bytes. */
export const setOf = (...contents: readonly Bytes[]): Bytes =>
  value(0x31, ...contents.toSorted((one, other) => Buffer.compare(one, other)));
/** A string with the given tag. */
export const text = (tag: number, content: string): Bytes => value(tag, new TextEncoder().encode(content));
/** True. */
export const boolean: Bytes = value(0x01, Uint8Array.of(0xff));

/** `1.2.840.10045.4.3.2` → its bytes. */
export function oid(dotted: string): Bytes {
  const [first = 0, second = 0, ...rest] = dotted.split(".").map(Number);
  const bytes = [first * 40 + second];
  for (const part of rest) {
    const groups = [part & 0x7f];
    for (let left = part >> 7; left > 0; left >>= 7) groups.unshift((left & 0x7f) | 0x80);
    bytes.push(...groups);
  }
  return value(0x06, Uint8Array.from(bytes));
}

/** One value as read. */
export interface Value {
  readonly tag: number;
  readonly content: Uint8Array;
  /** Includes its tag and its length. */
  readonly whole: Uint8Array;
}

const truncated = "asn1: syntax error: data truncated";

/** The value that begins at `at`. @throws SyntaxError */
export function valueAt(bytes: Uint8Array, at: number): Value {
  const [tag = 0, first] = bytes.subarray(at);
  if (first === undefined) throw new SyntaxError(truncated);
  const more = first < 0x80 ? 0 : first & 0x7f;
  if (more > 4 || first === 0x80) throw new SyntaxError("asn1: structure error: length too large");
  const digits = bytes.subarray(at + 2, at + 2 + more);
  const length = more === 0 ? first : digits.reduce((sum, digit) => sum * 256 + digit, 0);
  const start = at + 2 + more;
  if (digits.length < more || start + length > bytes.length) throw new SyntaxError(truncated);
  return { tag, content: bytes.subarray(start, start + length), whole: bytes.subarray(at, start + length) };
}

/** The consecutive values in some bytes. @throws SyntaxError */
export function valuesIn(bytes: Uint8Array): Value[] {
  const found: Value[] = [];
  for (let at = 0; at < bytes.length;) {
    const value = valueAt(bytes, at);
    found.push(value);
    at += value.whole.length;
  }
  return found;
}

/** The tag of a set. */
export const setTag: number = 0x31;
/** The tag of a bit string, whose first byte counts the unused bits at its end. */
export const bitStringTag: number = 0x03;
const sequenceTag = 0x30;

/** The values of a sequence. @throws SyntaxError */
export function sequenceOf(value: Value | undefined, tag: number = sequenceTag): Value[] {
  if (value === undefined) throw new SyntaxError("asn1: syntax error: sequence truncated");
  if (value.tag !== tag) throw new SyntaxError("asn1: structure error: tags don't match");
  return valuesIn(value.content);
}

/** `1.2.840.113549.1.1.11` from the bytes of an object identifier. */
export function dotted({ content }: Value): string {
  const parts: number[] = [];
  let part = 0;
  for (const byte of content) {
    part = part * 128 + (byte & 0x7f);
    if (byte >= 0x80) continue;
    if (parts.length === 0)
      parts.push(Math.min(2, Math.floor(part / 40)), part - 40 * Math.min(2, Math.floor(part / 40)));
    else parts.push(part);
    part = 0;
  }
  return parts.join(".");
}
