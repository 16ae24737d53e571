/** Invalid protobuf bodies: the sandbox responds as a real kube-apiserver 1.36.3 did to the same bytes. */
import { describe, expect, test } from "bun:test";
import { readAll } from "../../src/api/transport.ts";
import { seededRandom } from "../../src/platform/random.ts";
import { realTimeline } from "../../src/platform/real-timeline.ts";
import { createSandbox } from "../../src/sandbox/sandbox.ts";

const magic = [0x6b, 0x38, 0x73, 0];
const text = (number: number, value: string): number[] => [
  number * 8 + 2,
  value.length,
  ...new TextEncoder().encode(value),
];
const message = (number: number, bytes: readonly number[]): number[] => [number * 8 + 2, bytes.length, ...bytes];
const typed = (apiVersion: string, kind: string): number[] => message(1, [...text(1, apiVersion), ...text(2, kind)]);

type Json = Record<string, unknown>;

interface Case {
  readonly name: string;
  readonly bytes: readonly number[];
  readonly code: number;
  readonly says: string;
}

const unrecognized = "the object provided is unrecognized (must be of type ConfigMap): ";
const cases: readonly Case[] = [
  {
    name: "something else",
    bytes: [0x78],
    code: 400,
    says: `${unrecognized}provided data does not appear to be a protobuf message, expected prefix [107 56 115 0] (78)`,
  },
  { name: "an empty body", bytes: [], code: 400, says: `${unrecognized}empty data (<empty>)` },
  { name: "only the prefix", bytes: magic, code: 400, says: `${unrecognized}empty body (6b387300)` },
  {
    name: "a prefix before garbage",
    bytes: [...magic, 255, 254, 1, 2, 3],
    code: 400,
    says: `${unrecognized}proto: illegal wireType 7 (6b387300fffe010203)`,
  },
  {
    name: "another kind",
    bytes: [...magic, ...typed("v1", "Secret"), ...message(2, [])],
    code: 400,
    says: 'Secret in version "v1" cannot be handled as a ConfigMap: converting (v1.Secret) to (core.ConfigMap): unknown conversion',
  },
  {
    name: "an unknown kind",
    bytes: [...magic, ...typed("v1", "Nope"), ...message(2, [])],
    code: 400,
    says: 'Nope in version "v1" cannot be handled as a ConfigMap: no kind "Nope" is registered for version "v1" in scheme "pkg/runtime/scheme.go:111"',
  },
  {
    name: "a truncated message",
    bytes: [...magic, ...typed("v1", "ConfigMap"), ...message(2, [10, 50, 1])],
    code: 400,
    says: 'ConfigMap in version "v1" cannot be handled as a ConfigMap: unexpected EOF',
  },
  {
    name: "no kind: that of the path is used",
    bytes: [...magic, ...message(2, [])],
    code: 422,
    says: 'ConfigMap "" is invalid: metadata.name: Required value: name or generateName is required',
  },
];

async function post(bytes: readonly number[]): Promise<{ readonly status: number; readonly json: Json }> {
  const timeline = realTimeline();
  const sandbox = await createSandbox({ timeline, random: seededRandom(1) });
  const { status, body } = await sandbox.transport({ actor: "test" }).send({
    method: "POST",
    path: "/api/v1/namespaces/default/configmaps",
    headers: { "content-type": "application/vnd.kubernetes.protobuf" },
    body: new Uint8Array(bytes),
    signal: new AbortController().signal,
  });
  return { status, json: JSON.parse(new TextDecoder().decode(await readAll(body))) as Json };
}

describe("a protobuf body", () => {
  test.each(cases)("of $name gets the real server's response", async ({ bytes, code, says }) => {
    const { status, json } = await post(bytes);
    expect([status, json["kind"], json["message"]]).toEqual([code, "Status", says]);
  });

  test("is stored as its JSON would be, without empty fields", async () => {
    const metadata = [...text(1, "made"), ...text(2, ""), ...message(11, [...text(1, "__proto__"), ...text(2, "x")])];
    const data = message(2, [...text(1, "key"), ...text(2, "value")]);
    const { status, json } = await post([
      ...magic,
      ...typed("v1", "ConfigMap"),
      ...message(2, [...message(1, metadata), ...data]),
    ]);
    expect([status, json["data"]]).toEqual([422, undefined]);
    const clean = [...magic, ...typed("v1", "ConfigMap"), ...message(2, [...message(1, text(1, "made")), ...data])];
    const made = await post(clean);
    expect([made.status, made.json["data"]]).toEqual([201, { key: "value" }]);
    expect(Object.keys(made.json["metadata"] as object)).not.toContain("generateName");
  });
});

describe("a client that accepts only protobuf", () => {
  const protobuf = "application/vnd.kubernetes.protobuf";

  async function protobufGetter(): Promise<
    (path: string, accept?: string) => Promise<readonly [number, string, boolean]>
  > {
    const sandbox = await createSandbox({ timeline: realTimeline(), random: seededRandom(1) });
    const transport = sandbox.transport({ actor: "test" });
    return async (path, accept = protobuf) => {
      const [where = "", search = ""] = path.split("?");
      const query = search === "" ? [] : search.split("&").map((one) => one.split("=") as [string, string]);
      const { signal } = new AbortController();
      const response = await transport.send({ method: "GET", path: where, query, headers: { accept }, signal });
      const bytes = await readAll(response.body);
      const type = response.header("content-type") ?? "";
      return [response.status, type, magic.every((byte, index) => bytes[index] === byte)];
    };
  }

  test("gets objects, lists, metadata and errors in it", async () => {
    const get = await protobufGetter();
    expect(await get("/api/v1/namespaces/default")).toEqual([200, protobuf, true]);
    expect(await get("/api/v1/namespaces")).toEqual([200, protobuf, true]);
    expect(await get("/api/v1/namespaces/none")).toEqual([404, protobuf, true]);
    const metadata = `${protobuf};as=PartialObjectMetadataList;g=meta.k8s.io;v=v1`;
    expect(await get("/api/v1/namespaces", metadata)).toEqual([200, protobuf, true]);
  });

  test("gets JSON if there is no protobuf form, with a refusal", async () => {
    const get = await protobufGetter();
    const refused = [406, "application/json", false] as const;
    expect(await get("/apis/apiextensions.k8s.io/v1/customresourcedefinitions")).toEqual(refused);
    expect(await get("/api/v1/namespaces", `${protobuf};as=Table;g=meta.k8s.io;v=v1`)).toEqual(refused);
    expect(await get("/apis")).toEqual(refused);
  });

  test("that also accepts JSON gets JSON", async () => {
    const get = await protobufGetter();
    expect(await get("/api/v1/namespaces", `${protobuf}, application/json`)).toEqual([200, "application/json", false]);
    expect(await get("/api/v1/namespaces", `${protobuf}, */*`)).toEqual([200, "application/json", false]);
  });
});
