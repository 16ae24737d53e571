/** What a request for a certificate says of its subject. */
import { pemBlocks } from "../../api/pem.ts";
import { readCertificateRequest } from "../../platform/certificate-request.ts";

/** The organizations of the subject, of a request in base64; none where the request cannot be read. */
export function organizationsIn(request: string): readonly string[] {
  const [block] = pemBlocks(Buffer.from(request, "base64").toString("latin1"));
  if (block?.type !== "CERTIFICATE REQUEST") return [];
  try {
    return readCertificateRequest(block.bytes).organizations;
  } catch {
    return [];
  }
}
