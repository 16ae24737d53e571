/** PodSecurity beyond the contract tests: every version of every level, and the limits of what is evaluated. */
import { describe, expect, test } from "bun:test";
import type { Transport } from "../../src/api/transport.ts";
import { realTimeline } from "../../src/platform/real-timeline.ts";
import { seededRandom } from "../../src/platform/random.ts";
import type { PodLike } from "../../src/sandbox/admission/pod-security/checks/check.ts";
import { checks, violationsOf } from "../../src/sandbox/admission/pod-security/evaluate.ts";
import { createSandbox } from "../../src/sandbox/sandbox.ts";
import { sendRequest, type Json } from "./support/requests.ts";

const plain: PodLike = { annotations: {}, spec: { containers: [{ name: "c", image: "i" }] } };
const reasons = (pod: PodLike, version: number | "latest"): string[] =>
  violationsOf(pod, { level: "restricted", version }).map(({ reason }) => reason);

describe("PodSecurity", () => {
  test("gets more checks with later versions of the level restricted", () => {
    const grown = new Map<string, number>();
    for (let version = 0; version <= 40; version++) {
      const reasonText = reasons(plain, version).join(", ");
      if (!grown.has(reasonText)) grown.set(reasonText, version);
    }
    expect([...grown]).toEqual([
      ["runAsNonRoot != true", 0],
      ["allowPrivilegeEscalation != false, runAsNonRoot != true", 8],
      ["allowPrivilegeEscalation != false, runAsNonRoot != true, seccompProfile", 19],
      ["allowPrivilegeEscalation != false, unrestricted capabilities, runAsNonRoot != true, seccompProfile", 22],
    ]);
    expect(reasons(plain, "latest")).toEqual(reasons(plain, 36));
  });

  test("has unique check names, revisions in order, and replaces only baseline checks", () => {
    const ids = checks.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { level, revisions, inPlaceOf } of checks) {
      const since = revisions.map((revision) => revision.since);
      expect(since).toEqual([...new Set(since)].sort((a, b) => a - b));
      if (inPlaceOf === undefined) continue;
      expect(level).toBe("restricted");
      expect(checks.find(({ id }) => id === inPlaceOf)?.level).toBe("baseline");
    }
  });

  test("checks the first of more than 3,000 pods, one of each controller before all others", async () => {
    const sandbox = await createSandbox({ timeline: realTimeline(), random: seededRandom(1) });
    const owned = (index: number): Json => ({
      ownerReferences: [{ apiVersion: "v1", kind: "X", name: "x", uid: `u${index % 2}`, controller: true }],
    });
    const pods = Array.from({ length: 3010 }, (_, index) => ({
      kind: "Pod",
      apiVersion: "v1",
      metadata: {
        name: `p${String(index).padStart(4, "0")}`,
        namespace: "default",
        ...(index < 3005 ? owned(index) : {}),
      },
      spec: { containers: [{ name: "c", image: "i" }], ...(index < 3005 ? {} : { hostPID: true }) },
    }));
    await sandbox.load(pods);
    const transport: Transport = sandbox.transport({ actor: "test" });
    const { status, warning } = await sendRequest(transport, "PATCH", "/api/v1/namespaces/default", {
      type: "application/merge-patch+json",
      body: { metadata: { labels: { "pod-security.kubernetes.io/enforce": "baseline" } } },
    });
    expect(status).toBe(200);
    expect(warning?.replaceAll("\\", "").split(", 299 - ")).toEqual([
      '299 - "new PodSecurity enforce level only checked against the first 3000 of 3010 existing pods"',
      '"existing pods in namespace "default" violate the new PodSecurity enforce level "baseline:latest""',
      '"p3005 (and 4 other pods): host namespaces"',
    ]);
  });
});
