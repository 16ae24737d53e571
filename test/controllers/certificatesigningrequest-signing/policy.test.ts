/** Validity and usages of certificates: the cases of upstream's tests. */
import { describe, expect, test } from "bun:test";
import { durationOf, usagesOf, validityOf } from "../../../src/controllers/certificatesigningrequest-signing/policy.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

describe("durationOf", () => {
  for (const { name, seconds, wantMs } of [
    { name: "a duration shorter than the maximum can be requested", seconds: 1800, wantMs: 30 * minuteMs },
    { name: "a longer one cannot", seconds: 3 * 3600, wantMs: hourMs },
    { name: "a negative one cannot", seconds: -60, wantMs: 10 * minuteMs },
    { name: "less than ten minutes cannot", seconds: 599, wantMs: 10 * minuteMs },
    { name: "exactly ten minutes can", seconds: 600, wantMs: 10 * minuteMs },
    { name: "exactly the longest can", seconds: 3600, wantMs: hourMs },
    { name: "the default is the maximum", seconds: undefined, wantMs: hourMs },
  ])
    test(name, () => expect(durationOf(seconds, hourMs)).toBe(wantMs));
});

describe("validityOf", () => {
  const now = Date.UTC(2026, 0, 1);
  const of = (durationMs: number, authorityEnds = now + 24 * hourMs): readonly number[] => {
    const { notBefore, notAfter } = validityOf({ now, durationMs, authorityEnds });
    return [notBefore - now, notAfter - now].map((ms) => ms / minuteMs);
  };
  test("of short certificates ends as requested", () => {
    expect(of(hourMs)).toEqual([-5, 60]);
    expect(of(minuteMs)).toEqual([-5, 1]);
    expect(of(8 * hourMs - 1000)).toEqual([-5, 480 - 1 / 60]);
  });
  test("of longer ones is backdated as a whole", () => {
    expect(of(8 * hourMs)).toEqual([-5, 475]);
    expect(of(24 * hourMs)).toEqual([-5, 1435]);
  });
  test("never exceeds that of the authority", () => expect(of(48 * hourMs)).toEqual([-5, 1440]));
  test("with an expired authority is an error", () => {
    for (const authorityEnds of [now, now - 5 * minuteMs, now - hourMs])
      expect(() => validityOf({ now, durationMs: hourMs, authorityEnds })).toThrow("own certificate expired at");
  });
});

describe("usagesOf", () => {
  const [client, email, ocsp] = ["1.3.6.1.5.5.7.3.2", "1.3.6.1.5.5.7.3.4", "1.3.6.1.5.5.7.3.9"];
  for (const { usages, bits, ids } of [
    { usages: ["signing"], bits: [0], ids: [] },
    { usages: ["client auth"], bits: [], ids: [client] },
    { usages: ["client auth", "client auth"], bits: [], ids: [client] },
    { usages: ["cert sign", "encipher only"], bits: [5, 7], ids: [] },
    { usages: ["ocsp signing", "crl sign", "s/mime", "content commitment"], bits: [1, 6], ids: [email, ocsp] },
    { usages: ["signing", "digital signature", "decipher only"], bits: [0, 8], ids: [] },
    { usages: ["s/mime", "email protection"], bits: [], ids: [email] },
  ])
    test(usages.join(", "), () => expect(usagesOf(usages)).toEqual({ keyUsage: bits, extendedKeyUsage: ids }));
  // In the order of the bits of RFC 5280, 4.2.1.3.
  const inOrder = [
    "digital signature",
    "content commitment",
    "key encipherment",
    "data encipherment",
    "key agreement",
    "cert sign",
    "crl sign",
    "encipher only",
    "decipher only",
  ];
  for (const [bit, usage] of inOrder.entries())
    test(`${usage} is bit ${bit}`, () => expect(usagesOf([usage]).keyUsage).toEqual([bit]));

  // In the order of the last number of the OID; most are defined in RFC 5280, 4.2.1.12.
  const purposes = [
    "server auth",
    "client auth",
    "code signing",
    "email protection",
    "ipsec end system",
    "ipsec tunnel",
    "ipsec user",
    "timestamping",
    "ocsp signing",
  ];
  for (const [index, usage] of purposes.entries())
    test(`${usage} is purpose ${index + 1}`, () =>
      expect(usagesOf([usage]).extendedKeyUsage).toEqual([`1.3.6.1.5.5.7.3.${index + 1}`]));

  test("an unknown one is refused", () =>
    expect(() => usagesOf(["signing", "unsupported string"])).toThrow(
      'unrecognized usage values: ["unsupported string"]',
    ));
});
