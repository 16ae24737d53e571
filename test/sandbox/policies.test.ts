/** Admission policies beyond the contract tests: custom resources of new kinds, and the audit log. */
import { describe, expect, test } from "bun:test";
import { readAll } from "../../src/api/transport.ts";
import { realTimeline } from "../../src/platform/real-timeline.ts";
import { seededRandom } from "../../src/platform/random.ts";
import { readAuditPolicy } from "../../src/sandbox/audit/policy.ts";
import { createSandbox } from "../../src/sandbox/sandbox.ts";

type Json = Record<string, unknown>;
type Send = (path: string, body: Json) => Promise<{ readonly status: number; readonly text: string }>;

const policyGroup = "/apis/admissionregistration.k8s.io/v1";
const widgets = "/apis/example.com/v1/namespaces/default/widgets";
const configmaps = "/api/v1/namespaces/default/configmaps";

/** Starts a sandbox whose audit log has the level Metadata. */
async function started(events: string[] = []): Promise<Send> {
  const policy = readAuditPolicy({ apiVersion: "audit.k8s.io/v1", kind: "Policy", rules: [{ level: "Metadata" }] });
  const sandbox = await createSandbox({
    timeline: realTimeline(),
    random: seededRandom(1),
    defaultServiceAccounts: false,
    audit: { policy, write: (event) => void events.push(event) },
  });
  const transport = sandbox.transport({ actor: "test" });
  const send: Send = async (path, body) => {
    const response = await transport.send({
      method: "POST",
      path,
      headers: { "content-type": "application/json" },
      body: new TextEncoder().encode(JSON.stringify(body)),
      signal: new AbortController().signal,
    });
    return { status: response.status, text: new TextDecoder().decode(await readAll(response.body)) };
  };
  return send;
}

/** Starts a sandbox that serves widgets. */
async function serving(): Promise<Send> {
  const send = await started();
  const spec = { type: "object", properties: { size: { type: "integer" } } };
  await send("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {
    metadata: { name: "widgets.example.com" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "widgets", kind: "Widget" },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: "object", properties: { spec } } },
        },
      ],
    },
  });
  const widget = { apiVersion: "example.com/v1", kind: "Widget", metadata: { name: "limits" }, spec: { size: 2 } };
  // A controller establishes the definition in later turns of the event loop.
  for (let turn = 0; turn < 1000; turn++) {
    if ((await send(widgets, widget)).status === 201) return send;
    await new Promise((resolve) => setImmediate(resolve));
  }
  throw new Error("the definition was not established");
}

const about = (apiGroup: string, resource: string): Json => ({
  resourceRules: [{ operations: ["CREATE"], apiGroups: [apiGroup], apiVersions: ["v1"], resources: [resource] }],
});

describe("admission policies and custom resources", () => {
  test("a custom resource can be a parameter as soon as its kind is served", async () => {
    const send = await serving();
    await send(`${policyGroup}/validatingadmissionpolicies`, {
      metadata: { name: "p" },
      spec: {
        paramKind: { apiVersion: "example.com/v1", kind: "Widget" },
        matchConstraints: about("", "configmaps"),
        validations: [{ expression: "int(object.data.a) <= params.spec.size" }],
      },
    });
    await send(`${policyGroup}/validatingadmissionpolicybindings`, {
      metadata: { name: "b" },
      spec: {
        policyName: "p",
        validationActions: ["Deny"],
        paramRef: { name: "limits", namespace: "default", parameterNotFoundAction: "Deny" },
      },
    });
    expect((await send(configmaps, { metadata: { name: "a" }, data: { a: "2" } })).status).toBe(201);
    const refused = await send(configmaps, { metadata: { name: "b" }, data: { a: "3" } });
    expect(refused.status).toBe(422);
    expect(refused.text).toContain("denied request: failed expression: int(object.data.a) <= params.spec.size");
  });

  test("a custom resource is mutated by its schema", async () => {
    const send = await serving();
    await send(`${policyGroup}/mutatingadmissionpolicies`, {
      metadata: { name: "p" },
      spec: {
        reinvocationPolicy: "Never",
        matchConstraints: about("example.com", "widgets"),
        mutations: [
          {
            patchType: "ApplyConfiguration",
            applyConfiguration: { expression: "Object{spec: Object.spec{size: object.spec.size + 1}}" },
          },
        ],
      },
    });
    await send(`${policyGroup}/mutatingadmissionpolicybindings`, {
      metadata: { name: "b" },
      spec: { policyName: "p" },
    });
    const widget = { apiVersion: "example.com/v1", kind: "Widget", metadata: { name: "x" }, spec: { size: 5 } };
    const made = await send(widgets, widget);
    expect(made.status).toBe(201);
    expect((JSON.parse(made.text) as { spec: Json }).spec).toEqual({ size: 6 });
  });
});

describe("admission policies and the audit log", () => {
  test("annotations and failures of an audited binding are written, values of several bindings as one", async () => {
    const events: string[] = [];
    const send = await started(events);
    await send(`${policyGroup}/validatingadmissionpolicies`, {
      metadata: { name: "p.example.com" },
      spec: {
        matchConstraints: about("", "configmaps"),
        validations: [{ expression: "true" }, { expression: "object.data.a == 'ok'", message: "no" }],
        auditAnnotations: [{ key: "value", valueExpression: "'is ' + object.data.a" }],
      },
    });
    for (const name of ["a", "b"])
      await send(`${policyGroup}/validatingadmissionpolicybindings`, {
        metadata: { name },
        spec: { policyName: "p.example.com", validationActions: ["Audit"] },
      });
    expect((await send(configmaps, { metadata: { name: "x" }, data: { a: "bad" } })).status).toBe(201);
    const written = events.map((event) => JSON.parse(event) as { stage: string; annotations?: Json });
    const last = written.filter(({ stage }) => stage === "ResponseComplete").at(-1);
    expect(last?.annotations).toMatchObject({
      "p.example.com/value": "is bad",
      "validation.policy.admission.k8s.io/validation_failure":
        '[{"message":"no","policy":"p.example.com","binding":"a","expressionIndex":1,"validationActions":["Audit"]}]',
    });
  });
});
