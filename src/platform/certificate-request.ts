/** Certificate requests (PKCS #10, RFC 2986), and queries about certificates. */
import { createPublicKey, verify, X509Certificate } from "node:crypto";
import { bitStringTag, dotted, sequenceOf, setTag, type Value, valueAt, valuesIn } from "./der.ts";

/** The content of a certificate request. */
export interface CertificateRequest {
  /** The attributes of its subject, in order. */
  readonly subject: readonly NameAttribute[];
  /** The common name of its subject; empty for none, and the last of several, as in Go. */
  readonly commonName: string;
  /** The organizations of its subject. */
  readonly organizations: readonly string[];
  /** The alternative names that it requests, in order. */
  readonly altNames: readonly AltName[];
  /** Its public key, as the DER of a SubjectPublicKeyInfo. */
  readonly publicKey: Uint8Array;
  /** Why its signature is invalid; undefined if it is valid. In the words of Go's crypto/x509. */
  readonly signatureProblem: string | undefined;
}

/** A type of alternative names in Go's crypto/x509, which leaves out other types. */
export type AltNameType = "DNS" | "Email" | "IP" | "URI";

/** One alternative name. */
export interface AltName {
  readonly type: AltNameType;
  /** An ASCII string, or the 4 or 16 bytes of an address. */
  readonly bytes: Uint8Array;
}

/** One attribute of a name: `2.5.4.10`, an organization. */
export interface NameAttribute {
  readonly id: string;
  readonly text: string;
}

interface Algorithm {
  /** Undefined for Ed25519, which has its own. */
  readonly hash: string | undefined;
  /** Go's message for a wrong signature. */
  readonly failure: string;
}

const rsa = (hash: string): Algorithm => ({ hash, failure: "crypto/rsa: verification error" });
const ecdsa = (hash: string): Algorithm => ({ hash, failure: "x509: ECDSA verification failure" });

/** By object identifier. Source: Go crypto/x509 signatureAlgorithmDetails. */
const algorithms: Readonly<Record<string, Algorithm>> = {
  "1.2.840.113549.1.1.5": rsa("sha1"),
  "1.2.840.113549.1.1.11": rsa("sha256"),
  "1.2.840.113549.1.1.12": rsa("sha384"),
  "1.2.840.113549.1.1.13": rsa("sha512"),
  "1.2.840.10045.4.1": ecdsa("sha1"),
  "1.2.840.10045.4.3.2": ecdsa("sha256"),
  "1.2.840.10045.4.3.3": ecdsa("sha384"),
  "1.2.840.10045.4.3.4": ecdsa("sha512"),
  "1.3.101.112": { hash: undefined, failure: "x509: Ed25519 verification failure" },
};

interface Signed {
  readonly info: Value;
  readonly algorithm: Algorithm | undefined;
  readonly publicKey: Value;
  readonly signature: Uint8Array;
}

function signatureProblemOf({ info, algorithm, publicKey, signature }: Signed): string | undefined {
  if (algorithm === undefined) return "x509: cannot verify signature: algorithm unimplemented";
  try {
    const key = createPublicKey({ key: Buffer.from(publicKey.whole), format: "der", type: "spki" });
    return verify(algorithm.hash, info.whole, key, signature) ? undefined : algorithm.failure;
  } catch {
    // A key that does not fit the algorithm.
    return algorithm.failure;
  }
}

const commonNameId = "2.5.4.3";
const organizationId = "2.5.4.10";

function attributesOf(subject: Value | undefined): NameAttribute[] {
  const attributes = sequenceOf(subject).flatMap((set) => sequenceOf(set, setTag));
  return attributes.flatMap((attribute) => {
    const [type, text] = sequenceOf(attribute);
    if (type === undefined || text === undefined) return [];
    return [{ id: dotted(type), text: new TextDecoder().decode(text.content) }];
  });
}

const attributesTag = 0xa0;
const extensionRequestId = "1.2.840.113549.1.9.14";
const subjectAltNameId = "2.5.29.17";
const altNameTags: Readonly<Record<number, AltNameType>> = { 0x81: "Email", 0x82: "DNS", 0x86: "URI", 0x87: "IP" };

/** Source: Go crypto/x509 parseCSRExtensions, parseSANExtension. */
function altNamesIn(info: readonly Value[]): AltName[] {
  const attributes = info.filter(({ tag }) => tag === attributesTag).flatMap(({ content }) => valuesIn(content));
  const extensionLists = attributes.flatMap((attribute) => {
    const [type, values] = sequenceOf(attribute);
    return type !== undefined && dotted(type) === extensionRequestId ? sequenceOf(values, setTag) : [];
  });
  const extensions = extensionLists.flatMap((list) => sequenceOf(list));
  const names = extensions.flatMap((extension) => {
    const parts = sequenceOf(extension);
    const [type] = parts;
    const content = parts.at(-1)?.content;
    return type !== undefined && content !== undefined && dotted(type) === subjectAltNameId
      ? sequenceOf(valueAt(content, 0))
      : [];
  });
  return names.flatMap(({ tag, content }) => {
    const type = altNameTags[tag];
    return type === undefined ? [] : [{ type, bytes: content }];
  });
}

/** Reads the DER of a request. @throws SyntaxError that says what is wrong; in Go's words if bytes are missing or left over. */
export function readCertificateRequest(der: Uint8Array): CertificateRequest {
  const outer = valueAt(der, 0);
  if (outer.whole.length < der.length) throw new SyntaxError("asn1: syntax error: trailing data");
  const [info, algorithm, signature] = sequenceOf(outer);
  const [_version, subject, publicKey, ...more] = sequenceOf(info);
  const [identifier] = sequenceOf(algorithm);
  if (info === undefined || publicKey === undefined || identifier === undefined || signature?.tag !== bitStringTag)
    throw new SyntaxError("asn1: structure error: tags don't match");
  const attributes = attributesOf(subject);
  const textsOf = (of: string): string[] => attributes.filter(({ id }) => id === of).map(({ text }) => text);
  return {
    subject: attributes,
    commonName: textsOf(commonNameId).at(-1) ?? "",
    organizations: textsOf(organizationId),
    altNames: altNamesIn(more),
    publicKey: publicKey.whole,
    signatureProblem: signatureProblemOf({
      info,
      algorithm: algorithms[dotted(identifier)],
      publicKey,
      // The first byte counts the unused bits.
      signature: signature.content.subarray(1),
    }),
  };
}

/** When a certificate expires, in ms since 1970; undefined if the bytes are not a certificate. */
export function expiryOfCertificate(der: Uint8Array): number | undefined {
  try {
    const at = Date.parse(new X509Certificate(der).validTo);
    return Number.isNaN(at) ? undefined : at;
  } catch {
    return undefined;
  }
}

/** True for the DER of an X.509 certificate. */
export function isCertificate(der: Uint8Array): boolean {
  try {
    return new X509Certificate(der).raw.length > 0;
  } catch {
    return false;
  }
}
