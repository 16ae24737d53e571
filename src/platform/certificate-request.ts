/** Requests for certificates (PKCS #10, RFC 2986), and what bytes of a certificate are asked for. */
import { createPublicKey, verify, X509Certificate } from "node:crypto";

/** What a request for a certificate says. */
export interface CertificateRequest {
  /** The common name of its subject; empty for none, and the last of several, as in Go. */
  readonly commonName: string;
  /** The organizations of its subject. */
  readonly organizations: readonly string[];
  /** Of which types it asks for alternative names. */
  readonly altNames: ReadonlySet<AltNameType>;
  /** Why its signature is not its key's; undefined if it is. In the words of Go's crypto/x509. */
  readonly signatureProblem: string | undefined;
}

/** A type of alternative names, as Go's crypto/x509 tells them apart; those of other types it leaves out. */
export type AltNameType = "DNS" | "Email" | "IP" | "URI";

/** One value of DER. */
interface Value {
  readonly tag: number;
  readonly content: Uint8Array;
  /** With its tag and its length. */
  readonly whole: Uint8Array;
}

const truncated = "asn1: syntax error: data truncated";

/** The value that begins at `at`. @throws SyntaxError */
function valueAt(bytes: Uint8Array, at: number): Value {
  const [tag = 0, first] = bytes.subarray(at);
  if (first === undefined) throw new SyntaxError(truncated);
  const more = first < 0x80 ? 0 : first & 0x7f;
  if (more > 4 || first === 0x80) throw new SyntaxError("asn1: structure error: length too large");
  const digits = bytes.subarray(at + 2, at + 2 + more);
  const length = more === 0 ? first : digits.reduce((sum, digit) => sum * 256 + digit, 0);
  const start = at + 2 + more;
  if (digits.length < more || start + length > bytes.length) throw new SyntaxError(truncated);
  return { tag, content: bytes.subarray(start, start + length), whole: bytes.subarray(at, start + length) };
}

/** The values that stand side by side in some bytes. @throws SyntaxError */
function valuesIn(bytes: Uint8Array): Value[] {
  const found: Value[] = [];
  for (let at = 0; at < bytes.length;) {
    const value = valueAt(bytes, at);
    found.push(value);
    at += value.whole.length;
  }
  return found;
}

const sequenceTag = 0x30;
const setTag = 0x31;
const bitStringTag = 0x03;

/** The values of a sequence. @throws SyntaxError */
function sequenceOf(value: Value | undefined, tag: number = sequenceTag): Value[] {
  if (value === undefined) throw new SyntaxError("asn1: syntax error: sequence truncated");
  if (value.tag !== tag) throw new SyntaxError("asn1: structure error: tags don't match");
  return valuesIn(value.content);
}

/** `1.2.840.113549.1.1.11` of the bytes of an object identifier. */
function dotted({ content }: Value): string {
  const parts: number[] = [];
  let part = 0;
  for (const byte of content) {
    part = part * 128 + (byte & 0x7f);
    if (byte >= 0x80) continue;
    if (parts.length === 0)
      parts.push(Math.min(2, Math.floor(part / 40)), part - 40 * Math.min(2, Math.floor(part / 40)));
    else parts.push(part);
    part = 0;
  }
  return parts.join(".");
}

interface Algorithm {
  /** Undefined for Ed25519, which has one of its own. */
  readonly hash: string | undefined;
  /** What Go says of a signature that is wrong. */
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
    // A key that the algorithm has no use for.
    return algorithm.failure;
  }
}

const commonNameId = "2.5.4.3";
const organizationId = "2.5.4.10";

/** The values of one attribute of a name. */
function attributesIn(subject: Value | undefined, id: string): string[] {
  const attributes = sequenceOf(subject).flatMap((set) => sequenceOf(set, setTag));
  return attributes.flatMap((attribute) => {
    const [type, text] = sequenceOf(attribute);
    return type !== undefined && text !== undefined && dotted(type) === id
      ? [new TextDecoder().decode(text.content)]
      : [];
  });
}

const attributesTag = 0xa0;
const extensionRequestId = "1.2.840.113549.1.9.14";
const subjectAltNameId = "2.5.29.17";
const altNameTags: Readonly<Record<number, AltNameType>> = { 0x81: "Email", 0x82: "DNS", 0x86: "URI", 0x87: "IP" };

/** Source: Go crypto/x509 parseCSRExtensions, parseSANExtension. */
function altNamesIn(info: readonly Value[]): Set<AltNameType> {
  const attributes = info.filter(({ tag }) => tag === attributesTag).flatMap(({ content }) => valuesIn(content));
  const asked = attributes.flatMap((attribute) => {
    const [type, values] = sequenceOf(attribute);
    return type !== undefined && dotted(type) === extensionRequestId ? sequenceOf(values, setTag) : [];
  });
  const extensions = asked.flatMap((list) => sequenceOf(list));
  const names = extensions.flatMap((extension) => {
    const parts = sequenceOf(extension);
    const [type] = parts;
    const content = parts.at(-1)?.content;
    return type !== undefined && content !== undefined && dotted(type) === subjectAltNameId
      ? sequenceOf(valueAt(content, 0))
      : [];
  });
  return new Set(names.flatMap(({ tag }) => altNameTags[tag] ?? []));
}

/** Reads the DER of a request. @throws SyntaxError that says what is wrong; in Go's words where bytes are missing or left over. */
export function readCertificateRequest(der: Uint8Array): CertificateRequest {
  const outer = valueAt(der, 0);
  if (outer.whole.length < der.length) throw new SyntaxError("asn1: syntax error: trailing data");
  const [info, algorithm, signature] = sequenceOf(outer);
  const [_version, subject, publicKey, ...more] = sequenceOf(info);
  const [identifier] = sequenceOf(algorithm);
  if (info === undefined || publicKey === undefined || identifier === undefined || signature?.tag !== bitStringTag)
    throw new SyntaxError("asn1: structure error: tags don't match");
  return {
    commonName: attributesIn(subject, commonNameId).at(-1) ?? "",
    organizations: attributesIn(subject, organizationId),
    altNames: altNamesIn(more),
    signatureProblem: signatureProblemOf({
      info,
      algorithm: algorithms[dotted(identifier)],
      publicKey,
      // The first byte counts the unused bits.
      signature: signature.content.subarray(1),
    }),
  };
}

/** When a certificate expires, in ms since 1970; undefined for bytes that are none. */
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
