/** YAML beyond the contract cases: round trips are lossless, and no input keeps the reader busy for long. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { yamlReadyFor } from "../../src/sandbox/serialization/yaml/codec.ts";
import { readYaml } from "../../src/sandbox/serialization/yaml/read.ts";
import { createSandbox } from "../../src/sandbox/sandbox.ts";
import { realTimeline } from "../../src/platform/real-timeline.ts";
import { seededRandom } from "../../src/platform/random.ts";
import { sendRequest } from "./support/requests.ts";
import { writeYaml } from "../../src/sandbox/serialization/yaml/write.ts";

const encoder = new TextEncoder();

describe("the codec", () => {
  const ready = (type: string, body: string): boolean =>
    yamlReadyFor({}, { headers: { "content-type": type }, body: encoder.encode(body) }) === undefined;

  test("is loaded if a body may be YAML, and not for a configuration in plain JSON", () => {
    const applied = "application/apply-patch+yaml";
    expect(ready("application/json", "{}")).toBe(true);
    expect(ready(applied, '{"a": 1}')).toBe(true);
    // For duplicate keys, the YAML reader reports more than a JSON parser.
    for (const body of ["a: 1", "{a: 1}", '{"a": 1, "a": 2}', "{"]) expect(ready(applied, body)).toBe(false);
    expect(ready("application/yaml", "{}")).toBe(false);
  });

  test("is not awaited once it is loaded", () => {
    const codec = { read: readYaml, write: writeYaml };
    const headers = { "content-type": "application/yaml" };
    expect(yamlReadyFor({ codec }, { headers, body: encoder.encode("a: 1") })).toBeUndefined();
  });
});
const read = (text: string): unknown => readYaml(encoder.encode(text)).json;

const tricky = fc.constantFrom(
  "yes",
  "~",
  "",
  "null",
  "1",
  "0x1f",
  "1e3",
  ".",
  "-",
  "- a",
  "a: b",
  "#",
  "a #b",
  " a",
  "a ",
  "\n",
  "a\n",
  " a\nb",
  "\ta",

  "1:30",
  "2001-01-01",
  "<<",
  "&a",
  "*a",
  "!a",
  "%a",
  "@a",
  "`a",
  "'",
  '"',
  "\\",
  "...",
  "---",
  "é",
  "😀",
  "\u2028",
  "a\tb",
  "=",
  "?",
  "{",
  "]",
);
// YAML cannot represent a lone surrogate, and JSON bodies do not contain one either.
const text = fc.oneof(tricky, fc.string({ unit: "binary" }));
const { tree } = fc.letrec((tie) => ({
  tree: fc.oneof(
    { depthSize: "small" },
    text,
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie("tree"), { maxLength: 4 }),
    fc.dictionary(text, tie("tree"), { maxKeys: 4 }),
  ),
}));

describe("YAML", () => {
  test("is parsed as it was written (seed 1)", () => {
    fc.assert(
      fc.property(fc.dictionary(text, tree, { maxKeys: 5 }), (object) => {
        const plain = JSON.parse(JSON.stringify(object)) as unknown;
        expect(read(writeYaml(plain))).toEqual(plain);
      }),
      { seed: 1, numRuns: 500 },
    );
  });

  test("is formatted as by kube-apiserver", () => {
    const config = {
      kind: "ConfigMap",
      data: { b: "1", a: "yes", c: "two\nlines\n", d: " x", e: "", f: "a: b", g: "kept" },
      metadata: { name: "a", labels: {}, finalizers: ["x", "y"] },
    };
    expect(writeYaml(config)).toBe(`data:
  a: "yes"
  b: "1"
  c: |
    two
    lines
  d: ' x'
  e: ""
  f: 'a: b'
  g: kept
kind: ConfigMap
metadata:
  finalizers:
  - x
  - "y"
  labels: {}
  name: a
`);
  });

  test("can have a key __proto__", () => {
    const value = read("__proto__: {a: b}\nconstructor: c\n") as object;
    expect(Object.keys(value)).toEqual(["__proto__", "constructor"]);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });

  const bombs: readonly { readonly name: string; readonly text: string; readonly says: RegExp }[] = [
    { name: "nested lists", text: "[".repeat(3_000_000), says: /exceeded max depth of 10000/ },
    { name: "nested maps", text: "{a: ".repeat(700_000), says: /exceeded max depth of 10000/ },
    { name: "nested dashes", text: "- ".repeat(1_500_000), says: /more than 300000 words/ },
    { name: "a long list", text: "- a\n".repeat(700_000), says: /more than 300000 words/ },
    { name: "many documents", text: "---\n".repeat(700_000), says: /more than 300000 words/ },
    {
      name: "aliases of aliases",
      text: [...Array(12).keys()]
        .map((i) => `a${i}: &a${i} [${`${i === 0 ? "x" : `*a${i - 1}`},`.repeat(9)}]`)
        .join("\n"),
      says: /excessive aliasing/,
    },
    { name: "an alias inside its anchor", text: "a: &a [*a]\n", says: /anchor 'a' value contains itself/ },
    { name: "bytes that are not text", text: "a: \u0001", says: /control characters are not allowed/ },
  ];
  test.each([...bombs])("is refused: $name", ({ text, says }) => {
    expect(() => read(text)).toThrow(says);
  });
});

describe("a response in YAML", () => {
  const paths = [
    "/api",
    "/apis/apps/v1",
    "/api/v1/namespaces/default",
    "/api/v1/namespaces/nowhere",
    "/api/v1/namespaces",
    "/apis/apps/v1/namespaces/default/deployments",
    "/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers/web",
  ];
  const forms = ["", ";as=Table;g=meta.k8s.io;v=v1", ";as=PartialObjectMetadata;g=meta.k8s.io;v=v1"];

  test("says the same as in JSON, for objects, lists, tables, metadata and errors", async () => {
    const sandbox = await createSandbox({ timeline: realTimeline(), random: seededRandom(1) });
    const transport = sandbox.transport({ actor: "test" });
    const spec = { maxReplicas: 3, scaleTargetRef: { kind: "Deployment", name: "web", apiVersion: "apps/v1" } };
    const body = { metadata: { name: "web" }, spec };
    await sendRequest(transport, "POST", "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers", { body });
    for (const path of paths) {
      for (const form of forms) {
        const plain = await sendRequest(transport, "GET", path, { accept: `application/json${form}` });
        const yaml = await sendRequest(transport, "GET", path, { accept: `application/yaml${form}` });
        expect(yaml.status).toBe(plain.status);
        expect(read(String(yaml.body["text"]))).toEqual(plain.body);
      }
    }
  });
});
