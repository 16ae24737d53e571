/** Certificate signing requests (PKCS #10), each signed with a new key. */
import { generateKeyPairSync, sign } from "node:crypto";

export interface RequestParts {
  readonly commonName?: string;
  readonly organizations?: readonly string[];
  readonly dns?: readonly string[];
  readonly emails?: readonly string[];
  /** IPv4 addresses. */
  readonly ips?: readonly string[];
  readonly uris?: readonly string[];
}

function value(tag: number, ...contents: readonly Uint8Array[]): Uint8Array {
  const body = Buffer.concat(contents);
  const { length } = body;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Uint8Array.from([tag, ...size]), body]);
}

const sequence = (...contents: readonly Uint8Array[]): Uint8Array => value(0x30, ...contents);
const setOf = (...contents: readonly Uint8Array[]): Uint8Array => value(0x31, ...contents);
const hex = (text: string): Uint8Array => Buffer.from(text, "hex");
const text = (tag: number, content: string): Uint8Array => value(tag, Buffer.from(content));

const commonNameId = hex("0603550403");
const organizationId = hex("060355040a");
const extensionRequestId = hex("06092a864886f70d01090e");
const subjectAltNameId = hex("0603551d11");
const ecdsaWithSha256 = sequence(hex("06082a8648ce3d040302"));

const utf8String = 0x0c;

function attribute(id: Uint8Array, content: string): Uint8Array {
  return setOf(sequence(id, text(utf8String, content)));
}

/** Returns the request in PEM. */
export function certificateRequest({
  commonName,
  organizations = [],
  dns = [],
  emails = [],
  ips = [],
  uris = [],
}: RequestParts): string {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const altNames = [
    ...emails.map((each) => text(0x81, each)),
    ...dns.map((each) => text(0x82, each)),
    ...uris.map((each) => text(0x86, each)),
    ...ips.map((each) => value(0x87, Uint8Array.from(each.split(".").map(Number)))),
  ];
  const extensions = sequence(sequence(subjectAltNameId, value(0x04, sequence(...altNames))));
  const info = sequence(
    hex("020100"),
    sequence(
      ...organizations.map((each) => attribute(organizationId, each)),
      ...(commonName === undefined ? [] : [attribute(commonNameId, commonName)]),
    ),
    publicKey.export({ type: "spki", format: "der" }),
    value(0xa0, ...(altNames.length === 0 ? [] : [sequence(extensionRequestId, setOf(extensions))])),
  );
  const signature = sign("sha256", info, privateKey);
  const der = sequence(info, ecdsaWithSha256, value(0x03, Uint8Array.of(0), signature));
  const lines =
    Buffer.from(der)
      .toString("base64")
      .match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE REQUEST-----\n${lines.join("\n")}\n-----END CERTIFICATE REQUEST-----\n`;
}
