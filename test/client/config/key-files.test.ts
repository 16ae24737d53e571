import { beforeAll, describe, expect, test } from "bun:test";
import { hasCertificate, isKeyPair } from "../../../src/client/config/key-files.ts";
import { type Certificates, makeCertificates, opensslMissing } from "../../platform/certificates.ts";

describe.skipIf(opensslMissing !== undefined)("isKeyPair", () => {
  let all: Certificates;
  beforeAll(() => {
    all = makeCertificates();
  });

  test("accepts a certificate and its key, in two files or in one, in any order", () => {
    const { cert, key } = all.client;
    expect(isKeyPair(cert, key)).toBe(true);
    expect(isKeyPair(cert + all.ca, key)).toBe(true);
    for (const one of [cert + key, key + cert, `subject=CN = dev\n${cert}${key}`])
      expect(isKeyPair(one, one)).toBe(true);
  });

  test("refuses another key, and half of a file", () => {
    const { cert, key } = all.client;
    const half = (text: string): string => text.slice(0, text.length / 2);
    expect(isKeyPair(cert, all.client2.key)).toBe(false);
    expect(isKeyPair(all.ca + cert, key)).toBe(false);
    for (const [certificate, ofKey] of [
      [half(cert), key],
      [cert, half(key)],
      ["", key],
      [cert, ""],
      [key, cert],
      [cert, key.replace(/[A-Za-z0-9+/]{40}/, "")],
    ] as const)
      expect(isKeyPair(certificate, ofKey)).toBe(false);
  });

  test("hasCertificate refuses what is none", () => {
    expect(hasCertificate(all.ca)).toBe(true);
    const empty = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
    for (const text of ["", all.client.key, all.ca.slice(0, 100), empty]) expect(hasCertificate(text)).toBe(false);
  });
});
