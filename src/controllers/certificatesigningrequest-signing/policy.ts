/**
 * How long a certificate lasts, and what it may be used for. Pure.
 * Source: kubernetes v1.36 pkg/controller/certificates/authority/policies.go, pkg/controller/certificates/signer/signer.go sign, duration.
 */
import { formatTime } from "../../api/time.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
/** Certificates are backdated by this: clocks may differ. */
const backdateMs = 5 * minuteMs;
/** Backdating does not shorten the validity of certificates that last less than this. */
const shortMs = 8 * hourMs;
const leastMs = 10 * minuteMs;

/** The duration for `spec.expirationSeconds`: at least ten minutes, at most the signer's own duration, which is also the default. */
export function durationOf(expirationSeconds: number | undefined, longestMs: number): number {
  if (expirationSeconds === undefined) return longestMs;
  const requestedMs = expirationSeconds * 1000;
  return requestedMs > longestMs ? longestMs : Math.max(requestedMs, leastMs);
}

/** In milliseconds since 1970. */
export interface Validity {
  readonly notBefore: number;
  readonly notAfter: number;
}

/** No certificate outlives its CA. @throws RangeError for an expired CA. */
export function validityOf({
  now,
  durationMs,
  authorityEnds,
}: {
  readonly now: number;
  readonly durationMs: number;
  readonly authorityEnds: number;
}): Validity {
  const notBefore = now - backdateMs;
  if (now >= authorityEnds)
    throw new RangeError(`Cannot sign: the authority's own certificate expired at ${formatTime(authorityEnds)}`);
  const ends = now + durationMs - (durationMs < shortMs ? 0 : backdateMs);
  return { notBefore, notAfter: Math.min(ends, authorityEnds) };
}

/** Bits of the extension. */
const keyUsages: Readonly<Record<string, number>> = {
  signing: 0,
  "digital signature": 0,
  "content commitment": 1,
  "key encipherment": 2,
  "data encipherment": 3,
  "key agreement": 4,
  "cert sign": 5,
  "crl sign": 6,
  "encipher only": 7,
  "decipher only": 8,
};

/** Object identifiers, in the order in which they are encoded. */
const extendedKeyUsages: Readonly<Record<string, string>> = {
  any: "2.5.29.37.0",
  "server auth": "1.3.6.1.5.5.7.3.1",
  "client auth": "1.3.6.1.5.5.7.3.2",
  "code signing": "1.3.6.1.5.5.7.3.3",
  "email protection": "1.3.6.1.5.5.7.3.4",
  "s/mime": "1.3.6.1.5.5.7.3.4",
  "ipsec end system": "1.3.6.1.5.5.7.3.5",
  "ipsec tunnel": "1.3.6.1.5.5.7.3.6",
  "ipsec user": "1.3.6.1.5.5.7.3.7",
  timestamping: "1.3.6.1.5.5.7.3.8",
  "ocsp signing": "1.3.6.1.5.5.7.3.9",
  "microsoft sgc": "1.3.6.1.4.1.311.10.3.3",
  "netscape sgc": "2.16.840.1.113730.4.1",
};

/** Each once. */
export interface UsagesOfCertificate {
  readonly keyUsage: readonly number[];
  readonly extendedKeyUsage: readonly string[];
}

/** Source: policies.go keyUsagesFromStrings. @throws RangeError for an unknown usage, which the API server never accepts. */
export function usagesOf(usages: readonly string[]): UsagesOfCertificate {
  const unknown = usages.filter((usage) => keyUsages[usage] === undefined && extendedKeyUsages[usage] === undefined);
  if (unknown.length > 0) throw new RangeError(`Cannot sign: unrecognized usage values: ${JSON.stringify(unknown)}`);
  const bits = new Set(usages.flatMap((usage) => keyUsages[usage] ?? []));
  const extended = Object.entries(extendedKeyUsages).filter(([usage]) => usages.includes(usage));
  return {
    keyUsage: [...bits].toSorted((one, other) => one - other),
    extendedKeyUsage: [...new Set(extended.map(([, id]) => id))],
  };
}
