/**
 * Bodies in protobuf, as kubectl's `create` and typed Go clients send them, read as the JSON that they stand for.
 * Source: apimachinery v0.36 runtime/serializer/protobuf/protobuf.go.
 */
import type { Fields } from "../meta/object.ts";
import { badRequest, unsupportedMediaType } from "../meta/refusal.ts";
import type { Schema, Struct } from "../../api/wire/schema.ts";
import { decodeMessage, type MessageTypes } from "../../api/wire/decode.ts";
import { bytesIn, lastFields, textIn, WireProblem } from "../../api/wire/wire-fields.ts";

/** The media type of Kubernetes' protobuf. */
export const protobufType = "application/vnd.kubernetes.protobuf";

/** What every body in protobuf begins with: `k8s` and a zero. */
export const magic = [0x6b, 0x38, 0x73, 0x00] as const;

/** What the path of a request lets expect. */
export interface Expected {
  readonly kind: string;
  readonly apiVersion: string;
}

/**
 * The JSON of a protobuf body, `kind` and `apiVersion` included; of a kind that is not known, these alone.
 * @throws StatusError 400 for bytes that are no such message, 415 for a kind that has no protobuf form here.
 */
export type ProtobufReader = (body: Uint8Array, expected: Expected) => Fields;

/** Makes a reader; what it makes of the types is made when a kind is first read. */
export function protobufReader(types: MessageTypes): ProtobufReader {
  const { schema } = types;
  return (body, expected) => {
    const { apiVersion, kind, raw } = envelopeOf(body, expected);
    const struct = structOf(schema, apiVersion, kind);
    if (struct === undefined) return { kind, apiVersion };
    if (types.numbered(struct.name).size === 0) throw unsupportedMediaType(["application/json", "application/yaml"]);
    try {
      return { kind, apiVersion, ...decodeMessage(raw, struct, types) };
    } catch (error) {
      if (!(error instanceof WireProblem)) throw error;
      const version = apiVersion.split("/").at(-1) ?? "";
      throw badRequest(`${kind} in version "${version}" cannot be handled as a ${expected.kind}: ${error.message}`);
    }
  };
}

/** Options of a delete carry the version of the group that they are sent to. */
function structOf(schema: Schema, apiVersion: string, kind: string): Struct | undefined {
  return kind === "DeleteOptions" ? schema.struct("meta.v1.DeleteOptions") : schema.kind(apiVersion, kind);
}

interface Envelope {
  readonly apiVersion: string;
  readonly kind: string;
  readonly raw: Uint8Array;
}

/** @throws StatusError 400 */
function envelopeOf(body: Uint8Array, expected: Expected): Envelope {
  try {
    return opened(body, expected);
  } catch (error) {
    if (!(error instanceof WireProblem)) throw error;
    throw badRequest(
      `the object provided is unrecognized (must be of type ${expected.kind}): ${error.message} (${excerpt(body)})`,
    );
  }
}

/** `runtime.Unknown`: 1 the type (1 apiVersion, 2 kind), 2 the message, 3 its encoding. */
function opened(body: Uint8Array, expected: Expected): Envelope {
  if (body.length === 0) throw new WireProblem("empty data");
  if (magic.some((byte, index) => body[index] !== byte)) {
    const prefix = `[${magic.join(" ")}]`;
    throw new WireProblem(`provided data does not appear to be a protobuf message, expected prefix ${prefix}`);
  }
  if (body.length === magic.length) throw new WireProblem("empty body");
  const parts = lastFields(body.subarray(magic.length));
  const [type, raw, encoding] = [parts.get(1), parts.get(2), parts.get(3)];
  if (encoding !== undefined && textIn(encoding) !== "") {
    throw new WireProblem(`unsupported content encoding ${JSON.stringify(textIn(encoding))}`);
  }
  const named = type === undefined ? undefined : lastFields(bytesIn(type));
  const [apiVersion, kind] = [named?.get(1), named?.get(2)];
  return {
    apiVersion: (apiVersion === undefined ? "" : textIn(apiVersion)) || expected.apiVersion,
    kind: (kind === undefined ? "" : textIn(kind)) || expected.kind,
    raw: raw === undefined ? new Uint8Array(0) : bytesIn(raw),
  };
}

const excerptBytes = 30;

function excerpt(body: Uint8Array): string {
  if (body.length === 0) return "<empty>";
  const text = Array.from(body.subarray(0, excerptBytes), (byte) => byte.toString(16).padStart(2, "0")).join("");
  return body.length > excerptBytes ? `${text} ...` : text;
}
