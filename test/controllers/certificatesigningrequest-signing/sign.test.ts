/** Which requests are signed, which fail, and the contents of the certificates. */
import { X509Certificate } from "node:crypto";
import { beforeEach, describe, expect, test } from "bun:test";
import { CertificateSigningRequests } from "../../../src/api/kinds.ts";
import { formatTime } from "../../../src/api/time.ts";
import type { CertificateSigningRequest } from "../../../src/api/types.ts";
import {
  certificateSigner,
  certificateSigningRequestSigning,
} from "../../../src/controllers/certificatesigningrequest-signing/certificatesigningrequest-signing.ts";
import { newAuthority } from "../../../src/platform/certificate-authority.ts";
import { certificateRequest, type RequestParts } from "../../support/certificate-request.ts";
import { rejection } from "../../support/rejection.ts";
import { refusal, type Scene, sceneStart, syncScene } from "../../support/sync-context.ts";

const hourMs = 3_600_000;
const yearMs = 365 * 24 * hourMs;
const authority = newAuthority({ name: "test-ca", notBefore: sceneStart - hourMs, notAfter: sceneStart + 10 * yearMs });

interface Parts extends RequestParts {
  readonly signerName?: string;
  readonly usages?: readonly string[];
  readonly expirationSeconds?: number;
  readonly conditions?: readonly { readonly type: string; readonly status?: string }[];
  readonly certificate?: string;
  readonly pem?: string;
}

const approved = [{ type: "Approved", status: "True" }];
const client = {
  signerName: "kubernetes.io/kube-apiserver-client",
  commonName: "hello-world",
  organizations: ["some-org"],
  usages: ["client auth", "digital signature", "key encipherment"],
};
const kubelet = {
  signerName: "kubernetes.io/kube-apiserver-client-kubelet",
  commonName: "system:node:hello-world",
  organizations: ["system:nodes"],
  usages: ["client auth", "digital signature", "key encipherment"],
};
const serving = {
  signerName: "kubernetes.io/kubelet-serving",
  commonName: "system:node:testnode",
  organizations: ["system:nodes"],
  usages: ["server auth", "digital signature", "key encipherment"],
  dns: ["example.com"],
};
const legacy = { signerName: "kubernetes.io/legacy-unknown" };

function requestOf(parts: Parts): CertificateSigningRequest {
  const { signerName = client.signerName, usages = [], expirationSeconds, conditions = approved, certificate } = parts;
  const creationTimestamp = formatTime(sceneStart);
  return {
    metadata: { name: "csr", uid: "uid-csr", resourceVersion: "7", creationTimestamp },
    spec: {
      request: btoa(parts.pem ?? certificateRequest(parts)),
      signerName,
      usages,
      ...(expirationSeconds !== undefined && { expirationSeconds }),
    },
    status: {
      conditions: conditions.map(({ type, status = "True" }) => ({ type, status })),
      ...(certificate !== undefined && { certificate }),
    },
  };
}

let scene: Scene;
beforeEach(() => (scene = syncScene(certificateSigner(authority))));

async function syncOf(parts: Parts): Promise<CertificateSigningRequest> {
  const request = requestOf(parts);
  scene.put(CertificateSigningRequests, request);
  await scene.sync("csr");
  return request;
}

const says = (): readonly string[] => scene.decisions.map(({ sentence }) => sentence);
const written = (): CertificateSigningRequest => scene.calls[0]?.body as CertificateSigningRequest;

async function issued(parts: Parts): Promise<X509Certificate> {
  await syncOf(parts);
  expect(scene.calls.map(({ verb }) => verb)).toEqual(["updateStatus"]);
  const certificate = new X509Certificate(atob(written().status?.certificate ?? ""));
  expect(certificate.checkIssued(new X509Certificate(authority.ca))).toBe(true);
  expect(certificate.verify(new X509Certificate(authority.ca).publicKey)).toBe(true);
  return certificate;
}

const without = (usages: readonly string[], left: string): readonly string[] => usages.filter((each) => each !== left);

