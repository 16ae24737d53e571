/** Audit annotations of webhooks: their own ones, whether and how they changed the object, and whether they failed open. */
import { afterAll, describe, expect, test } from "bun:test";
import * as http from "node:http";
import type { AddressInfo } from "node:net";
import { realTimeline } from "../../src/platform/real-timeline.ts";
import { seededRandom } from "../../src/platform/random.ts";
import { readAuditPolicy } from "../../src/sandbox/audit/policy.ts";
import { createSandbox } from "../../src/sandbox/sandbox.ts";
import { sendRequest, type Json } from "./support/requests.ts";

const patch = [{ value: { by: "<hook>" }, path: "/data", op: "add" }];
const admissionResponses: Readonly<Record<string, Json>> = {
  "/changes": {
    allowed: true,
    patchType: "JSONPatch",
    patch: Buffer.from(JSON.stringify(patch)).toString("base64"),
    auditAnnotations: { why: "because", "no/key": "left out" },
  },
  "/agrees": { allowed: true, auditAnnotations: { seen: "yes" } },
  "/denies": { allowed: false, auditAnnotations: { seen: "and denied" } },
};

const hooks = http.createServer((request, response) => {
  void (async () => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of request) chunks.push(chunk as Uint8Array);
    const review = JSON.parse(Buffer.concat(chunks).toString()) as { request: Json };
    const admissionResponse = admissionResponses[new URL(request.url ?? "", "http://hooks").pathname];
    response.statusCode = admissionResponse === undefined ? 500 : 200;
    response.setHeader("content-type", "application/json");
    const kind = { kind: "AdmissionReview", apiVersion: "admission.k8s.io/v1" };
    response.end(JSON.stringify({ ...kind, response: { uid: review.request["uid"], ...admissionResponse } }));
  })();
});
await new Promise<void>((resolve) => {
  hooks.listen(0, "127.0.0.1", resolve);
});
const { port } = hooks.address() as AddressInfo;
afterAll(() => {
  hooks.closeAllConnections();
  hooks.close();
});

interface Configured {
  readonly level: "Metadata" | "Request";
  readonly mutating?: readonly Json[];
  readonly validating?: readonly Json[];
}

const hook = (name: string, path: string, more: Json = {}): Json => ({
  name: `${name}.example.com`,
  clientConfig: { service: { namespace: "hooks", name: "hook", path } },
  rules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] }],
  admissionReviewVersions: ["v1"],
  sideEffects: "None",
  ...more,
});

/** Creates a ConfigMap that the webhooks receive; returns the annotations of its audit event, without those of authorization. */
async function annotations({ level, ...webhooks }: Configured): Promise<Json> {
  const events: string[] = [];
  const sandbox = await createSandbox({
    timeline: realTimeline(),
    random: seededRandom(1),
    webhooks: { services: new Map([["hooks/hook", `http://127.0.0.1:${port}`]]) },
    audit: {
      policy: readAuditPolicy({ apiVersion: "audit.k8s.io/v1", kind: "Policy", rules: [{ level }] }),
      write: (event) => void events.push(event),
    },
  });
  const transport = sandbox.transport({ actor: "test" });
  for (const type of ["mutating", "validating"] as const) {
    const path = `/apis/admissionregistration.k8s.io/v1/${type}webhookconfigurations`;
    const own = webhooks[type];
    if (own !== undefined)
      await sendRequest(transport, "POST", path, { body: { metadata: { name: "test" }, webhooks: own } });
  }
  const configmaps = "/api/v1/namespaces/default/configmaps";
  await sendRequest(transport, "POST", configmaps, { body: { metadata: { name: "a" } } });
  const last = JSON.parse(events.at(-1) ?? "{}") as { readonly annotations: Json };
  return Object.fromEntries(Object.entries(last.annotations).filter(([key]) => !key.startsWith("authorization.")));
}

const mutated = (name: string, changed: boolean): string =>
  `{"configuration":"test","webhook":"${name}.example.com","mutated":${changed}}`;

describe("the audit log of a request that calls webhooks", () => {
  test("has the webhooks' annotations, and which of them changed the object", async () => {
    const mutating = [hook("one", "/changes"), hook("two", "/agrees")];
    const validating = [hook("three", "/agrees")];
    expect(await annotations({ level: "Metadata", mutating, validating })).toEqual({
      "mutation.webhook.admission.k8s.io/round_0_index_0": mutated("one", true),
      "mutation.webhook.admission.k8s.io/round_0_index_1": mutated("two", false),
      "one.example.com/why": "because",
      "two.example.com/seen": "yes",
      "three.example.com/seen": "yes",
    });
  });

  test("has their patches from the level Request on, with the keys of each operation sorted", async () => {
    const found = await annotations({ level: "Request", mutating: [hook("one", "/changes")] });
    expect(found["patch.webhook.admission.k8s.io/round_0_index_0"]).toBe(
      String.raw`{"configuration":"test","webhook":"one.example.com","patch":[{"op":"add","path":"/data","value":{"by":"\u003chook\u003e"}}],"patchType":"JSONPatch"}`,
    );
  });

  test("counts the second round, in which a webhook sees a later one's change", async () => {
    const mutating = [hook("one", "/agrees", { reinvocationPolicy: "IfNeeded" }), hook("two", "/changes")];
    const found = await annotations({ level: "Metadata", mutating });
    expect(found).toMatchObject({
      "mutation.webhook.admission.k8s.io/round_0_index_1": mutated("two", true),
      "mutation.webhook.admission.k8s.io/round_1_index_0": mutated("one", false),
    });
  });

  test("has those that failed open, and the annotations of one that denied", async () => {
    const ignored = { failurePolicy: "Ignore" };
    const mutating = [hook("one", "/fails", ignored)];
    const validating = [hook("two", "/agrees"), hook("three", "/fails", ignored), hook("four", "/denies")];
    expect(await annotations({ level: "Metadata", mutating, validating })).toEqual({
      "failed-open.mutation.webhook.admission.k8s.io/round_0_index_0": "one.example.com",
      "failed-open.validating.webhook.admission.k8s.io/round_0_index_1": "three.example.com",
      "four.example.com/seen": "and denied",
      "mutation.webhook.admission.k8s.io/round_0_index_0": mutated("one", false),
      "two.example.com/seen": "yes",
    });
  });
});
