/** Whether certificates and private keys can be used, and belong together. */
import { createPrivateKey, createPublicKey, X509Certificate, type KeyObject } from "node:crypto";

const certificateBlock = /-----BEGIN CERTIFICATE-----([^-]*)-----END CERTIFICATE-----/;
const keyBlock = /-----BEGIN (?:[A-Z ]*)PRIVATE KEY-----([^-]*)-----END (?:[A-Z ]*)PRIVATE KEY-----/;

/** Whether a PEM text has a certificate, of several the first. Other blocks may stand beside it. */
export function hasCertificate(pem: string): boolean {
  const der = derIn(pem, certificateBlock);
  return der !== undefined && publicKeyIn(der) !== undefined;
}

/** Whether the first certificate of one PEM text belongs to the first key of another, which may be the same text. */
export function isKeyPair(certificate: string, key: string): boolean {
  const [one, other] = [derIn(certificate, certificateBlock), derIn(key, keyBlock)];
  return one !== undefined && other !== undefined && keyMatchOf(one, other) === "match";
}

/** How a key relates to a certificate. If neither can be read, the certificate counts. */
export type KeyMatch = "match" | "no certificate" | "no key" | "another type" | "another key";

/** Compares the public key in a certificate with that of a private key; both are DER. */
export function keyMatchOf(certificate: Uint8Array, key: Uint8Array): KeyMatch {
  const certified = publicKeyIn(certificate);
  if (certified === undefined) return "no certificate";
  const own = privateKeyIn(key);
  if (own === undefined) return "no key";
  if (own.asymmetricKeyType !== certified.asymmetricKeyType) return "another type";
  return publicBytes(createPublicKey(own)) === publicBytes(certified) ? "match" : "another key";
}

/** The bytes of the first block of a kind in a PEM text. */
function derIn(pem: string, block: RegExp): Uint8Array | undefined {
  const [, base64] = block.exec(pem) ?? [];
  return base64 === undefined ? undefined : Buffer.from(base64, "base64");
}

function publicBytes(key: KeyObject): string {
  return key.export({ type: "spki", format: "der" }).toString("base64");
}

function publicKeyIn(certificate: Uint8Array): KeyObject | undefined {
  try {
    return new X509Certificate(certificate).publicKey;
  } catch {
    return undefined;
  }
}

/** Reads a private key in any of its encodings; undefined if it is in none. */
function privateKeyIn(der: Uint8Array): KeyObject | undefined {
  for (const type of ["pkcs8", "pkcs1", "sec1"] as const) {
    try {
      return createPrivateKey({ key: Buffer.from(der), format: "der", type });
    } catch {
      // It is in another encoding.
    }
  }
  return undefined;
}
