/**
 * Signing certificates (X.509, RFC 5280), with the fields and the order of extensions of Go's crypto/x509.
 * Source: Go crypto/x509 CreateCertificate, buildCertExtensions; crypto/x509/pkix Name.ToRDNSequence.
 */
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
  X509Certificate,
} from "node:crypto";
import type { AltName, AltNameType, NameAttribute } from "./certificate-request.ts";
import {
  boolean,
  type Bytes,
  dotted,
  nothing,
  octets,
  oid,
  sequence,
  sequenceOf,
  setOf,
  text,
  value,
  valueAt,
} from "./der.ts";

/** The certificate and the private key of a CA, in PEM. */
export interface Authority {
  /** One certificate. */
  readonly ca: string;
  /** Its private key (ECDSA, RSA or Ed25519), without a passphrase. */
  readonly key: string;
}

/** The content of a certificate. Times are in milliseconds since 1970; a certificate stores seconds. */
export interface CertificateWish {
  /** Attributes known to Go are kept, in Go's order; others are left out. */
  readonly subject: readonly NameAttribute[];
  /** The DER of a SubjectPublicKeyInfo. */
  readonly publicKey: Uint8Array;
  readonly altNames: readonly AltName[];
  /** The bits of the extension, by number: 0 for digital signatures. */
  readonly keyUsage: readonly number[];
  /** Object identifiers. */
  readonly extendedKeyUsage: readonly string[];
  readonly notBefore: number;
  readonly notAfter: number;
}

/** A CA that issues certificates. */
export interface CertificateIssuer {
  /** When its own certificate expires, in milliseconds since 1970. */
  readonly notAfter: number;
  /** The certificate, in PEM. */
  issue(wish: CertificateWish): string;
}

const spkiOf = (key: KeyObject): Bytes =>
  (key.type === "private" ? createPublicKey(key) : key).export({ type: "spki", format: "der" });

interface Algorithm {
  readonly identifier: Bytes;
  /** Undefined for Ed25519, which has its own. */
  readonly hash: string | undefined;
}

const ecdsa = (hash: string, last: number): Algorithm => ({
  hash,
  identifier: sequence(oid(`1.2.840.10045.4.3.${last}`)),
});

/** By curve name; other curves are hashed like P-256. */
const ecdsaOf: Readonly<Record<string, Algorithm>> = { secp384r1: ecdsa("sha384", 3), secp521r1: ecdsa("sha512", 4) };

/** Source: Go crypto/x509 signingParamsForKey. @throws RangeError for a key that cannot sign certificates. */
function algorithmOf({ asymmetricKeyType: type, asymmetricKeyDetails: details }: KeyObject): Algorithm {
  if (type === "rsa") return { hash: "sha256", identifier: sequence(oid("1.2.840.113549.1.1.11"), nothing) };
  if (type === "ed25519") return { hash: undefined, identifier: sequence(oid("1.3.101.112")) };
  if (type === "ec") return ecdsaOf[details?.namedCurve ?? ""] ?? ecdsa("sha256", 2);
  throw new RangeError(`Cannot sign certificates with a key of the type ${type ?? "unknown"}`);
}

const severalOf = ["6", "8", "7", "9", "17", "10", "11"].map((last) => `2.5.4.${last}`);
const lastOf = ["3", "5"].map((last) => `2.5.4.${last}`);
const isPrintable = /^[A-Za-z0-9 '()+,\-./:=?]*$/;

const attribute = (id: string, content: string): Bytes =>
  sequence(oid(id), text(isPrintable.test(content) ? 0x13 : 0x0c, content));

/** Values of one type share one set; of common names and serial numbers, the last one counts. */
function nameOf(attributes: readonly NameAttribute[]): Bytes {
  const textsOf = (of: string): string[] => attributes.filter(({ id }) => id === of).map((each) => each.text);
  const several = severalOf.map((id) => ({ id, texts: textsOf(id) }));
  const single = lastOf.map((id) => ({
    id,
    texts: textsOf(id)
      .slice(-1)
      .filter((each) => each !== ""),
  }));
  const sets = [...several, ...single].filter(({ texts }) => texts.length > 0);
  return sequence(...sets.map(({ id, texts }) => setOf(...texts.map((each) => attribute(id, each)))));
}

/** `261121104107Z`; years from 2050 use the format with four digits. */
function timeOf(ms: number): Bytes {
  const digits = `${new Date(ms).toISOString().replaceAll(/[-:T]/g, "").slice(0, 14)}Z`;
  return new Date(ms).getUTCFullYear() < 2050 ? text(0x17, digits.slice(2)) : text(0x18, digits);
}

function extension(id: string, critical: boolean, content: Bytes): Bytes {
  return sequence(oid(id), ...(critical ? [boolean] : []), octets(content));
}

function keyUsageOf(bits: readonly number[]): Bytes {
  const last = Math.max(...bits);
  const bytes = new Uint8Array(Math.floor(last / 8) + 1);
  for (const bit of bits) bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) | (0x80 >> (bit & 7));
  return value(0x03, Uint8Array.of(7 - (last & 7)), bytes);
}

const altNameTags: Readonly<Record<AltNameType, number>> = { DNS: 0x82, Email: 0x81, IP: 0x87, URI: 0x86 };
/** The order in which Go writes them. */
const altNameOrder: readonly AltNameType[] = ["DNS", "Email", "IP", "URI"];
const mappedPrefix = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff];

/** An IPv4 address has 4 bytes. */
function altNameBytes({ type, bytes }: AltName): Bytes {
  const isMapped = type === "IP" && bytes.length === 16 && mappedPrefix.every((byte, index) => bytes[index] === byte);
  return isMapped ? bytes.subarray(12) : bytes;
}

