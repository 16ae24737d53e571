import { describe, expect, test } from "bun:test";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseManifests, placeOf, readManifests } from "../../plugin/manifests.ts";
import { rejection } from "../support/rejection.ts";

const pod = (name: string): string => `apiVersion: v1\nkind: Pod\nmetadata:\n  name: ${name}\n`;

function parsed(text: string): { readonly places: readonly string[]; readonly problems: readonly string[] } {
  const problems: string[] = [];
  return { places: parseManifests("a.yaml", text, problems).map(placeOf), problems };
}

describe("parseManifests", () => {
  test("reads every document, and every item of a list", () => {
    const list = `apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: Pod, metadata: {name: c}}\n- {apiVersion: v1, kind: Pod, metadata: {name: d}}\n`;
    const { places, problems } = parsed([pod("a"), "# nothing\n", pod("b"), list].join("---\n"));
    expect(problems).toEqual([]);
    expect(places).toEqual([
      "a.yaml, document 1 (Pod a)",
      "a.yaml, document 3 (Pod b)",
      "a.yaml, document 4 (Pod c)",
      "a.yaml, document 4 (Pod d)",
    ]);
  });

  test("reads values as kubectl does: octal modes, yes for true, dates and 1:30 as texts", () => {
    const text = `${pod("a")}spec: {mode: 0644, on: yes, at: 2026-01-01, ports: 1:30, big: 0o17}\n`;
    const [manifest] = parseManifests("a.yaml", text, []);
    expect(manifest?.object).toMatchObject({ spec: { mode: 420, at: "2026-01-01", ports: "1:30" } });
  });

  test("reads JSON", () => {
    expect(parsed(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"j"}}`).places).toEqual([
      "a.yaml, document 1 (Pod j)",
    ]);
  });

  const wrong = [
    { name: "broken YAML", text: `${pod("a")}---\nkind: [\n`, says: "a.yaml, document 2, line 7: " },
    {
      name: "no kind",
      text: "apiVersion: v1\nmetadata: {name: a}\n",
      says: "a.yaml, document 1, line 1: kind: Required value",
    },
    { name: "no name", text: "apiVersion: v1\nkind: Pod\nmetadata: {}\n", says: "metadata.name: Required value" },
    { name: "a text", text: "hello\n", says: "it is no object" },
    {
      name: "a bad item of a list",
      text: "apiVersion: v1\nkind: List\nitems: [{kind: Pod}]\n",
      says: "items[0]: apiVersion: Required value",
    },
    {
      name: "an alias that goes round for ever",
      text: `${Array.from({ length: 9 }, (_, i) => `a${i}: &a${i} [${i === 0 ? "x" : Array.from({ length: 9 }, () => `*a${i - 1}`).join()}]`).join("\n")}\n`,
      says: "Excessive alias count",
    },
  ];
  test.each(wrong)("says file, document and reason for $name", ({ text, says }) => {
    const { problems } = parsed(text);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(says);
  });
});

describe("readManifests", () => {
  test("reads the YAML and JSON files of a folder by name, and nothing else in it", async () => {
    const folder = await mkdtemp(join(tmpdir(), "manifests-"));
    try {
      await writeFile(join(folder, "b.yml"), pod("b"));
      await writeFile(join(folder, "a.yaml"), pod("a"));
      await writeFile(join(folder, "README.md"), "no: [");
      expect((await readManifests([folder])).map(({ object }) => object.metadata.name)).toEqual(["a", "b"]);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  test("says which file is missing", async () => {
    const error = await rejection(readManifests(["/nowhere/web.yaml"]));
    expect(String(error)).toContain("there is no file /nowhere/web.yaml");
  });
});
