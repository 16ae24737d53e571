/**
 * Responses in protobuf, for clients that accept nothing else. Source: apimachinery v0.36 runtime/serializer/protobuf/protobuf.go,
 * apis/meta/v1/generated.proto, pkg/util/framer.
 */
import type { MessageTypes } from "../../api/wire/decode.ts";
import { MessageEncoder } from "../../api/wire/encode.ts";
import type { Struct } from "../../api/wire/schema.ts";
import { messageOf } from "../../api/wire/wire-writer.ts";
import { isFields, type Fields } from "../meta/object.ts";
import type { Format, FrameType } from "./encoding.ts";
import { magic } from "../../api/wire/envelope.ts";

/** Writes the content of responses. */
export class ProtobufWriter {
  readonly #types: MessageTypes;
  readonly #encoder: MessageEncoder;

  constructor(types: MessageTypes) {
    this.#types = types;
    this.#encoder = new MessageEncoder(types);
  }

  /** True for a kind that has a protobuf form. */
  writes(struct: Struct | undefined): boolean {
    return struct !== undefined && this.#types.numbered(struct.name).size > 0;
  }

  /** An object, a list or a `Status` in its envelope, `runtime.Unknown`: 1 the type (1 apiVersion, 2 kind), 2 the message. */
  body(value: Fields): Uint8Array {
    const { apiVersion, kind } = value;
    const envelope = messageOf((writer) => {
      const type = messageOf((inner) => {
        inner.text(1, String(apiVersion));
        inner.text(2, String(kind));
      });
      writer.bytes(1, type);
      writer.bytes(2, this.#message(value));
      // Encoding and content type are empty.
      writer.text(3, "");
      writer.text(4, "");
    });
    const body = new Uint8Array(magic.length + envelope.length);
    body.set(magic);
    body.set(envelope, magic.length);
    return body;
  }

  /** A watch event: its length in four bytes, then 1 the type, 2 the object as a `RawExtension` that contains a whole body. */
  frame(type: FrameType, object: Fields): Uint8Array {
    const event = messageOf((writer) => {
      writer.text(1, type);
      writer.bytes(
        2,
        messageOf((inner) => inner.bytes(1, this.body(object))),
      );
    });
    const frame = new Uint8Array(4 + event.length);
    new DataView(frame.buffer).setUint32(0, event.length);
    frame.set(event, 4);
    return frame;
  }

  #message(value: Fields): Uint8Array {
    const { items } = value;
    const struct = this.#structOf(value);
    if (struct !== undefined) return this.#encoder.encode(value, struct);
    if (Array.isArray(items)) return this.#list(value, items.filter(isFields));
    return this.#partial(value);
  }

  #structOf({ apiVersion, kind }: Fields): Struct | undefined {
    const { schema } = this.#types;
    return kind === "Status" ? schema.struct("meta.v1.Status") : schema.kind(String(apiVersion), String(kind));
  }

  /** 1 the metadata, 2 each item. */
  #list({ apiVersion, kind, metadata }: Fields, items: readonly Fields[]): Uint8Array {
    const { schema } = this.#types;
    const of = String(kind).replace(/List$/, "");
    const struct = schema.kind(String(apiVersion), of);
    return messageOf((writer) => {
      writer.bytes(1, this.#encoder.encode(isFields(metadata) ? metadata : {}, schema.struct("meta.v1.ListMeta")));
      for (const item of items)
        writer.bytes(2, struct === undefined ? this.#partial(item) : this.#encoder.encode(item, struct));
    });
  }

  /** `PartialObjectMetadata`: 1 the metadata. */
  #partial({ metadata }: Fields): Uint8Array {
    const meta = this.#types.schema.struct("meta.v1.ObjectMeta");
    return messageOf((writer) => writer.bytes(1, this.#encoder.encode(isFields(metadata) ? metadata : {}, meta)));
  }
}

/** A watch format with protobuf events. */
export function protobufFormat(format: Format, writer: ProtobufWriter): Format {
  return {
    ...format,
    name: `${format.name} protobuf`,
    frame: (type, value) => writer.frame(type, value),
    ...(format.first === undefined ? {} : { first: protobufFormat(format.first, writer) }),
  };
}
