/**
 * Certificates for a server on loopback: a CA created for the occasion, and a server certificate signed by it. Two, since Deno rejects a CA
 * certificate as a server's. The keys leave this process only if the caller writes them somewhere.
 */
import { generateKeyPairSync } from "node:crypto";
import { type Authority, issuerOf, newAuthority } from "./certificate-authority.ts";
import type { AltName } from "./certificate-request.ts";

/** What a server on loopback needs, and what its clients trust. All PEM. */
export interface ServerCertificate {
  /** The certificate of the CA that clients should trust. */
  readonly ca: string;
  /** The key of that CA; absent if someone else has it. */
  readonly caKey?: string;
  /** The server's certificate; `key` is its key. */
  readonly cert: string;
  readonly key: string;
}

const hourMs = 3_600_000;
const yearMs = 365 * 24 * hourMs;
/** Longer than any certificate that it signs, like those of clusters. */
const authorityMs = 10 * yearMs;

const loopback: readonly AltName[] = [
  { type: "DNS", bytes: new TextEncoder().encode("localhost") },
  { type: "DNS", bytes: new TextEncoder().encode("kubernetes") },
  { type: "IP", bytes: Uint8Array.of(127, 0, 0, 1) },
  { type: "IP", bytes: Uint8Array.from([...Array.from({ length: 15 }, () => 0), 1]) },
];

/** A CA for one sandbox, or one server, valid for ten years from `now`. */
export function sandboxAuthority(now: number): Authority {
  return newAuthority({
    name: "kubectl-reconcile sandbox authority",
    notBefore: now - hourMs,
    notAfter: now + authorityMs,
  });
}

/** A CA, and a server certificate for 127.0.0.1, ::1 and localhost, valid for one year from `now`. Takes about 2 ms. */
export function loopbackCertificate(now: number): ServerCertificate {
  const authority = sandboxAuthority(now);
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const cert = issuerOf(authority).issue({
    subject: [{ id: "2.5.4.3", text: "kubectl-reconcile sandbox" }],
    publicKey: publicKey.export({ type: "spki", format: "der" }),
    altNames: loopback,
    keyUsage: [0],
    extendedKeyUsage: ["1.3.6.1.5.5.7.3.1"],
    notBefore: now - hourMs,
    notAfter: now + yearMs,
  });
  const key = privateKey.export({ type: "pkcs8", format: "pem" });
  return { ca: authority.ca, caKey: authority.key, cert, key };
}
