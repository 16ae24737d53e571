/** JSON Web Signatures (RFC 7515) without their content, by HMAC-SHA256. */
import { createHmac } from "node:crypto";
import { base64url } from "./json-web-token.ts";

/**
 * `HEADER..SIGNATURE`: anyone with the content and the secret can compute the same. The header contains the key's id.
 * Source: cluster-bootstrap v0.36 token/jws/jws.go ComputeDetachedSignature; RFC 7515 appendix F.
 */
export function detachedSignature(
  content: string,
  { id, secret }: { readonly id: string; readonly secret: string },
): string {
  const header = base64url(JSON.stringify({ alg: "HS256", kid: id }));
  const signature = createHmac("sha256", secret)
    .update(`${header}.${base64url(content)}`)
    .digest("base64url");
  return `${header}..${signature}`;
}
