/**
 * Certificates for a server on loopback: an authority made for the occasion, and a server's certificate signed by it. Two, since
 * Deno takes no authority as a server. The keys leave this process only if the caller writes them somewhere.
 */
import { createHash, createPrivateKey, generateKeyPairSync, randomBytes, sign, type KeyObject } from "node:crypto";

/** What a server on loopback needs, and what its clients trust. All PEM. */
export interface ServerCertificate {
  /** Certificate of the authority that clients should trust. */
  readonly ca: string;
  /** The server's certificate; `key` is its key. */
  readonly cert: string;
  readonly key: string;
}

type Bytes = Uint8Array;

function joined(parts: readonly Bytes[]): Bytes {
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}

/** One value of DER: its tag, its length, its contents. */
function value(tag: number, ...contents: readonly Bytes[]): Bytes {
  const body = joined(contents);
  const { length } = body;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return joined([Uint8Array.from([tag, ...size]), body]);
}

const sequence = (...contents: readonly Bytes[]): Bytes => value(0x30, ...contents);
const text = (tag: number, content: string): Bytes => value(tag, new TextEncoder().encode(content));
const boolean = value(0x01, Uint8Array.of(0xff));

/** `1.2.840.10045.4.3.2` → its bytes. */
function oid(dotted: string): Bytes {
  const [first = 0, second = 0, ...rest] = dotted.split(".").map(Number);
  const bytes = [first * 40 + second];
  for (const part of rest) {
    const groups = [part & 0x7f];
    for (let left = part >> 7; left > 0; left >>= 7) groups.unshift((left & 0x7f) | 0x80);
    bytes.push(...groups);
  }
  return value(0x06, Uint8Array.from(bytes));
}

const ecdsaWithSha256 = sequence(oid("1.2.840.10045.4.3.2"));

function nameOf(commonName: string): Bytes {
  return sequence(value(0x31, sequence(oid("2.5.4.3"), text(0x0c, commonName))));
}

/** `20261121104107Z`: the format that supports every year. */
function timeOf(ms: number): Bytes {
  return text(0x18, `${new Date(ms).toISOString().replaceAll(/[-:T]/g, "").slice(0, 14)}Z`);
}

function extension(id: string, critical: boolean, content: Bytes): Bytes {
  return sequence(oid(id), ...(critical ? [boolean] : []), value(0x04, content));
}

interface Wish {
  readonly subject: string;
  readonly issuer: string;
  readonly publicKey: KeyObject;
  readonly signingKey: KeyObject;
  readonly authorityKey: KeyObject;
  readonly extensions: readonly Bytes[];
  readonly now: number;
}

const keyId = (key: KeyObject): Bytes =>
  createHash("sha1")
    .update(key.export({ type: "spki", format: "der" }))
    .digest();

const hourMs = 3_600_000;
const yearMs = 365 * 24 * hourMs;

function certificateOf({ subject, issuer, publicKey, signingKey, authorityKey, extensions, now }: Wish): string {
  const serial = randomBytes(16);
  // A whole number above zero.
  serial[0] = ((serial[0] ?? 0) & 0x3f) | 0x40;
  const toSign = sequence(
    value(0xa0, value(0x02, Uint8Array.of(2))),
    value(0x02, serial),
    ecdsaWithSha256,
    nameOf(issuer),
    sequence(timeOf(now - hourMs), timeOf(now + yearMs)),
    nameOf(subject),
    publicKey.export({ type: "spki", format: "der" }),
    value(
      0xa3,
      sequence(
        ...extensions,
        extension("2.5.29.14", false, value(0x04, keyId(publicKey))),
        extension("2.5.29.35", false, sequence(value(0x80, keyId(authorityKey)))),
      ),
    ),
  );
  const signature = sign("sha256", toSign, signingKey);
  const der = sequence(toSign, ecdsaWithSha256, value(0x03, Uint8Array.of(0), signature));
  const lines =
    Buffer.from(der)
      .toString("base64")
      .match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`;
}

const keyUsage = (bits: number, unused: number): Bytes =>
  extension("2.5.29.15", true, value(0x03, Uint8Array.of(unused, bits)));

const names = sequence(
  text(0x82, "localhost"),
  text(0x82, "kubernetes"),
  value(0x87, Uint8Array.of(127, 0, 0, 1)),
  value(0x87, Uint8Array.from([...Array.from({ length: 15 }, () => 0), 1])),
);

/**
 * An authority and a server certificate for 127.0.0.1, ::1 and localhost, valid for a year from `now`. Takes about 2
 * ms.
 */
export function loopbackCertificate(now: number): ServerCertificate {
  const authority = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const server = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const issuer = "kubectl-reconcile sandbox authority";
  const common = { issuer, signingKey: authority.privateKey, authorityKey: authority.publicKey, now };
  const ca = certificateOf({
    ...common,
    subject: issuer,
    publicKey: authority.publicKey,
    // Signs certificates and nothing else.
    extensions: [extension("2.5.29.19", true, sequence(boolean)), keyUsage(0x04, 2)],
  });
  const cert = certificateOf({
    ...common,
    subject: "kubectl-reconcile sandbox",
    publicKey: server.publicKey,
    extensions: [
      extension("2.5.29.19", true, sequence()),
      keyUsage(0x80, 7),
      extension("2.5.29.37", false, sequence(oid("1.3.6.1.5.5.7.3.1"))),
      extension("2.5.29.17", false, names),
    ],
  });
  const key = createPrivateKey(server.privateKey.export({ type: "pkcs8", format: "pem" }));
  return { ca, cert, key: key.export({ type: "pkcs8", format: "pem" }) };
}
