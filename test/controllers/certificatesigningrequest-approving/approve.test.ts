/** Which requests are recognized as a kubelet's, and who is allowed to have them approved. */
import { beforeEach, describe, expect, test } from "bun:test";
import { CertificateSigningRequests } from "../../../src/api/kinds.ts";
import { formatTime } from "../../../src/api/time.ts";
import type { CertificateSigningRequest } from "../../../src/api/types.ts";
import { certificateSigningRequestApproving } from "../../../src/controllers/certificatesigningrequest-approving/certificatesigningrequest-approving.ts";
import { certificateRequest, type RequestParts } from "../../support/certificate-request.ts";
import { rejection } from "../../support/rejection.ts";
import { refusal, type Scene, sceneStart, syncScene } from "../../support/sync-context.ts";

const kubelet = "kubernetes.io/kube-apiserver-client-kubelet";
const node = "system:node:foo";

interface Parts extends RequestParts {
  readonly username?: string;
  readonly usages?: readonly string[];
  readonly signerName?: string;
  readonly status?: object;
  readonly pem?: string;
}

/** A request of a kubelet, with the given changes. */
function requestOf(parts: Parts = {}): CertificateSigningRequest {
  const {
    commonName = node,
    organizations = ["system:nodes"],
    username = node,
    usages = ["key encipherment", "digital signature", "client auth"],
    signerName = kubelet,
    status = {},
    pem = certificateRequest({ ...parts, commonName, organizations }),
  } = parts;
  const creationTimestamp = formatTime(sceneStart);
  return {
    metadata: { name: "csr", uid: "uid-csr", resourceVersion: "7", creationTimestamp },
    spec: { request: btoa(pem), signerName, username, usages, groups: ["a", "b"], extra: { key: ["value"] }, uid: "u" },
    status,
  };
}

let scene: Scene;
/** The subresources of the access reviews. */
let reviewed: string[];
beforeEach(() => {
  scene = syncScene(certificateSigningRequestApproving);
  reviewed = [];
});

function allow(...subresources: readonly string[]): void {
  scene.beyond = {
    review(question) {
      const { spec } = question as { readonly spec: { readonly resourceAttributes: { readonly subresource: string } } };
      reviewed.push(spec.resourceAttributes.subresource);
      return { status: { allowed: subresources.includes(spec.resourceAttributes.subresource) } };
    },
  };
}

const writes = (): unknown[] =>
  scene.calls.filter(({ verb }) => verb !== "review").map(({ verb, body }) => ({ verb, body }));
const says = (): readonly string[] => scene.decisions.map(({ sentence }) => sentence);

async function reviewedRights(parts: Parts): Promise<readonly string[]> {
  allow();
  scene.put(CertificateSigningRequests, requestOf(parts));
  await scene.sync("csr");
  return reviewed;
}

const [self, first] = ["selfnodeclient", "nodeclient"];
const both = [
  ["key encipherment", "digital signature", "client auth"],
  ["digital signature", "client auth"],
];

for (const usages of both) {
  describe(`a request for ${usages.join(", ")}`, () => {
    test("of a kubelet for itself can be either", async () => {
      expect(await reviewedRights({ usages })).toEqual([self, first]);
      expect(says()).toEqual([
        `${node} may create neither certificatesigningrequests/selfnodeclient nor certificatesigningrequests/nodeclient → check again later`,
      ]);
    });

    for (const { name, parts } of [
      { name: "of another author", parts: { username: "joe" } },
      { name: "for another node", parts: { commonName: "system:node:bar" } },
    ]) {
      test(`${name} is for a first certificate`, async () => {
        expect(await reviewedRights({ usages, ...parts })).toEqual([first]);
        expect(says()).toEqual([
          `${parts.username ?? node} may not create certificatesigningrequests/nodeclient → check again later`,
        ]);
      });
    }

    const others: readonly { readonly name: string; readonly parts: Parts }[] = [
      { name: "for another common name", parts: { commonName: "mike", username: "mike" } },
      { name: "for no organization", parts: { organizations: [] } },
      { name: "for another organization", parts: { organizations: ["system:master"] } },
      { name: "for an organization more", parts: { organizations: ["system:nodes", "system:masters"] } },
      { name: "for server auth, too", parts: { usages: [...usages, "server auth"] } },
      { name: "of a signer that is not known", parts: { signerName: "example.com/not-correct" } },
      { name: "of the signer of serving certificates", parts: { signerName: "kubernetes.io/kubelet-serving" } },
      { name: "for a DNS name", parts: { dns: ["foo.example.com"] } },
      { name: "for an e-mail address", parts: { emails: ["foo@example.com"] } },
      { name: "for an IP address", parts: { ips: ["10.0.0.1"] } },
      { name: "for a URI", parts: { uris: ["https://example.com"] } },
    ];
    for (const { name, parts } of others) {
      test(`${name} is left alone`, async () => {
        expect(await reviewedRights({ usages, ...parts })).toEqual([]);
        expect(scene.decisions.map((each) => each.rule)).toEqual(["not-kubelet"]);
        expect(writes()).toEqual([]);
        expect(scene.requeues).toEqual([]);
      });
    }
  });
}

