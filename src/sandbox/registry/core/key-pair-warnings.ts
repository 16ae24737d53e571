/**
 * Warnings about the certificate and the key in a Secret. Source: kubernetes v1.36 pkg/registry/core/secret/strategy.go warningsForSecret; Go
 * crypto/tls X509KeyPair; differs: every certificate that cannot be read is called malformed, whatever Go finds first.
 */
import { pemBlocks, type PemBlock } from "../../../api/pem.ts";
import { keyMatchOf, type KeyMatch } from "../../../platform/key-pair.ts";
import { isFields, textOf, type ApiObject } from "../../meta/object.ts";

const blocksIn = (base64: unknown): PemBlock[] => pemBlocks(Buffer.from(textOf(base64), "base64").toString("latin1"));

const isKey = ({ type }: PemBlock): boolean => type === "PRIVATE KEY" || type.endsWith(" PRIVATE KEY");

const typesOf = (blocks: readonly PemBlock[]): string => `[${blocks.map(({ type }) => type).join(" ")}]`;

/** Why there is no certificate among the blocks. */
function noCertificate(blocks: readonly PemBlock[]): string {
  if (blocks.length === 0) return "failed to find any PEM data in certificate input";
  if (blocks.length === 1 && blocks[0]?.type.endsWith("PRIVATE KEY") === true)
    return "failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched";
  return `failed to find "CERTIFICATE" PEM block in certificate input after skipping PEM blocks of the following types: ${typesOf(blocks)}`;
}

/** Why there is no private key among the blocks. */
function noKey(blocks: readonly PemBlock[]): string {
  if (blocks.length === 0) return "failed to find any PEM data in key input";
  if (blocks.length === 1 && blocks[0]?.type === "CERTIFICATE")
    return "found a certificate rather than a key in the PEM for the private key";
  return `failed to find PEM block with type ending in "PRIVATE KEY" in key input after skipping PEM blocks of the following types: ${typesOf(blocks)}`;
}

const problems: Readonly<Record<KeyMatch, string | undefined>> = {
  match: undefined,
  "no certificate": "x509: malformed certificate",
  "no key": "tls: failed to parse private key",
  "another type": "tls: private key type does not match public key type",
  "another key": "tls: private key does not match public key",
};

/** The warning for a Secret of the type `kubernetes.io/tls`, unless the key is that of the first certificate. */
export function keyPairWarnings({ type, data }: ApiObject): string[] {
  if (type !== "kubernetes.io/tls" || !isFields(data)) return [];
  const [certificates, keys] = [blocksIn(data["tls.crt"]), blocksIn(data["tls.key"])];
  const certificate = certificates.find((block) => block.type === "CERTIFICATE");
  if (certificate === undefined) return [`tls: ${noCertificate(certificates)}`];
  const key = keys.find(isKey);
  if (key === undefined) return [`tls: ${noKey(keys)}`];
  const problem = problems[keyMatchOf(certificate.bytes, key.bytes)];
  return problem === undefined ? [] : [problem];
}
