/** Decodes bodies in JSON or protobuf. */
import { isObject } from "../../api/json.ts";
import { LineSplitter } from "../../api/lines.ts";
import { joined } from "../../api/transport.ts";
import { decodeMessage, messageTypes, type FieldNumbers, type MessageTypes } from "../../api/wire/decode.ts";
import { openEnvelope, protobufType, type Expected } from "../../api/wire/envelope.ts";
import type { ApiData } from "../../api/wire/format.ts";
import { schemaOf } from "../../api/wire/schema.ts";
import { bytesIn, lastFields, textIn, wireFields } from "../../api/wire/wire-fields.ts";
import { readJsonList } from "./json-list.ts";

/** A JSON object. */
export type Json = Readonly<Record<string, unknown>>;

/** An event of a watch. */
export interface Frame {
  readonly type: string;
  readonly object: Json;
}

/** The encoding of a body; `other` (YAML, CBOR, logs) is not decoded. */
export type Encoding = "json" | "protobuf" | "other";

/** The encoding for a `Content-Type`; all types ending in `+json` are JSON. */
export function encodingOf(contentType: string | undefined): Encoding {
  const type = (contentType ?? "").split(";")[0]?.trim() ?? "";
  if (type === protobufType) return "protobuf";
  return type === "application/json" || type.endsWith("+json") ? "json" : "other";
}

const unnamed = { kind: "", apiVersion: "" };

/** Decodes bodies. All methods throw if the bytes do not have the stated encoding. */
export class BodyReader {
  readonly #types: MessageTypes;
  readonly #decoder: TextDecoder = new TextDecoder();

  constructor(data: ApiData, numbers: FieldNumbers) {
    this.#types = messageTypes(schemaOf(data), numbers);
  }

  /** Decodes an object; undefined for an empty body, an encoding that is not decoded, or another JSON value. */
  object(bytes: Uint8Array, encoding: Encoding): Json | undefined {
    if (bytes.length === 0 || encoding === "other") return undefined;
    if (encoding === "protobuf") return this.#enveloped(bytes);
    const value: unknown = JSON.parse(this.#decoder.decode(bytes));
    return isObject(value) ? value : undefined;
  }

  /** Parses any JSON value: a JSON patch is an array. */
  json(bytes: Uint8Array): unknown {
    return JSON.parse(this.#decoder.decode(bytes));
  }

  /** Yields the items of a list, and returns the list without them. */
  *list(bytes: Uint8Array, encoding: Encoding): Generator<Json, Json> {
    if (encoding === "other") return {};
    if (encoding === "json") {
      const items = readJsonList(this.#decoder.decode(bytes));
      let next = items.next();
      for (; next.done !== true; next = items.next()) if (isObject(next.value)) yield next.value;
      return next.value;
    }
    const { apiVersion, kind, raw } = openEnvelope(bytes, unnamed);
    const item = kind.replace(/List$/, "");
    let metadata: Json = {};
    for (const field of wireFields(raw)) {
      if (field.number === 1) metadata = this.#message(bytesIn(field), "meta.v1.ListMeta");
      else if (field.number === 2) yield this.#decoded({ apiVersion, kind: item }, bytesIn(field));
    }
    return { apiVersion, kind, metadata };
  }

  /** Returns a function that assembles watch events from the chunks of a response. */
  frames(encoding: Encoding): (piece: Uint8Array) => Iterable<Frame> {
    if (encoding === "other") return () => [];
    if (encoding === "protobuf") return this.#protobufFrames();
    const lines = new LineSplitter();
    // Trusts the API server; anything else has no known event type and is ignored.
    return (piece) => lines.push(piece).map((line) => JSON.parse(line) as Frame);
  }

  /** Each frame is a four-byte length and a message: field 1 is the type, field 2 a `RawExtension` with an enveloped object. Source: apimachinery v0.36 pkg/util/framer. */
  #protobufFrames(): (piece: Uint8Array) => Iterable<Frame> {
    let rest: Uint8Array = new Uint8Array(0);
    return (piece) => {
      const bytes = rest.length === 0 ? piece : joined([rest, piece]);
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      const frames: Frame[] = [];
      let at = 0;
      while (at + 4 <= bytes.length) {
        const end = at + 4 + view.getUint32(at);
        if (end > bytes.length) break;
        frames.push(this.#frame(bytes.subarray(at + 4, end)));
        at = end;
      }
      rest = bytes.slice(at);
      return frames;
    };
  }

  #frame(bytes: Uint8Array): Frame {
    const fields = lastFields(bytes);
    const [type, object] = [fields.get(1), fields.get(2)];
    const raw = object === undefined ? undefined : lastFields(bytesIn(object)).get(1);
    return {
      type: type === undefined ? "" : textIn(type),
      object: raw === undefined ? {} : this.#enveloped(bytesIn(raw)),
    };
  }

  #enveloped(bytes: Uint8Array): Json {
    const { apiVersion, kind, raw } = openEnvelope(bytes, unnamed);
    return { apiVersion, kind, ...this.#decoded({ apiVersion, kind }, raw) };
  }

  /** Decodes an object; empty for an unknown kind. */
  #decoded({ apiVersion, kind }: Expected, raw: Uint8Array): Json {
    const { schema } = this.#types;
    if (kind === "PartialObjectMetadata") {
      const metadata = lastFields(raw).get(1);
      return metadata === undefined ? {} : { metadata: this.#message(bytesIn(metadata), "meta.v1.ObjectMeta") };
    }
    const struct = kind === "Status" ? schema.struct("meta.v1.Status") : schema.kind(apiVersion, kind);
    return struct === undefined ? {} : decodeMessage(raw, struct, this.#types);
  }

  #message(raw: Uint8Array, type: string): Json {
    return decodeMessage(raw, this.#types.schema.struct(type), this.#types);
  }
}
