/** PEM: the blocks in a string. Source: Go encoding/pem Decode. */
import { bytesOfBase64 } from "./base64.ts";

/** One block. */
export interface PemBlock {
  /** `CERTIFICATE`. */
  readonly type: string;
  readonly hasHeaders: boolean;
  readonly bytes: Uint8Array;
}

const block = /(?:^|\n)-----BEGIN ([^\n]*?)-----[ \t\r]*\n([\s\S]*?)-----END \1-----[ \t\r]*(?=\n|$)/g;
const headerLine = /^[^\n]*:[^\n]*$/;
const base64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** The blocks in a string, in order; anything else is skipped. */
export function pemBlocks(text: string): PemBlock[] {
  return Array.from(text.matchAll(block), ([, type = "", body = ""]) => {
    const lines = body.split("\n");
    const first = lines.findIndex((line) => !headerLine.test(line));
    const encoded = lines.slice(Math.max(first, 0)).join("").replaceAll(/\s/g, "");
    if (!base64.test(encoded) || encoded.length % 4 !== 0) return [];
    return [{ type, hasHeaders: first > 0, bytes: bytesOfBase64(encoded) }];
  }).flat();
}
