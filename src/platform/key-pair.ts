/** Whether certificates and keys that were read from files can be used. */
import { createPrivateKey, X509Certificate } from "node:crypto";

const certificateBlock = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/;
const keyBlock = /-----BEGIN ([A-Z ]*)PRIVATE KEY-----[^-]*-----END \1PRIVATE KEY-----/;

/** Whether a PEM text has a certificate, of several the first. Other blocks may stand beside it. */
export function hasCertificate(pem: string): boolean {
  return certificateIn(pem) !== undefined;
}

/** Whether the first certificate of one PEM text belongs to the first key of another, which may be the same text. */
export function isKeyPair(certificate: string, key: string): boolean {
  const [block] = keyBlock.exec(key) ?? [];
  if (block === undefined) return false;
  try {
    return certificateIn(certificate)?.checkPrivateKey(createPrivateKey(block)) === true;
  } catch {
    return false;
  }
}

function certificateIn(pem: string): X509Certificate | undefined {
  // Not the whole text: Deno accepts nothing before the certificate.
  const [block] = certificateBlock.exec(pem) ?? [];
  if (block === undefined) return undefined;
  try {
    return new X509Certificate(block);
  } catch {
    return undefined;
  }
}
