/** Private keys, a new one each time. */
import { generateKeyPairSync } from "node:crypto";

/** In PEM, on P-256. */
export function newKey(): string {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return privateKey.export({ type: "pkcs8", format: "pem" });
}
