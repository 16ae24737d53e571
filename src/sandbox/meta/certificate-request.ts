/** Reads the subject of a certificate request. */
import { pemBlocks } from "../../api/pem.ts";
import { readCertificateRequest } from "../../platform/certificate-request.ts";

/** The organizations of the subject of a base64 request; empty if it cannot be read. */
export function organizationsIn(request: string): readonly string[] {
  const [block] = pemBlocks(Buffer.from(request, "base64").toString("latin1"));
  if (block?.type !== "CERTIFICATE REQUEST") return [];
  try {
    return readCertificateRequest(block.bytes).organizations;
  } catch {
    return [];
  }
}
