/**
 * A protobuf message of a Kubernetes type as the JSON that its sender would have written. Names and shapes come from the schema used for
 * JSON bodies, the numbers from `numbers.json`. Unknown numbers are skipped, as protobuf requires.
 */
import { base64OfBytes } from "../base64.ts";
import { formatTime } from "../time.ts";
import { type Field, type Scalar, type Schema, type Shape, type Struct, zeroOf } from "./schema.ts";
import { bytesIn, lastFields, numberIn, textIn, wireFields, WireProblem, type WireField } from "./wire-fields.ts";

type Fields = Record<string, unknown>;

/** The fields of each type: `1metadata,2spec`; `2=core.v1.VolumeSource` for those of a struct that JSON inlines. */
export type FieldNumbers = Readonly<Record<string, string>>;

type Numbered = { readonly is: "field"; readonly name: string } | { readonly is: "inlined"; readonly type: string };

/** The protobuf messages of kinds, by name. */
export interface MessageTypes {
  readonly schema: Schema;
  /** The field at each number of a type. @throws WireProblem for a type without a protobuf form. */
  numbered(type: string): ReadonlyMap<number, Numbered>;
}

/** Derives the messages from the extracted types and field numbers. */
export function messageTypes(schema: Schema, numbers: FieldNumbers): MessageTypes {
  const ready = new Map<string, ReadonlyMap<number, Numbered>>();
  return {
    schema,
    numbered(type) {
      const there = ready.get(type);
      if (there !== undefined) return there;
      const made = new Map((numbers[type] ?? "").split(",").filter(Boolean).map(numberedField));
      ready.set(type, made);
      return made;
    },
  };
}

function numberedField(text: string): readonly [number, Numbered] {
  const number = Number.parseInt(text, 10);
  const name = text.slice(String(number).length);
  return [number, name.startsWith("=") ? { is: "inlined", type: name.slice(1) } : { is: "field", name }];
}

/** @throws WireProblem for bytes that are not a message of the type. */
export function decodeMessage(bytes: Uint8Array, struct: Struct, types: MessageTypes): Fields {
  const result: Fields = {};
  readInto(result, bytes, struct, struct.name, types);
  dropUnset(result, struct);
  return result;
}

/** Reads the message of a type into the JSON of `struct`: the type itself, or one that inlines it. */
function readInto(result: Fields, bytes: Uint8Array, struct: Struct, type: string, types: MessageTypes): void {
  const numbered = types.numbered(type);
  for (const wire of wireFields(bytes)) {
    const found = numbered.get(wire.number);
    if (found === undefined) continue;
    if (found.is === "inlined") {
      readInto(result, bytesIn(wire), struct, found.type, types);
      continue;
    }
    const field = struct.fields.get(found.name);
    if (field !== undefined) readField(result, found.name, wire, field.shape, types);
  }
}

function readField(result: Fields, name: string, wire: WireField, shape: Shape, types: MessageTypes): void {
  switch (shape.is) {
    case "list": {
      const list = (result[name] ??= []) as unknown[];
      list.push(...itemsOf(wire, shape.of, types));
      return;
    }
    case "map": {
      const map = (result[name] ??= {}) as Fields;
      const entry = lastFields(bytesIn(wire));
      const [key, value] = [entry.get(1), entry.get(2)];
      // Defined, not assigned: a key may be __proto__.
      Object.defineProperty(map, key === undefined ? "" : textIn(key), {
        value: value === undefined ? missingValue(shape.of) : valueOf(value, shape.of, types),
        enumerable: true,
        configurable: true,
        writable: true,
      });
      return;
    }
    case "struct":
    case "scalar":
    case "open": {
      const value = valueOf(wire, shape, types);
      if (value !== undefined) result[name] = value;
    }
  }
}

