/** What the comparison with a real server (test/contract/fresh.cluster.test.ts) does not show of the OpenAPI documents. */
import { describe, expect, test } from "bun:test";
import { readAll } from "../../src/api/transport.ts";
import { realTimeline } from "../../src/platform/real-timeline.ts";
import { seededRandom } from "../../src/platform/random.ts";
import { createSandbox } from "../../src/sandbox/sandbox.ts";

interface Answer {
  readonly status: number;
  header(this: void, name: string): string | undefined;
  readonly text: string;
}

type Get = (path: string, headers?: Readonly<Record<string, string>>) => Promise<Answer>;

async function getter(): Promise<Get> {
  const sandbox = await createSandbox({ timeline: realTimeline(), random: seededRandom(1) });
  const transport = sandbox.transport({ actor: "test" });
  return async (path, headers = {}) => {
    const signal = new AbortController().signal;
    const response = await transport.send({ method: "GET", path, headers, signal });
    const text = new TextDecoder().decode(await readAll(response.body));
    return { status: response.status, header: (name) => response.header(name), text };
  };
}

function references(text: string): readonly string[] {
  return [...text.matchAll(/"\$ref":"([^"]+)"/g)].map(([, reference = ""]) => reference);
}

describe("an OpenAPI document", () => {
  test("has every schema that it refers to, and no other", async () => {
    const get = await getter();
    const { paths } = JSON.parse((await get("/openapi/v3")).text) as { paths: Record<string, unknown> };
    const roots = Object.keys(paths);
    expect(roots.length).toBeGreaterThan(40);
    for (const root of roots) {
      const { text } = await get(`/openapi/v3/${root}`);
      const { components } = JSON.parse(text) as { components: { schemas: Record<string, unknown> } };
      const named = new Set(references(text).map((reference) => reference.replace("#/components/schemas/", "")));
      expect({ root, schemas: Object.keys(components.schemas) }).toEqual({ root, schemas: [...named].sort() });
    }
  });

  test("of version 2 is complete as well, kept by its tag, and JSON alone", async () => {
    const get = await getter();
    const { status, text, header } = await get("/openapi/v2", { accept: "application/json" });
    expect(status).toBe(200);
    const { definitions } = JSON.parse(text) as { definitions: Record<string, unknown> };
    const named = references(text).map((reference) => reference.replace("#/definitions/", ""));
    expect(named.filter((name) => !Object.hasOwn(definitions, name))).toEqual([]);
    const etag = header("etag") ?? "";
    expect(await get("/openapi/v2", { "if-none-match": etag })).toMatchObject({ status: 304, text: "" });
    const protobuf = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";
    expect(await get("/openapi/v2", { accept: protobuf })).toMatchObject({ status: 406, text: "" });
  });
});
