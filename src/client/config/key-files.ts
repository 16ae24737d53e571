/** Whether the contents of certificate and key files can be used. */
import { pemBlocks } from "../../api/pem.ts";
import { isCertificate, keyMatchOf } from "../../platform/key-pair.ts";

/** Whether a PEM text has a certificate, of several the first. Other blocks may stand beside it. */
export function hasCertificate(pem: string): boolean {
  const certificate = certificateIn(pem);
  return certificate !== undefined && isCertificate(certificate);
}

/** Whether the first certificate of one PEM text belongs to the first key of another, which may be the same text. */
export function isKeyPair(certificatePem: string, keyPem: string): boolean {
  const certificate = certificateIn(certificatePem);
  const key = pemBlocks(keyPem).find(({ type }) => type.endsWith("PRIVATE KEY"))?.bytes;
  return certificate !== undefined && key !== undefined && keyMatchOf(certificate, key) === "match";
}

function certificateIn(pem: string): Uint8Array | undefined {
  return pemBlocks(pem).find(({ type }) => type === "CERTIFICATE")?.bytes;
}
