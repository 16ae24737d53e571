/** The audit log, compared with that of a real kube-apiserver 1.36.3 for the same requests. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { seededRandom } from "../../src/platform/random.ts";
import { realTimeline } from "../../src/platform/real-timeline.ts";
import { readAuditPolicy } from "../../src/sandbox/audit/policy.ts";
import { serveSandbox } from "../../src/sandbox/https.ts";
import { createSandbox } from "../../src/sandbox/sandbox.ts";
import { auditPolicy, comparableEvents, playAuditSteps } from "./support/audit-scene.ts";

const recorded = readFileSync(join(import.meta.dir, "recorded", "audit.jsonl"), "utf8")
  .trim()
  .split("\n");
const named = (event: string): string => /"auditID":"([^"]*)","stage":"[^"]*"/.exec(event)?.[0] ?? event;
const events: string[] = [];

beforeAll(async () => {
  const policy = readAuditPolicy(auditPolicy);
  const audit = { policy, write: (event: string) => void events.push(event) };
  const sandbox = await createSandbox({ timeline: realTimeline(), random: seededRandom(1), rbac: true, audit });
  const https = await serveSandbox(sandbox);
  await playAuditSteps(https);
  sandbox.stop();
  await https.close();
});
afterAll(() => void events.splice(0));

describe("the audit log", () => {
  test("has kube-apiserver's events, in their order", () => {
    expect(comparableEvents(events.join("\n")).map(named)).toEqual(recorded.map(named));
  });

  test.each(recorded.map((event, index) => ({ name: named(event), event, index })))("$name", ({ event, index }) => {
    const own = comparableEvents(events.join("\n"))[index] ?? "{}";
    expect(JSON.parse(own)).toEqual(JSON.parse(event));
    // The fields of an event are also in the order of kube-apiserver.
    expect(Object.keys(JSON.parse(own) as object)).toEqual(Object.keys(JSON.parse(event) as object));
  });
});

describe("readAuditPolicy", () => {
  const rules = [{ level: "Metadata" }];
  const policy = { apiVersion: "audit.k8s.io/v1", kind: "Policy", rules };
  test.each([
    ["no policy", {}, "it is no object of , not Policy of audit.k8s.io/v1"],
    [
      "another version",
      { ...policy, apiVersion: "audit.k8s.io/v1beta1" },
      "it is Policy of audit.k8s.io/v1beta1, not Policy of audit.k8s.io/v1",
    ],
    ["no rules", { ...policy, rules: [] }, "it has no rules"],
    [
      "no level",
      { ...policy, rules: [{}] },
      'rules[0].level: "": supported values: None, Metadata, Request, RequestResponse',
    ],
    [
      "an unknown stage",
      { ...policy, omitStages: ["Later"] },
      'omitStages[0]: "Later": allowed stages are RequestReceived,ResponseStarted,ResponseComplete,Panic',
    ],
    [
      "resources and paths in one rule",
      { ...policy, rules: [{ level: "None", namespaces: ["a"], nonResourceURLs: ["/x"] }] },
      "rules[0].nonResourceURLs: rules cannot apply to both regular resources and non-resource URLs",
    ],
    [
      "a wildcard in the middle",
      { ...policy, rules: [{ level: "None", nonResourceURLs: ["/x*/y"] }] },
      "rules[0].nonResourceURLs: /x*/y: non-resource URL wildcards '*' must be the final character of the rule",
    ],
  ])("refuses %s", (_, json, message) => {
    expect(() => readAuditPolicy(json)).toThrow(message);
  });
});