describe("a request is signed", () => {
  for (const { name, parts } of [
    { name: "for a client of the API server", parts: client },
    {
      name: "for such a client, without key encipherment",
      parts: { ...client, usages: without(client.usages, "key encipherment") },
    },
    { name: "for a kubelet as client", parts: kubelet },
    {
      name: "for a kubelet as client, without key encipherment",
      parts: { ...kubelet, usages: without(kubelet.usages, "key encipherment") },
    },
    {
      name: "from before certificates.k8s.io/v1, with any content",
      parts: { ...legacy, usages: ["cert sign", "any"] },
    },
    { name: "for a kubelet's server", parts: serving },
    {
      name: "for a kubelet's server, without key encipherment",
      parts: { ...serving, usages: without(serving.usages, "key encipherment") },
    },
    { name: "for a kubelet's server at an address", parts: { ...serving, dns: [], ips: ["10.0.0.1"] } },
    {
      name: "when it is approved without a status",
      parts: { ...client, conditions: [{ type: "Approved", status: "" }] },
    },
    {
      name: "when its condition Failed is not True",
      parts: { ...client, conditions: [...approved, { type: "Failed", status: "False" }] },
    },
  ]) {
    test(name, async () => {
      await issued(parts);
      expect(scene.decisions.map(({ rule }) => rule)).toEqual(["sign"]);
    });
  }

  test("with its subject, names and usages, and nothing else of it changes", async () => {
    const request = requestOf({ ...client, ips: ["10.0.0.1"], dns: ["b", "a"], usages: ["client auth"] });
    scene.put(CertificateSigningRequests, request);
    await scene.sync("csr");
    const { status, ...rest } = written();
    expect({ ...rest, status: { conditions: status?.conditions } }).toEqual({
      ...request,
      status: { conditions: approved },
    });
    const certificate = new X509Certificate(atob(status?.certificate ?? ""));
    expect(certificate.subject).toBe("O=some-org\nCN=hello-world");
    expect(certificate.subjectAltName).toBe("DNS:b, DNS:a, IP Address:10.0.0.1");
    expect(certificate.keyUsage).toEqual(["1.3.6.1.5.5.7.3.2"]);
    expect(certificate.ca).toBe(false);
    expect(says()).toEqual([
      `kubernetes.io/kube-apiserver-client signs it for "hello-world", until 2027-11-21T09:55:00Z → write the certificate`,
    ]);
  });
});

describe("a certificate lasts", () => {
  const lasts = async (expirationSeconds?: number): Promise<readonly number[]> => {
    const expiration = expirationSeconds === undefined ? {} : { expirationSeconds };
    const { validFrom, validTo } = await issued({ ...client, ...expiration });
    return [validFrom, validTo].map((time) => (Date.parse(time) - sceneStart) / 1000);
  };
  for (const { name, seconds, until } of [
    { name: "for a year, backdated as a whole", seconds: undefined, until: yearMs / 1000 - 300 },
    { name: "for a year at most", seconds: 2 * (yearMs / 1000), until: yearMs / 1000 - 300 },
    { name: "for the requested time", seconds: 86_400, until: 86_400 - 300 },
    { name: "for eight hours, backdated", seconds: 28_800, until: 28_800 - 300 },
    { name: "for less than eight hours, to the second", seconds: 28_799, until: 28_799 },
    { name: "for ten minutes at least", seconds: 599, until: 600 },
    { name: "for ten minutes if a negative time was requested", seconds: -60, until: 600 },
  ])
    test(name, async () => expect(await lasts(seconds)).toEqual([-300, until]));

  test("for the signer's maximum at most", async () => {
    scene = syncScene(certificateSigner({ ...authority, durationMs: hourMs }));
    expect(await lasts()).toEqual([-300, 3600]);
    expect(await lasts(1800)).toEqual([-300, 1800]);
    expect(await lasts(10_800)).toEqual([-300, 3600]);
  });

  test("no longer than its authority", async () => {
    const ending = newAuthority({ name: "ends", notBefore: sceneStart - hourMs, notAfter: sceneStart + hourMs });
    scene = syncScene(certificateSigner(ending));
    await syncOf(client);
    const { validTo } = new X509Certificate(atob(written().status?.certificate ?? ""));
    expect(Date.parse(validTo)).toBe(sceneStart + hourMs);
    scene.now = sceneStart + hourMs;
    expect(String(await rejection(syncOf(client)))).toContain(
      "Cannot sign: the authority's own certificate expired at 2026-11-21T11:00:00Z",
    );
    expect(scene.calls).toEqual([]);
  });
});

describe("a request fails", () => {
  const clientUsages = "invalid usage for client certificate: server auth";
  const servingUsages = "usages did not match [digital signature key encipherment server auth]";
  for (const { name, parts, why } of [
    {
      name: "of a client, for server auth",
      parts: { ...client, usages: ["server auth", ...client.usages] },
      why: clientUsages,
    },
    {
      name: "of a client, without client auth",
      parts: { ...client, usages: ["digital signature"] },
      why: "missing required usage for client certificate: client auth",
    },
    {
      name: "of a kubelet, of another organization",
      parts: { ...kubelet, organizations: [] },
      why: "subject organization is not system:nodes",
    },
    {
      name: "of a kubelet, of two organizations",
      parts: { ...kubelet, organizations: ["system:nodes", "a"] },
      why: "subject organization is not system:nodes",
    },
    {
      name: "of a kubelet, with a DNS name",
      parts: { ...kubelet, dns: ["a"], uris: ["https://a"] },
      why: "DNS subjectAltNames are not allowed",
    },
    {
      name: "of a kubelet, with an address",
      parts: { ...kubelet, ips: ["10.0.0.1"], emails: ["a@b"] },
      why: "Email subjectAltNames are not allowed",
    },
    {
      name: "of a kubelet, of another name",
      parts: { ...kubelet, commonName: "jane", usages: [] },
      why: "subject common name does not begin with system:node:",
    },
    {
      name: "of a kubelet, for other usages",
      parts: { ...kubelet, usages: ["client auth"] },
      why: "usages did not match [client auth digital signature key encipherment]",
    },
    {
      name: "of a kubelet's server, without names",
      parts: { ...serving, dns: [], uris: ["https://a"] },
      why: "DNS or IP subjectAltName is required",
    },
    {
      name: "of a kubelet's server, with a URI",
      parts: { ...serving, uris: ["https://a"] },
      why: "URI subjectAltNames are not allowed",
    },
    {
      name: "of a kubelet's server, for other usages",
      parts: { ...serving, usages: ["server auth"], commonName: "jane" },
      why: servingUsages,
    },
    {
      name: "of a kubelet's server, with another name",
      parts: { ...serving, commonName: "jane" },
      why: "subject common name does not begin with system:node:",
    },
  ]) {
    test(name, async () => {
      const request = await syncOf(parts);
      const failed = {
        type: "Failed",
        status: "True",
        reason: "SignerValidationFailure",
        message: why,
        lastUpdateTime: formatTime(sceneStart),
      };
      expect(scene.calls.map(({ verb, body }) => ({ verb, body }))).toEqual([
        { verb: "updateStatus", body: { ...request, status: { conditions: [...approved, failed] } } },
      ]);
      expect(says()).toEqual([`${parts.signerName} does not sign it: ${why} → it has failed`]);
    });
  }
});