test("duplicate usages count once, and a missing list counts as a mismatch", async () => {
  expect(await reviewedRights({ usages: ["client auth", "digital signature", "client auth"] })).toEqual([self, first]);
  reviewed.length = 0;
  expect(await reviewedRights({ usages: ["client auth", "key encipherment"] })).toEqual([]);
});

describe("a kubelet's request is approved", () => {
  test("if its author has the permission, after which nothing else is checked", async () => {
    allow(self, first);
    const request = requestOf({ status: { conditions: [{ type: "Other", status: "True" }] } });
    scene.put(CertificateSigningRequests, request);
    await scene.sync("csr");
    expect(reviewed).toEqual([self]);
    const condition = {
      type: "Approved",
      status: "True",
      reason: "AutoApproved",
      message: "Auto approving self kubelet client certificate after SubjectAccessReview.",
    };
    const conditions = [{ type: "Other", status: "True" }, condition];
    expect(writes()).toEqual([{ verb: "update", body: { ...request, status: { conditions } } }]);
    expect(says()).toEqual([`${node} may create certificatesigningrequests/selfnodeclient → approve it`]);
    expect(scene.calls[0]?.body).toEqual({
      spec: {
        user: node,
        uid: "u",
        groups: ["a", "b"],
        extra: { key: ["value"] },
        resourceAttributes: {
          verb: "create",
          group: "certificates.k8s.io",
          version: "*",
          resource: "certificatesigningrequests",
          subresource: self,
        },
      },
    });
  });

  test("as a first one, if its author has only that permission", async () => {
    allow(first);
    scene.put(CertificateSigningRequests, requestOf());
    await scene.sync("csr");
    expect(reviewed).toEqual([self, first]);
    expect(writes()).toMatchObject([
      {
        body: {
          status: {
            conditions: [{ message: "Auto approving kubelet client certificate after SubjectAccessReview." }],
          },
        },
      },
    ]);
  });
});

test("a missing permission is checked again with back-off, and is not a success", async () => {
  allow();
  scene.put(CertificateSigningRequests, requestOf());
  expect(await certificateSigningRequestApproving.sync("csr", scene.context("csr"))).toEqual({ keepsFailures: true });
  expect(scene.requeues.map(({ ms }) => ms)).toEqual(["rate-limited"]);
  expect(writes()).toEqual([]);
});

for (const { as, status } of [
  { as: "approved", status: { conditions: [{ type: "Approved", status: "True" }] } },
  { as: "denied", status: { conditions: [{ type: "Denied", status: "True" }] } },
  { as: "issued", status: { certificate: btoa("x") } },
]) {
  test(`a request that is already ${as} is left alone`, async () => {
    allow(self, first);
    scene.put(CertificateSigningRequests, requestOf({ status }));
    await scene.sync("csr");
    expect(scene.calls).toEqual([]);
    expect(says()).toEqual([`it is ${as} already → leave it alone`]);
  });
}

test("a failure to check or to write is retried; an invalid request is named in the error", async () => {
  allow(self);
  await scene.sync("csr");
  expect(scene.calls).toEqual([]);
  scene.put(CertificateSigningRequests, requestOf());
  for (const failing of ["review", "update"]) {
    scene.refuse = ({ verb }) => (verb === failing ? refusal(403, "Forbidden", "no") : undefined);
    expect(await rejection(scene.sync("csr"))).toMatchObject({ code: 403 });
  }
  scene.put(CertificateSigningRequests, requestOf({ pem: "x" }));
  expect(String(await rejection(scene.sync("csr")))).toContain(
    "Cannot read request csr: PEM block type must be CERTIFICATE REQUEST",
  );
});

test("a request is synced when it is added, and at each change", () => {
  const request = requestOf();
  scene.notify(CertificateSigningRequests, { type: "added", object: request, initial: true });
  scene.notify(CertificateSigningRequests, { type: "updated", before: request, object: request });
  expect(scene.woken).toEqual(["csr", "csr"]);
});
