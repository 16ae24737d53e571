/**
 * The wrapper of every body in Kubernetes' protobuf: a prefix and `runtime.Unknown`, which names the type of the message.
 * Source: apimachinery v0.36 runtime/serializer/protobuf/protobuf.go.
 */
import { bytesIn, lastFields, textIn, WireProblem } from "./wire-fields.ts";

/** The media type of Kubernetes' protobuf. */
export const protobufType = "application/vnd.kubernetes.protobuf";

/** The prefix of every body in protobuf: `k8s` and a zero byte. */
export const magic = [0x6b, 0x38, 0x73, 0x00] as const;

/** The assumed type of an envelope without one: what the request's path implies. */
export interface Expected {
  readonly kind: string;
  readonly apiVersion: string;
}

/** A message that is still encoded, and its type. */
export interface Envelope {
  readonly apiVersion: string;
  readonly kind: string;
  readonly raw: Uint8Array;
}

/**
 * Opens an envelope, `runtime.Unknown`: 1 the type (1 apiVersion, 2 kind), 2 the message, 3 its encoding.
 * @throws WireProblem for bytes that are not an envelope.
 */
export function openEnvelope(body: Uint8Array, expected: Expected): Envelope {
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
