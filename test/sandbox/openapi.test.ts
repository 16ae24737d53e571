/** Aspects of the OpenAPI documents that the comparison with a real server (test/contract/fresh.cluster.test.ts) does not cover. */
import { describe, expect, test } from "bun:test";
import { readAll } from "../../src/api/transport.ts";
import { bytesIn, lastFields, wireFields } from "../../src/api/wire/wire-fields.ts";
import { realTimeline } from "../../src/platform/real-timeline.ts";
import { seededRandom } from "../../src/platform/random.ts";
import { createSandbox } from "../../src/sandbox/sandbox.ts";

interface TextResponse {
  readonly status: number;
  header(this: void, name: string): string | undefined;
  readonly text: string;
  readonly bytes: Uint8Array;
}

type Get = (path: string, headers?: Readonly<Record<string, string>>) => Promise<TextResponse>;

async function getter(): Promise<Get> {
  const sandbox = await createSandbox({ timeline: realTimeline(), random: seededRandom(1) });
  const transport = sandbox.transport({ actor: "test" });
  return async (path, headers = {}) => {
    const signal = new AbortController().signal;
    const response = await transport.send({ method: "GET", path, headers, signal });
    const bytes = await readAll(response.body);
    const text = new TextDecoder().decode(bytes);
    return { status: response.status, header: (name) => response.header(name), text, bytes };
  };
}

function references(text: string): readonly string[] {
  return [...text.matchAll(/"\$ref":"([^"]+)"/g)].map(([, reference = ""]) => reference);
}

describe("an OpenAPI document", () => {
  test("has every schema that it references, and no others", async () => {
    const get = await getter();
    const { paths } = JSON.parse((await get("/openapi/v3")).text) as { paths: Record<string, unknown> };
    const roots = Object.keys(paths);
    expect(roots.length).toBeGreaterThan(40);
    for (const root of roots) {
      const { text } = await get(`/openapi/v3/${root}`);
      const { components } = JSON.parse(text) as { components: { schemas?: Record<string, unknown> } };
      const named = new Set(references(text).map((reference) => reference.replace("#/components/schemas/", "")));
      expect({ root, schemas: Object.keys(components.schemas ?? {}) }).toEqual({ root, schemas: [...named].sort() });
    }
  });

  test("in version 2 is complete as well, and is cached by its tag", async () => {
    const get = await getter();
    const { status, text, header } = await get("/openapi/v2", { accept: "application/json" });
    expect(status).toBe(200);
    const { definitions } = JSON.parse(text) as { definitions: Record<string, unknown> };
    const named = references(text).map((reference) => reference.replace("#/definitions/", ""));
    expect(named.filter((name) => !Object.hasOwn(definitions, name))).toEqual([]);
    const etag = header("etag") ?? "";
    expect(await get("/openapi/v2", { "if-none-match": etag })).toMatchObject({ status: 304, text: "" });
    expect(await get("/openapi/v2", { accept: "text/html" })).toMatchObject({ status: 406, text: "" });
  });

  test("in version 2 is the same in protobuf", async () => {
    const get = await getter();
    const accept = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";
    const { bytes, header } = await get("/openapi/v2", { accept });
    expect(header("content-type")).toBe("application/com.github.proto-openapi.spec.v2.v1.0+protobuf");
    const { text } = await get("/openapi/v2");
    const { definitions, paths } = JSON.parse(text) as Swagger;
    expect(namesIn(entriesAt(bytes, 9, 1))).toEqual(Object.keys(definitions));
    expect(namesIn(entriesAt(bytes, 8, 2))).toEqual(Object.keys(paths));

    // Definitions → Schema of a Scale: its description (4), its type (22), its properties (25), its group, version and kind (31).
    const scale = valueOf(entriesAt(bytes, 9, 1), "io.k8s.api.autoscaling.v1.Scale");
    const { description, properties = {} } = definitions["io.k8s.api.autoscaling.v1.Scale"] ?? {};
    expect(textAt(scale, 4)).toBe(description ?? "");
    expect(textAt(bytesAt(scale, 22), 1)).toBe("object");
    const fields = entriesAt(scale, 25, 1);
    expect(namesIn(fields)).toEqual(Object.keys(properties));
    expect(textAt(valueOf(fields, "spec"), 1)).toBe("#/definitions/io.k8s.api.autoscaling.v1.ScaleSpec");
    expect(textAt(valueOf(entriesOf(scale, 31), "x-kubernetes-group-version-kind"), 2)).toBe(
      '[{"group":"autoscaling","kind":"Scale","version":"v1"}]\n',
    );

    // Paths → PathItem → patch (8) → parameters (8) → Parameter (1): BodyParameter (1), or NonBodyParameter (2) in the query (3).
    const patch = bytesAt(valueOf(entriesAt(bytes, 8, 2), "/api/v1/namespaces/{name}"), 8);
    const parameters = [...wireFields(patch)].filter(({ number }) => number === 8).map(bytesIn);
    const choices = parameters.map((parameter) => lastFields(bytesAt(parameter, 1)));
    const bodies = choices.flatMap((choice) => choice.get(1) ?? []).map(bytesIn);
    expect(bodies.map((body) => textAt(body, 2))).toEqual(["body"]);
    const queries = choices.flatMap((choice) => choice.get(2) ?? []).map((field) => bytesAt(bytesIn(field), 3));
    expect(queries.map((query) => textAt(query, 4))).toContain("fieldValidation");
  });
});

interface Swagger {
  readonly paths: Readonly<Record<string, object>>;
  readonly definitions: Readonly<Record<string, { readonly description?: string; readonly properties?: object }>>;
}

/** The last field with this number, which is a message or a string. */
function bytesAt(message: Uint8Array, number: number): Uint8Array {
  const field = lastFields(message).get(number);
  return field === undefined ? new Uint8Array() : bytesIn(field);
}

const textAt = (message: Uint8Array, number: number): string => new TextDecoder().decode(bytesAt(message, number));

/** Pairs of a name (1) and a value (2), in the field `inner` of the message in the field `number`. */
const entriesAt = (message: Uint8Array, number: number, inner: number): readonly Uint8Array[] =>
  entriesOf(bytesAt(message, number), inner);

const entriesOf = (message: Uint8Array, number: number): readonly Uint8Array[] =>
  [...wireFields(message)].filter((field) => field.number === number).map(bytesIn);

const namesIn = (entries: readonly Uint8Array[]): readonly string[] => entries.map((entry) => textAt(entry, 1));

function valueOf(entries: readonly Uint8Array[], name: string): Uint8Array {
  const entry = entries.find((one) => textAt(one, 1) === name);
  return entry === undefined ? new Uint8Array() : bytesAt(entry, 2);
}
