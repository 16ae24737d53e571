/**
 * Decodes protobuf bodies, which kubectl's `create` and typed Go clients send, to the equivalent JSON.
 * Source: apimachinery v0.36 runtime/serializer/protobuf/protobuf.go.
 */
import type { Fields } from "../meta/object.ts";
import { badRequest, unsupportedMediaType } from "../meta/refusal.ts";
import type { Schema, Struct } from "../../api/wire/schema.ts";
import { decodeMessage, type MessageTypes } from "../../api/wire/decode.ts";
import { openEnvelope, type Envelope, type Expected } from "../../api/wire/envelope.ts";
import { WireProblem } from "../../api/wire/wire-fields.ts";

/**
 * The JSON of a protobuf body, including `kind` and `apiVersion`; for an unknown kind, only these.
 * @throws StatusError 400 for an invalid message, 415 for a kind without a protobuf form here.
 */
export type ProtobufReader = (body: Uint8Array, expected: Expected) => Fields;

/** Creates a reader; a kind's decoder is created when it is first read. */
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

/** Delete options have the version of the group that they are sent to. */
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