function altNamesOf(names: readonly AltName[]): Bytes {
  const inOrder = altNameOrder.flatMap((type) => names.filter((each) => each.type === type));
  return sequence(...inOrder.map((each) => value(altNameTags[each.type], altNameBytes(each))));
}

interface Signing {
  readonly subject: Bytes;
  readonly issuer: Bytes;
  /** The issuer's signing key. */
  readonly key: KeyObject;
  readonly publicKey: Bytes;
  readonly extensions: readonly Bytes[];
  readonly notBefore: number;
  readonly notAfter: number;
}

function signed({ subject, issuer, key, publicKey, extensions, notBefore, notAfter }: Signing): string {
  const { hash, identifier } = algorithmOf(key);
  const serial = randomBytes(16);
  // A positive integer.
  serial[0] = ((serial[0] ?? 0) & 0x3f) | 0x40;
  const toSign = sequence(
    value(0xa0, value(0x02, Uint8Array.of(2))),
    value(0x02, serial),
    identifier,
    issuer,
    sequence(timeOf(notBefore), timeOf(notAfter)),
    subject,
    publicKey,
    value(0xa3, sequence(...extensions)),
  );
  // Node accepts undefined and null for a key's own hash, its types only null.
  const signature = sign(hash ?? null, toSign, key);
  const der = sequence(toSign, identifier, value(0x03, Uint8Array.of(0), signature));
  const lines =
    Buffer.from(der)
      .toString("base64")
      .match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`;
}

const keyUsageId = "2.5.29.15";
const subjectKeyId = "2.5.29.14";
const authorityKeyId = (keyId: Bytes): Bytes => extension("2.5.29.35", false, sequence(value(0x80, keyId)));
const signsCertificates = 5;

/** A new CA, which signs certificates and nothing else. */
export function newAuthority({
  name,
  notBefore,
  notAfter,
}: { readonly name: string } & Pick<CertificateWish, "notBefore" | "notAfter">): Authority {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const subject = nameOf([{ id: "2.5.4.3", text: name }]);
  const publicKey = spkiOf(privateKey);
  const keyId = createHash("sha1").update(publicKey).digest();
  const extensions = [
    extension(keyUsageId, true, keyUsageOf([signsCertificates])),
    extension("2.5.29.19", true, sequence(boolean)),
    extension(subjectKeyId, false, octets(keyId)),
    authorityKeyId(keyId),
  ];
  return {
    ca: signed({ subject, issuer: subject, key: privateKey, publicKey, extensions, notBefore, notAfter }),
    key: privateKey.export({ type: "pkcs8", format: "pem" }),
  };
}

/**
 * The issuer of a CA.
 * @throws Error for a certificate or key that cannot be read, several certificates, or a key that does not match; RangeError for a key that
 * cannot sign certificates.
 */
export function issuerOf({ ca, key }: Authority): CertificateIssuer {
  const found = ca.match(/-----BEGIN CERTIFICATE-----/g)?.length ?? 0;
  if (found !== 1) throw new Error(`Cannot read the authority's certificate: expected 1 certificate, found ${found}`);
  const certificate = readCertificate(ca);
  const privateKey = readKey(key);
  algorithmOf(privateKey);
  if (!Buffer.from(spkiOf(privateKey)).equals(spkiOf(certificate.publicKey)))
    throw new Error("Cannot sign certificates: the authority's key is not that of its certificate");
  const { subject: issuer, keyId } = partsOf(certificate);
  return {
    notAfter: Date.parse(certificate.validTo),
    issue({ subject: attributes, publicKey, altNames, keyUsage, extendedKeyUsage, notBefore, notAfter }) {
      const subject = nameOf(attributes);
      // More than a tag and the length of nothing.
      const isNamed = subject.length > 2;
      const extensions = [
        ...(keyUsage.length === 0 ? [] : [extension(keyUsageId, true, keyUsageOf(keyUsage))]),
        ...(extendedKeyUsage.length === 0
          ? []
          : [extension("2.5.29.37", false, sequence(...extendedKeyUsage.map(oid)))]),
        extension("2.5.29.19", true, sequence()),
        // Go treats a certificate with its issuer's name as self-signed.
        ...(keyId === undefined || Buffer.compare(subject, issuer) === 0 ? [] : [authorityKeyId(keyId)]),
        ...(altNames.length === 0 ? [] : [extension("2.5.29.17", !isNamed, altNamesOf(altNames))]),
      ];
      return signed({ subject, issuer, key: privateKey, publicKey, extensions, notBefore, notAfter });
    },
  };
}

function readCertificate(pem: string): X509Certificate {
  try {
    return new X509Certificate(pem);
  } catch (cause) {
    throw new Error("Cannot read the authority's certificate: it is none, or damaged", { cause });
  }
}

function readKey(pem: string): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch (cause) {
    throw new Error("Cannot read the authority's key: give a private key in PEM, without a passphrase", { cause });
  }
}

/** The subject as encoded there, and the CA's key identifier. */
function partsOf({ raw }: X509Certificate): { readonly subject: Bytes; readonly keyId: Bytes | undefined } {
  const [whole] = sequenceOf(valueAt(new Uint8Array(raw), 0));
  const fields = sequenceOf(whole).filter(({ tag }) => tag !== 0xa0);
  const [_serial, _algorithm, _issuer, _validity, subject] = fields;
  const extensions = fields.filter(({ tag }) => tag === 0xa3).flatMap(({ content }) => sequenceOf(valueAt(content, 0)));
  const own = extensions
    .map((each) => sequenceOf(each))
    .find(([id]) => id !== undefined && dotted(id) === subjectKeyId);
  const content = own?.at(-1)?.content;
  return {
    subject: subject?.whole ?? sequence(),
    keyId: content === undefined ? undefined : valueAt(content, 0).content,
  };
}
