/** Which requests are deleted, and when: the cases of upstream's test, and their boundaries. */
import { beforeEach, describe, expect, test } from "bun:test";
import { CertificateSigningRequests } from "../../../src/api/kinds.ts";
import { formatTime } from "../../../src/api/time.ts";
import type { CertificateSigningRequest } from "../../../src/api/types.ts";
import { certificateSigningRequestCleaner } from "../../../src/controllers/certificatesigningrequest-cleaner/certificatesigningrequest-cleaner.ts";
import { rejection } from "../../support/rejection.ts";
import { refusal, type Scene, sceneStart, syncScene } from "../../support/sync-context.ts";
import { expiredCertificate, lastingCertificate } from "./certificates.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

interface Condition {
  readonly type: string;
  /** How long ago the condition was updated, in ms; if absent, it has no lastUpdateTime. */
  readonly agoMs?: number;
}

interface Parts {
  readonly createdAgoMs: number;
  readonly certificate?: string;
  readonly conditions?: readonly Condition[];
}

function requestOf({ createdAgoMs, certificate, conditions = [] }: Parts): CertificateSigningRequest {
  const creationTimestamp = formatTime(sceneStart - createdAgoMs);
  return {
    metadata: { name: "web", uid: "uid-web", resourceVersion: "1", creationTimestamp },
    spec: { request: "", signerName: "example.com/own" },
    status: {
      ...(certificate !== undefined && { certificate: btoa(certificate) }),
      conditions: conditions.map(({ type, agoMs }) => ({
        type,
        status: "True",
        ...(agoMs !== undefined && { lastUpdateTime: formatTime(sceneStart - agoMs) }),
      })),
    },
  };
}

let scene: Scene;
beforeEach(() => {
  scene = syncScene(certificateSigningRequestCleaner);
});

const [young, soon, late] = [minuteMs, 50 * minuteMs, 2 * hourMs];
const approved = (agoMs: number): Condition => ({ type: "Approved", agoMs });

const cases: readonly (Parts & { readonly name: string; readonly goes?: string })[] = [
  {
    name: "approved and issued, before an hour",
    createdAgoMs: young,
    certificate: lastingCertificate,
    conditions: [approved(soon)],
  },
  { name: "approved, not issued, before a day", createdAgoMs: young, conditions: [approved(soon)] },
  {
    name: "approved and issued, after an hour",
    createdAgoMs: young,
    certificate: lastingCertificate,
    conditions: [approved(late)],
    goes: "its certificate was issued; it was approved 2 h ago, and such a request is kept for 60 m → delete it",
  },
  { name: "denied, before an hour", createdAgoMs: young, conditions: [{ type: "Denied", agoMs: soon }] },
  {
    name: "denied, after an hour",
    createdAgoMs: young,
    conditions: [{ type: "Denied", agoMs: late }],
    goes: "it was denied 2 h ago, and such a request is kept for 60 m → delete it",
  },
  {
    name: "failed, before an hour",
    createdAgoMs: young,
    conditions: [approved(late), { type: "Failed", agoMs: soon }],
  },
  {
    name: "failed, after an hour",
    createdAgoMs: young,
    conditions: [approved(late), { type: "Failed", agoMs: late }],
    goes: "it failed 2 h ago, and such a request is kept for 60 m → delete it",
  },
  { name: "pending, before a day", createdAgoMs: 5 * hourMs },
  {
    name: "pending, after a day",
    createdAgoMs: 25 * hourMs,
    goes: "it is neither approved nor denied; it was created 25 h ago, and such a request is kept for 24 h → delete it",
  },
  {
    name: "approved, not issued, after a day",
    createdAgoMs: young,
    conditions: [approved(25 * hourMs)],
    goes: "it has no certificate; it was approved 25 h ago, and such a request is kept for 24 h → delete it",
  },
  { name: "approved, not issued, after 5 hours", createdAgoMs: young, conditions: [approved(5 * hourMs)] },
  {
    name: "approved before an hour, with a certificate that has expired",
    createdAgoMs: young,
    certificate: expiredCertificate,
    conditions: [approved(soon)],
    goes: "its certificate expired 80053 h 11 m ago → delete it",
  },
  {
    name: "approved after an hour, with an invalid certificate",
    createdAgoMs: young,
    certificate: "garbage",
    conditions: [approved(late)],
    goes: "its certificate was issued; it was approved 2 h ago, and such a request is kept for 60 m → delete it",
  },
  {
    name: "approved before an hour, with an invalid certificate",
    createdAgoMs: young,
    certificate: "garbage",
    conditions: [approved(soon)],
  },
  {
    name: "with a certificate that has expired, and without an approval",
    createdAgoMs: young,
    certificate: expiredCertificate,
  },
  { name: "denied at an unknown time", createdAgoMs: 48 * hourMs, conditions: [{ type: "Denied" }] },
  { name: "denied exactly an hour ago", createdAgoMs: young, conditions: [{ type: "Denied", agoMs: hourMs }] },
  { name: "decided in another way a day ago", createdAgoMs: 48 * hourMs, conditions: [{ type: "Other", agoMs: late }] },
];

describe("a request that is", () => {
  for (const { name, goes, ...parts } of cases) {
    test(`${name} is ${goes === undefined ? "kept" : "deleted"}`, async () => {
      scene.put(CertificateSigningRequests, requestOf(parts));
      scene.scan();
      expect(scene.woken).toEqual(goes === undefined ? [] : ["web"]);
      await scene.sync("web");
      expect(scene.calls.map(({ verb, preconditions }) => ({ verb, preconditions }))).toEqual(
        goes === undefined ? [] : [{ verb: "delete", preconditions: undefined }],
      );
      expect(scene.decisions.map(({ sentence }) => sentence)).toEqual([goes ?? "its time has not come → keep it"]);
    });
  }
});

test("a request that was deleted meanwhile is not an error, but any other refusal is", async () => {
  await scene.sync("web");
  expect(scene.calls).toEqual([]);
  scene.put(CertificateSigningRequests, requestOf({ createdAgoMs: 25 * hourMs }));
  scene.refuse = () => refusal(404, "NotFound", "gone");
  await scene.sync("web");
  expect(scene.calls).toHaveLength(1);
  scene.refuse = () => refusal(403, "Forbidden", "no");
  expect(await rejection(scene.sync("web"))).toMatchObject({ code: 403 });
});

test("changes do not enqueue requests: they are checked once an hour", () => {
  const request = requestOf({ createdAgoMs: 25 * hourMs });
  scene.notify(CertificateSigningRequests, { type: "added", object: request, initial: false });
  scene.notify(CertificateSigningRequests, { type: "updated", before: request, object: request });
  expect(scene.woken).toEqual([]);
  expect(certificateSigningRequestCleaner.scans?.map(({ everyMs }) => everyMs)).toEqual([hourMs]);
});
