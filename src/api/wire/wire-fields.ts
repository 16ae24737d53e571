/**
 * Protobuf on the wire: numbered fields, each a number or bytes. Source: the encoding as protobuf.dev documents it; groups, which are
 * obsolete, are rejected.
 */

/** Bytes that cannot be decoded; the message says why. */
export class WireProblem extends Error {}

/** A numbered field: a number for wire types 0, 1 and 5, bytes for 2. */
export interface WireField {
  readonly number: number;
  readonly value: number | Uint8Array;
}

/** The fields of a message in order. @throws WireProblem if it is truncated or not a message. */
export function* wireFields(bytes: Uint8Array): Generator<WireField> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;
  const varint = (): number => {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = bytes[at++];
      if (byte === undefined) throw new WireProblem("unexpected EOF");
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return Number(BigInt.asIntN(64, value));
    }
    throw new WireProblem("proto: integer overflow");
  };
  const take = (length: number): number => {
    const from = at;
    if (length < 0 || from + length > bytes.length) throw new WireProblem("unexpected EOF");
    at += length;
    return from;
  };
  while (at < bytes.length) {
    const tag = varint();
    const number = Math.floor(tag / 8);
    if (number <= 0) throw new WireProblem(`proto: illegal tag ${number} (wire type ${tag & 7})`);
    switch (tag & 7) {
      case 0:
        yield { number, value: varint() };
        break;
      case 1:
        yield { number, value: view.getFloat64(take(8), true) };
        break;
      case 2: {
        const length = varint();
        const from = take(length);
        yield { number, value: bytes.subarray(from, from + length) };
        break;
      }
      case 5:
        yield { number, value: view.getFloat32(take(4), true) };
        break;
      default:
        throw new WireProblem(`proto: illegal wireType ${tag & 7}`);
    }
  }
}

/** The value of a bytes field. @throws WireProblem */
export function bytesIn({ number, value }: WireField): Uint8Array {
  if (typeof value !== "number") return value;
  throw new WireProblem(`proto: wrong wireType for field ${number}`);
}

/** The value of a number field. @throws WireProblem */
export function numberIn({ number, value }: WireField): number {
  if (typeof value === "number") return value;
  throw new WireProblem(`proto: wrong wireType for field ${number}`);
}

const decoder = new TextDecoder();

/** The value of a string field. @throws WireProblem */
export function textIn(field: WireField): string {
  return decoder.decode(bytesIn(field));
}

/** The last field of each number, for messages without repeated fields. */
export function lastFields(bytes: Uint8Array): ReadonlyMap<number, WireField> {
  return new Map([...wireFields(bytes)].map((field) => [field.number, field]));
}