describe("a request is left alone", () => {
  for (const { name, parts, says: sentence } of [
    {
      name: "that has failed",
      parts: { ...serving, conditions: [...approved, { type: "Failed" }] },
      says: "it has failed → leave it alone",
    },
    {
      name: "that has failed, without a status",
      parts: { ...serving, conditions: [...approved, { type: "Failed", status: "" }] },
      says: "it has failed → leave it alone",
    },
    {
      name: "that is not approved",
      parts: { ...serving, conditions: [] },
      says: "it is not approved → leave it alone",
    },
    {
      name: "that was denied as well",
      parts: { ...serving, conditions: [...approved, { type: "Denied" }] },
      says: "it was denied → leave it alone",
    },
    {
      name: "that already has its certificate",
      parts: { ...serving, certificate: btoa("x") },
      says: "it has its certificate → leave it alone",
    },
    ...["kubernetes.io/not-recognised", "example.com/sample-name", "kubernetes.io/not-a-real-signer"].map(
      (signerName) => ({
        name: `of the signer ${signerName}`,
        parts: { ...client, signerName },
        says: `its signer is ${signerName} → leave it to that signer`,
      }),
    ),
  ]) {
    test(name, async () => {
      await syncOf(parts);
      expect(scene.calls).toEqual([]);
      expect(says()).toEqual([sentence]);
    });
  }

  test("without keys, whatever it is", async () => {
    scene = syncScene(certificateSigningRequestSigning);
    for (const parts of [client, { ...client, usages: ["server auth"] }]) {
      await syncOf(parts);
      expect(scene.calls).toEqual([]);
      expect(says()).toEqual([
        "the key of kubernetes.io/kube-apiserver-client is not available here → leave it to a controller that has it",
      ]);
    }
  });

  test("that was deleted", async () => {
    await scene.sync("csr");
    expect([scene.calls, scene.decisions]).toEqual([[], []]);
  });
});

test("a read or write error is retried, and reported", async () => {
  expect(String(await rejection(syncOf({ ...client, pem: "x" })))).toContain(
    "Cannot read request csr: PEM block type must be CERTIFICATE REQUEST",
  );
  scene.refuse = () => refusal(409, "Conflict", "changed");
  expect(await rejection(syncOf(client))).toMatchObject({ code: 409 });
  expect(await rejection(syncOf({ ...client, usages: [] }))).toMatchObject({ code: 409 });
});

test("a request whose signature does not match its key is not signed", async () => {
  const [one, other] = [certificateRequest(client), certificateRequest(client)].map((pem) =>
    Buffer.from(pem.replaceAll(/-----[A-Z ]+-----|\n/g, ""), "base64"),
  );
  if (one === undefined || other === undefined) throw new Error("expected two");
  // The signature is at the end; the lengths of the two requests differ by at most a byte or two.
  const forged = Buffer.concat([one.subarray(0, one.length - 20), other.subarray(other.length - 20)]);
  const pem = `-----BEGIN CERTIFICATE REQUEST-----\n${forged.toString("base64")}\n-----END CERTIFICATE REQUEST-----\n`;
  expect(String(await rejection(syncOf({ ...client, pem })))).toContain(
    "Cannot sign csr: it is not signed with its own key: x509: ECDSA verification failure",
  );
  expect(scene.calls).toEqual([]);
});

test("a request is synced when it is added, and at each change", () => {
  const request = requestOf(client);
  scene.notify(CertificateSigningRequests, { type: "added", object: request, initial: true });
  scene.notify(CertificateSigningRequests, { type: "updated", before: request, object: request });
  expect(scene.woken).toEqual(["csr", "csr"]);
});
