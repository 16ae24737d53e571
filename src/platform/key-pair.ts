/** Whether certificates and private keys, both DER, can be used and belong together. */
import { createPrivateKey, createPublicKey, X509Certificate, type KeyObject } from "node:crypto";

/** Whether these bytes are a certificate. */
export function isCertificate(der: Uint8Array): boolean {
  return publicKeyIn(der) !== undefined;
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
