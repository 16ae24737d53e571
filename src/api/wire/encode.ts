/**
 * The JSON of a Kubernetes type as a protobuf message, by the same shapes and numbers as for decoding (decode.ts). What JSON omits is
 * omitted; readers in Go see its zero value.
 */
import { goJson } from "../go-json.ts";
import { bytesOfBase64 } from "../base64.ts";
import { parseTime } from "../time.ts";
import type { MessageTypes } from "./decode.ts";
import type { Scalar, Shape, Struct } from "./schema.ts";
import { messageOf, WireWriter } from "./wire-writer.ts";

type Fields = Readonly<Record<string, unknown>>;

/** A field, or an item of one, to be written. */
interface Target {
  readonly writer: WireWriter;
  readonly number: number;
  readonly shape: Shape;
}

/** Encodes messages of the types. */
export class MessageEncoder {
  readonly #types: MessageTypes;

  constructor(types: MessageTypes) {
    this.#types = types;
  }

  /** @throws RangeError for a value that is not of the type. */
  encode(value: Fields, struct: Struct): Uint8Array {
    return this.#fieldsOf(value, { struct, type: struct.name });
  }

  /** The fields of `value` that the message of a type has: the struct's own type, or one that it inlines. */
  #fieldsOf(value: Fields, { struct, type }: { readonly struct: Struct; readonly type: string }): Uint8Array {
    const writer = new WireWriter();
    for (const [number, numbered] of this.#types.numbered(type)) {
      if (numbered.is === "inlined") {
        const inner = this.#fieldsOf(value, { struct, type: numbered.type });
        if (inner.length > 0) writer.bytes(number, inner);
        continue;
      }
      const field = struct.fields.get(numbered.name);
      const set = value[numbered.name];
      if (field === undefined || set === undefined || set === null) continue;
      this.#writeField({ writer, number, shape: field.shape }, set);
    }
    return writer.message;
  }

  /** Items of a list are fields of one number, entries of a map messages of 1 the key and 2 the value. */
  #writeField({ writer, number, shape }: Target, value: unknown): void {
    if (shape.is === "list") {
      for (const item of list(value)) this.#writeValue({ writer, number, shape: shape.of }, item);
      return;
    }
    if (shape.is !== "map") {
      this.#writeValue({ writer, number, shape }, value);
      return;
    }
    for (const [key, item] of Object.entries(fields(value))) {
      const entry = new WireWriter();
      entry.text(1, key);
      this.#writeValue({ writer: entry, number: 2, shape: shape.of }, item);
      writer.bytes(number, entry.message);
    }
  }

  #writeValue({ writer, number, shape }: Target, value: unknown): void {
    switch (shape.is) {
      case "struct":
        writer.bytes(number, this.encode(fields(value), this.#types.schema.struct(shape.name)));
        return;
      case "list": {
        // A list inside a map is a message with one field.
        const inner = new WireWriter();
        this.#writeField({ writer: inner, number: 1, shape }, value);
        writer.bytes(number, inner.message);
        return;
      }
      case "map":
        throw new RangeError("Cannot write a map inside a list or a map: protobuf has none");
      case "open":
        // RawExtension and FieldsV1: JSON in field 1, as Go writes it: some compare it by its bytes.
        writer.bytes(
          number,
          messageOf((inner) => inner.text(1, goJson(value))),
        );
        return;
      case "scalar":
        writeScalar({ writer, number, scalar: shape.scalar }, value);
    }
  }
}

interface ScalarTarget extends Omit<Target, "shape"> {
  readonly scalar: Scalar;
}

function writeScalar({ writer, number, scalar }: ScalarTarget, value: unknown): void {
  switch (scalar) {
    case "string":
      writer.text(number, String(value));
      return;
    case "int32":
    case "int64":
      writer.varint(number, Number(value));
      return;
    case "number":
      writer.double(number, Number(value));
      return;
    case "boolean":
      writer.varint(number, value === true ? 1 : 0);
      return;
    case "bytes":
      writer.bytes(number, bytesOfBase64(String(value)));
      return;
    case "quantity":
      writer.bytes(
        number,
        messageOf((inner) => inner.text(1, String(value))),
      );
      return;
    case "int-or-string":
      writer.bytes(number, messageOf(intOrString(value)));
      return;
    case "time":
    case "micro-time":
      writer.bytes(number, messageOf(time(String(value))));
  }
}

/** 1 which of the two, 2 the number, 3 the string. */
function intOrString(value: unknown): (writer: WireWriter) => void {
  return (writer) => {
    const isText = typeof value === "string";
    writer.varint(1, isText ? 1 : 0);
    if (isText) writer.text(3, value);
    else writer.varint(2, Number(value));
  };
}

/** 1 seconds since 1970, 2 nanoseconds; microseconds are only in the text. */
function time(text: string): (writer: WireWriter) => void {
  const ms = parseTime(text);
  const [, fraction = ""] = /\.(\d+)/.exec(text) ?? [];
  return (writer) => {
    writer.varint(1, Math.floor(ms / 1000));
    writer.varint(2, Number(fraction.padEnd(9, "0").slice(0, 9)));
  };
}

function list(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new RangeError(`Cannot write ${typeof value} as a list`);
}

function fields(value: unknown): Fields {
  // Checked to be an object; its keys are looked up one by one.
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Fields;
  throw new RangeError(`Cannot write ${typeof value} as a message`);
}