/** One item, or several numbers in one piece. */
function itemsOf(wire: WireField, of: Shape, types: MessageTypes): readonly unknown[] {
  const isNumber = of.is === "scalar" && (of.scalar === "int32" || of.scalar === "int64");
  if (!isNumber || typeof wire.value === "number") return [valueOf(wire, of, types)];
  const numbers: number[] = [];
  // Packed: varints without tags, read as if each were field 1.
  const tagged = new Uint8Array(wire.value.length * 2);
  let at = 0;
  let starts = true;
  for (const byte of wire.value) {
    if (starts) tagged[at++] = 8;
    tagged[at++] = byte;
    starts = byte < 128;
  }
  for (const field of wireFields(tagged.subarray(0, at))) numbers.push(numberIn(field));
  return numbers;
}

function valueOf(wire: WireField, shape: Shape, types: MessageTypes): unknown {
  switch (shape.is) {
    case "struct":
      return decodeMessage(bytesIn(wire), types.schema.struct(shape.name), types);
    case "list":
      // A list inside a map is encoded as a separate message.
      return [...wireFields(bytesIn(wire))].flatMap((item) => itemsOf(item, shape.of, types));
    case "map":
      throw new WireProblem("proto: a map inside a map");
    case "open": {
      // RawExtension and FieldsV1: JSON in field 1.
      const raw = lastFields(bytesIn(wire)).get(1);
      return raw === undefined ? undefined : parsed(textIn(raw));
    }
    case "scalar":
      return scalarOf(wire, shape.scalar);
  }
}

function parsed(text: string): unknown {
  try {
    return text === "" ? undefined : (JSON.parse(text) as unknown);
  } catch (cause) {
    throw new WireProblem("invalid character in embedded JSON", { cause });
  }
}

function scalarOf(wire: WireField, scalar: Scalar): unknown {
  switch (scalar) {
    case "string":
      return textIn(wire);
    case "int32":
    case "int64":
    case "number":
      return numberIn(wire);
    case "boolean":
      return numberIn(wire) !== 0;
    case "bytes":
      return base64OfBytes(bytesIn(wire));
    case "quantity": {
      const text = lastFields(bytesIn(wire)).get(1);
      return text === undefined ? "0" : textIn(text) || "0";
    }
    case "int-or-string": {
      const parts = lastFields(bytesIn(wire));
      const [type, number, text] = [parts.get(1), parts.get(2), parts.get(3)];
      if (type !== undefined && numberIn(type) === 1) return text === undefined ? "" : textIn(text);
      return number === undefined ? 0 : numberIn(number);
    }
    case "time":
    case "micro-time":
      return timeOf(bytesIn(wire), scalar);
  }
}

/** Seconds and nanoseconds; an empty message is no time. */
function timeOf(bytes: Uint8Array, scalar: "time" | "micro-time"): string | undefined {
  if (bytes.length === 0) return undefined;
  const parts = lastFields(bytes);
  const [seconds, nanos] = [parts.get(1), parts.get(2)];
  const ms = (seconds === undefined ? 0 : numberIn(seconds)) * 1000;
  if (Math.abs(ms) > 8.64e15) throw new WireProblem("proto: a time out of range");
  const text = formatTime(ms);
  if (scalar === "time") return text;
  const micros = nanos === undefined ? 0 : Math.floor(numberIn(nanos) / 1000);
  return `${text.slice(0, -1)}.${String(micros).padStart(6, "0")}Z`;
}

/** The value of a map entry without one. */
function missingValue(shape: Shape): unknown {
  if (shape.is === "list") return [];
  return shape.is === "scalar" ? zeroOf(shape.scalar) : {};
}

/** Drops unset fields: protobuf contains all plain fields of a Go struct, JSON omits them. */
function dropUnset(result: Fields, { fields }: Struct): void {
  for (const [name, value] of Object.entries(result)) {
    if (isUnset(value, fields.get(name))) delete result[name];
  }
}

function isUnset(value: unknown, field: Field | undefined): boolean {
  if (field?.empty !== "omitted") return false;
  if (value === "" || value === 0 || value === false) return true;
  return field.shape.is === "struct" && Object.keys(value as object).length === 0;
}
