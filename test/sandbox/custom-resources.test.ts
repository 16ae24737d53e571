/** Custom resources beyond the contract tests: hostile schemas, many definitions, watches, discovery after changes. */
import { describe, expect, test } from "bun:test";
import type { Method, Transport } from "../../src/api/transport.ts";
import { seededRandom } from "../../src/platform/random.ts";
import { virtualTimeline } from "../../src/platform/virtual-timeline.ts";
import { createSandbox } from "../../src/sandbox/sandbox.ts";
import { type JsonResponse, sendRequest } from "./support/requests.ts";

const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

interface Cluster {
  readonly send: (method: Method, path: string, body?: unknown) => Promise<JsonResponse>;
  /** Waits until the controllers of the server have nothing left to do. */
  readonly settle: () => Promise<void>;
  readonly transport: Transport;
}

async function cluster(): Promise<Cluster> {
  const random = seededRandom(1);
  const timeline = virtualTimeline(Date.UTC(2026, 0, 1), seededRandom(2));
  const sandbox = await createSandbox({ timeline, random, defaultServiceAccounts: false });
  const transport = sandbox.transport({ actor: "test" });
  const driven = async <T>(work: Promise<T>): Promise<T> => {
    const state = { isDone: false };
    const finished = work.finally(() => (state.isDone = true));
    while (!state.isDone) {
      await timeline.runUntil({ ms: 1000 });
      // The modules for custom resources are loaded outside of virtual time.
      await new Promise((resolve) => setImmediate(resolve));
    }
    return finished;
  };
  return {
    transport,
    settle: async () => void (await timeline.runUntil({ ms: 1000 })),
    send: (method, path, body) => driven(sendRequest(transport, method, path, { body })),
  };
}

const definitionOf = (plural: string, schema: object): object => ({
  metadata: { name: `${plural}.example.com` },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { plural, kind: `Kind${plural}` },
    versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema } }],
  },
});

const field = (schema: object): object => ({
  type: "object",
  properties: { spec: { type: "object", properties: { field: schema } } },
});

const object = (plural: string, value: unknown): object => ({
  apiVersion: "example.com/v1",
  kind: `Kind${plural}`,
  metadata: { name: "a" },
  spec: { field: value },
});

const pathOf = (plural: string): string => `/apis/example.com/v1/namespaces/default/${plural}`;

describe("hostile schemas", () => {
  test("a pattern that would backtrack forever is matched in linear time", async () => {
    const { send, settle } = await cluster();
    await send("POST", definitions, definitionOf("things", field({ type: "string", pattern: "^(a+)+$" })));
    await settle();
    const began = performance.now();
    const { status } = await send("POST", pathOf("things"), object("things", `${"a".repeat(2000)}b`));
    expect(status).toBe(422);
    // A backtracking engine would need longer than the age of the universe; the limit is far from both.
    expect(performance.now() - began).toBeLessThan(60_000);
  });

  test("nested 1,000 deep are served, nested 4,000 deep get a response", async () => {
    const { send, settle } = await cluster();
    const nested = (depth: number): object => {
      let schema: object = { type: "string" };
      for (let level = 0; level < depth; level++) schema = { type: "object", properties: { a: schema } };
      return schema;
    };
    expect((await send("POST", definitions, definitionOf("deeps", nested(1000)))).status).toBe(201);
    await settle();
    expect((await send("GET", pathOf("deeps"))).status).toBe(200);
    const { status } = await send("POST", definitions, definitionOf("deepers", nested(4000)));
    expect([201, 400, 422, 500]).toContain(status);
    expect((await send("GET", pathOf("deeps"))).status).toBe(200);
  });

  test("a field called __proto__ is treated like any other", async () => {
    const { send, settle } = await cluster();
    const schema = JSON.parse(
      '{"type":"object","properties":{"spec":{"type":"object","properties":{"__proto__":{"type":"string","default":"x"}}}}}',
    ) as object;
    await send("POST", definitions, definitionOf("odds", schema));
    await settle();
    const made = await send("POST", pathOf("odds"), { ...object("odds", 1), spec: {} });
    expect(made.status).toBe(201);
    expect(JSON.stringify(made.body["spec"])).toBe('{"__proto__":"x"}');
    expect(({} as Record<string, unknown>)["type"]).toBeUndefined();
  });
});

describe("many definitions", () => {
  test("500 are established, listed and removed", async () => {
    const { send, settle } = await cluster();
    for (let index = 0; index < 500; index++)
      expect((await send("POST", definitions, definitionOf(`kinds${index}`, { type: "object" }))).status).toBe(201);
    await settle();
    const listed = await send("GET", "/apis/example.com/v1");
    expect((listed.body["resources"] as unknown[]).length).toBe(500);
    for (let index = 0; index < 500; index++) await send("DELETE", `${definitions}/kinds${index}.example.com`);
    await settle();
    expect((await send("GET", "/apis/example.com/v1")).status).toBe(404);
  });
});

describe("effects of a definition", () => {
  test("discovery and OpenAPI have its kind, and drop it", async () => {
    const { send, settle } = await cluster();
    const groups = async (): Promise<string> => JSON.stringify((await send("GET", "/apis")).body);
    const openApi = async (): Promise<string> => JSON.stringify((await send("GET", "/openapi/v3")).body);
    expect(await groups()).not.toContain("example.com");
    await send("POST", definitions, definitionOf("things", field({ type: "string", description: "What it is." })));
    await settle();
    expect(await groups()).toContain("example.com");
    expect(await openApi()).toContain("apis/example.com/v1");
    const document = await send("GET", "/openapi/v3/apis/example.com/v1");
    expect(JSON.stringify(document.body)).toContain("What it is.");
    await send("DELETE", `${definitions}/things.example.com`);
    await settle();
    expect(await groups()).not.toContain("example.com");
    expect(await openApi()).not.toContain("apis/example.com/v1");
    expect((await send("GET", pathOf("things"))).status).toBe(404);
  });

  test("watches of its objects end when it is deleted, after the deletions of the objects", async () => {
    const { send, settle, transport } = await cluster();
    await send("POST", definitions, definitionOf("things", field({ type: "string" })));
    await settle();
    await send("POST", pathOf("things"), object("things", "x"));
    const opened = transport.send({
      method: "GET",
      path: pathOf("things"),
      query: [["watch", "1"]],
      signal: new AbortController().signal,
    });
    const frames: string[] = [];
    const read = opened.then(async ({ body }) => {
      for (let chunk = await body.next(); chunk !== undefined; chunk = await body.next())
        frames.push(...new TextDecoder().decode(chunk).trim().split("\n"));
      frames.push("END");
    });
    await settle();
    await send("DELETE", `${definitions}/things.example.com`);
    await settle();
    await read;
    expect(frames.map((frame) => (frame === "END" ? frame : (JSON.parse(frame) as { type: string }).type))).toEqual([
      "ADDED",
      "DELETED",
      "END",
    ]);
  });
});
