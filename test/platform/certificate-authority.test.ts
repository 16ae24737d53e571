import { generateKeyPairSync, X509Certificate } from "node:crypto";
import { describe, expect, test } from "bun:test";
import { readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type CertificateWish, issuerOf, newAuthority } from "../../src/platform/certificate-authority.ts";
import { loopbackCertificate } from "../../src/platform/certificate.ts";
import { newKey } from "../support/private-key.ts";
import { opensslMissing } from "./certificates.ts";

const now = Date.UTC(2026, 0, 1);
const yearMs = 365 * 86_400_000;
const authority = newAuthority({ name: "test-ca", notBefore: now, notAfter: now + yearMs });
const { publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const attribute = (last: number, text: string): { id: string; text: string } => ({ id: `2.5.4.${last}`, text });

function issue(parts: Partial<CertificateWish> = {}, by = authority): X509Certificate {
  const pem = issuerOf(by).issue({
    subject: [attribute(3, "jane")],
    publicKey: publicKey.export({ type: "spki", format: "der" }),
    altNames: [],
    keyUsage: [],
    extendedKeyUsage: [],
    notBefore: now,
    notAfter: now + yearMs,
    ...parts,
  });
  return new X509Certificate(pem);
}

const hexOf = (certificate: X509Certificate): string => certificate.raw.toString("hex");

describe("issuerOf(…).issue()", () => {
  test("names its issuer and its issuer's key, and is not an authority", () => {
    const certificate = issue();
    const ca = new X509Certificate(authority.ca);
    expect(certificate.issuer).toBe("CN=test-ca");
    expect([certificate.checkIssued(ca), certificate.verify(ca.publicKey), certificate.ca]).toEqual([
      true,
      true,
      false,
    ]);
    // The key identifier of the authority, in an extension of both certificates.
    const keyId = /551d0e04160414([0-9a-f]{40})/.exec(hexOf(ca))?.[1] ?? "none";
    expect(hexOf(certificate)).toContain(`551d23041830168014${keyId}`);
  });

  test("omits the issuer's key if the subject equals the issuer, as Go does", () => {
    expect(hexOf(issue({ subject: [attribute(3, "test-ca")] }))).not.toContain("551d23");
    expect(hexOf(issue({ subject: [attribute(3, "test-ca2")] }))).toContain("551d23");
  });

  test("writes attributes in Go's order, several values of one kind as a set, and no others", () => {
    const subject = [
      { id: "1.2.840.113549.1.9.1", text: "a@b" },
      attribute(3, "first"),
      attribute(5, "7"),
      attribute(11, "unit"),
      attribute(10, "b"),
      attribute(10, "a"),
      attribute(17, "1"),
      attribute(9, "Way 1"),
      attribute(7, "City"),
      attribute(8, "State"),
      attribute(6, "DE"),
      attribute(3, "last"),
    ];
    expect(issue({ subject }).subject).toBe(
      "C=DE\nST=State\nL=City\nstreet=Way 1\npostalCode=1\nO=a + O=b\nOU=unit\nCN=last\nserialNumber=7",
    );
  });

  test("writes printable strings as such, and others in UTF-8", () => {
    // The tags are 13 and 0c, each followed by its length.
    expect(hexOf(issue({ subject: [attribute(3, "a-b.c:d")] }))).toContain(
      `5504031307${Buffer.from("a-b.c:d").toString("hex")}`,
    );
    expect(hexOf(issue({ subject: [attribute(3, "a*b")] }))).toContain(
      `5504030c03${Buffer.from("a*b").toString("hex")}`,
    );
  });

  test("writes alternative names by type, IPv4 addresses in 4 bytes, and marks them critical without a subject", () => {
    const altNames = [
      { type: "URI", bytes: bytes("help://me@what:8080/where/when?why=true") },
      { type: "IP", bytes: Uint8Array.from([...Array.from({ length: 10 }, () => 0), 255, 255, 10, 0, 0, 1]) },
      { type: "Email", bytes: bytes("a@b") },
      { type: "DNS", bytes: bytes("b") },
      { type: "DNS", bytes: bytes("a") },
    ] as const;
    const certificate = issue({ altNames });
    expect(certificate.subjectAltName).toBe(
      "DNS:b, DNS:a, email:a@b, IP Address:10.0.0.1, URI:help://me@what:8080/where/when?why=true",
    );
    expect(hexOf(certificate)).not.toContain("551d110101ff");
    expect(hexOf(issue({ altNames, subject: [] }))).toContain("551d110101ff");
  });

  test("writes usages as bits and as identifiers, and none by default", () => {
    expect(hexOf(issue({ keyUsage: [0, 2] }))).toContain("551d0f0101ff0404030205a0");
    expect(hexOf(issue({ keyUsage: [8] }))).toContain("551d0f0101ff04050303070080");
    expect(issue({ extendedKeyUsage: ["1.3.6.1.5.5.7.3.2"] }).keyUsage).toEqual(["1.3.6.1.5.5.7.3.2"]);
    expect(hexOf(issue())).not.toMatch(/551d0f|551d25/);
  });

  test("writes times before and after 2050, and a new serial number each time", () => {
    const { validFrom, validTo } = issue({ notAfter: Date.UTC(2050, 0, 1) });
    expect([validFrom, validTo].map((each) => Date.parse(each))).toEqual([now, Date.UTC(2050, 0, 1)]);
    expect(issue().serialNumber).not.toBe(issue().serialNumber);
  });

  test("accepts names of any length", () => {
    const altNames = Array.from({ length: 3000 }, (_, n) => ({
      type: "DNS" as const,
      bytes: bytes(`host-${n}.example.com`),
    }));
    expect(issue({ altNames }).subjectAltName?.split(", ")).toHaveLength(3000);
  });
});

describe.skipIf(opensslMissing !== undefined)("issuerOf() with keys of openssl", () => {
  for (const kind of [
    ["rsa:2048"],
    ["ed25519"],
    ...["prime256v1", "secp384r1", "secp521r1"].map((curve) => ["ec", "-pkeyopt", `ec_paramgen_curve:${curve}`]),
  ]) {
    test(kind.join(" "), () => {
      const file = join(tmpdir(), `authority-${process.pid}.key`);
      const words = [
        "req",
        "-x509",
        "-newkey",
        ...kind,
        "-nodes",
        "-keyout",
        file,
        "-days",
        "2",
        "-subj",
        "/O=x/CN=ca",
      ];
      const { stdout, exitCode } = Bun.spawnSync(["openssl", ...words], { stderr: "ignore" });
      expect(exitCode).toBe(0);
      const [ca, key] = [stdout.toString(), readFileSync(file, "utf8")];
      rmSync(file);
      const certificate = issue({}, { ca, key });
      expect(certificate.verify(new X509Certificate(ca).publicKey)).toBe(true);
      expect(certificate.issuer).toBe("O=x\nCN=ca");
    });
  }
});

describe("issuerOf() refuses", () => {
  const { ca, key } = authority;
  for (const { name, parts, why } of [
    { name: "text without a certificate", parts: { ca: "", key }, why: "expected 1 certificate, found 0" },
    { name: "two certificates", parts: { ca: ca + ca, key }, why: "expected 1 certificate, found 2" },
    { name: "a damaged one", parts: { ca: ca.replace(/\n.{20}/, "\n"), key }, why: "it is none, or damaged" },
    { name: "text without a key", parts: { ca, key: "x" }, why: "Cannot read the authority's key" },
    {
      name: "the key of another authority",
      parts: { ca, key: newKey() },
      why: "the authority's key is not that of its certificate",
    },
    {
      name: "a key that cannot sign",
      parts: { ca, key: generateKeyPairSync("x25519").privateKey.export({ type: "pkcs8", format: "pem" }) },
      why: "Cannot sign certificates with a key of the type x25519",
    },
  ])
    test(name, () => expect(() => issuerOf(parts)).toThrow(why));
});

test("loopbackCertificate() is valid for a year, and its authority for ten", () => {
  const made = loopbackCertificate(now);
  const [cert, ca] = [made.cert, made.ca].map((pem) => new X509Certificate(pem));
  expect(Date.parse(cert?.validTo ?? "")).toBe(now + yearMs);
  expect(Date.parse(ca?.validTo ?? "")).toBe(now + 10 * yearMs);
  expect(issuerOf({ ca: made.ca, key: made.caKey ?? "" }).notAfter).toBe(now + 10 * yearMs);
});
