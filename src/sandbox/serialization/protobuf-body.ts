/**
 * Bodies in protobuf, as kubectl's `create` and typed Go clients send them, read as the JSON that they stand for.
 * Source: apimachinery v0.36 runtime/serializer/protobuf/protobuf.go.
 */
import type { Fields } from "../meta/object.ts";
import { badRequest, unsupportedMediaType } from "../meta/refusal.ts";
import type { Schema, Struct } from "../../api/wire/schema.ts";
import { decodeMessage, type MessageTypes } from "../../api/wire/decode.ts";
import { openEnvelope, type Envelope, type Expected } from "../../api/wire/envelope.ts";
import { WireProblem } from "../../api/wire/wire-fields.ts";

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

/** @throws StatusError 400 */
function envelopeOf(body: Uint8Array, expected: Expected): Envelope {
  try {
    return openEnvelope(body, expected);
  } catch (error) {
    if (!(error instanceof WireProblem)) throw error;
    throw badRequest(
      `the object provided is unrecognized (must be of type ${expected.kind}): ${error.message} (${excerpt(body)})`,
    );
  }
}

const excerptBytes = 30;

function excerpt(body: Uint8Array): string {
  if (body.length === 0) return "<empty>";
  const text = Array.from(body.subarray(0, excerptBytes), (byte) => byte.toString(16).padStart(2, "0")).join("");
  return body.length > excerptBytes ? `${text} ...` : text;
}
