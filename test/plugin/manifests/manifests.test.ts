import { describe, expect, test } from "bun:test";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Problem, problemText } from "../../../plugin/manifests/manifest-text.ts";
import { parseManifests, placeOf, readKustomization, readManifests } from "../../../plugin/manifests/manifests.ts";
import type { Host } from "../../../src/platform/host.ts";
import { realHost } from "../../../src/platform/host.ts";
import { fakeIo } from "../../support/fake-io.ts";
import { rejection } from "../../support/rejection.ts";

const io = fakeIo();

const pod = (name: string): string => `apiVersion: v1\nkind: Pod\nmetadata:\n  name: ${name}\n`;

function parsed(text: string): { readonly places: readonly string[]; readonly problems: readonly string[] } {
  const problems: Problem[] = [];
  return { places: parseManifests("a.yaml", text, problems).map(placeOf), problems: problems.map(problemText) };
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

  test("parses values as kubectl does: octal modes, yes for true, dates and 1:30 as strings", () => {
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
    { name: "a text", text: "hello\n", says: "it is not an object" },
    {
      name: "a bad item of a list",
      text: "apiVersion: v1\nkind: List\nitems: [{kind: Pod}]\n",
      says: "items[0]: apiVersion: Required value",
    },
    {
      name: "an endless alias",
      text: `${Array.from({ length: 9 }, (_, i) => `a${i}: &a${i} [${i === 0 ? "x" : Array.from({ length: 9 }, () => `*a${i - 1}`).join()}]`).join("\n")}\n`,
      says: "Excessive alias count",
    },
  ];
  test.each(wrong)("reports file, document and reason for $name", ({ text, says }) => {
    const { problems } = parsed(text);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(says);
  });
});

describe("the line of a field", () => {
  const text = `# a comment
apiVersion: v1
kind: List
items:
- apiVersion: apps/v1
  kind: Deployment
  metadata:
    name: web
    annotations:
      a.b/c: x
  spec:
    template:
      spec:
        containers:
        - name: a
        - name: b
          ports:
          - containerPort: many
`;
  const rows = [
    { field: "spec.template.spec.containers[1].name", line: 16 },
    { field: "spec.template.spec.containers.ports.containerPort", line: 18 },
    { field: "metadata.annotations[a.b/c]", line: 10 },
    { field: "spec.selector", line: 11 },
    { field: "nothing", line: 5 },
  ];
  test.each(rows)("is $line for $field, or that of its nearest parent", ({ field, line }) => {
    const [manifest] = parseManifests("a.yaml", text, []);
    expect(manifest?.lineOf?.(field)).toBe(line);
  });

  test("is known for JSON, too", () => {
    const json = JSON.stringify({ apiVersion: "v1", kind: "Pod", metadata: { name: "p" }, spec: { a: 1 } }, null, 1);
    const [manifest] = parseManifests("a.json", json, []);
    expect(manifest?.lineOf?.("spec.a")).toBe(8);
  });
});

describe("readManifests", () => {
  test("reads the YAML and JSON files of a folder by name, and nothing else in it", async () => {
    const folder = await mkdtemp(join(tmpdir(), "manifests-"));
    try {
      await writeFile(join(folder, "b.yml"), pod("b"));
      await writeFile(join(folder, "a.yaml"), pod("a"));
      await writeFile(join(folder, "README.md"), "no: [");
      expect((await readManifests([folder], { io })).map(({ object }) => object.metadata.name)).toEqual(["a", "b"]);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  test("skips sub-folders with a note, and reads them with -R", async () => {
    const folder = await mkdtemp(join(tmpdir(), "manifests-"));
    try {
      await mkdir(join(folder, "inner", "deep"), { recursive: true });
      await mkdir(join(folder, "pictures"));
      await writeFile(join(folder, "a.yaml"), pod("a"));
      await writeFile(join(folder, "inner", "deep", "b.yaml"), pod("b"));
      const notes: string[] = [];
      const read = async (recursive: boolean): Promise<readonly unknown[]> => {
        const found = await readManifests([folder], { io, recursive, onNote: (text) => notes.push(text) });
        return found.map(({ object }) => object.metadata.name);
      };
      expect([await read(false), await read(true)]).toEqual([["a"], ["a", "b"]]);
      expect(notes).toEqual([`not read: ${join(folder, "inner")}; -R reads sub-folders too`]);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  test("suggests -k for a kustomization, as a folder and as a file", async () => {
    const folder = await mkdtemp(join(tmpdir(), "manifests-"));
    try {
      await writeFile(join(folder, "kustomization.yaml"), "resources: [a.yaml]\n");
      const error = await rejection(readManifests([folder], { io }));
      expect(String(error)).toContain(`${folder}/kustomization.yaml is for kustomize, not for an API server`);
      expect((error as { next?: unknown }).next).toEqual([`use -k ${folder}`]);
      const file = await rejection(readManifests([join(folder, "kustomization.yaml")], { io }));
      expect((file as { next?: unknown }).next).toEqual([`use -k ${folder}`]);
    } finally {
      await rm(folder, { recursive: true });
    }
    expect(parsed("kind: Kustomization\nresources: []\n").problems.join()).toContain("give its folder with -k");
  });

  test("names a missing file", async () => {
    const error = await rejection(readManifests(["/nowhere/web.yaml"], { io }));
    expect(String(error)).toContain("there is no file /nowhere/web.yaml");
  });
});

describe("readKustomization", () => {
  const host = (run: Host["run"]): Host => ({ ...realHost(), run });

  test("reads kubectl's output for the folder", async () => {
    const commands: string[] = [];
    const found = await readKustomization(
      "shop",
      host(({ command, args }) => {
        commands.push([command, ...args].join(" "));
        return Promise.resolve({ is: "ended", code: 0, out: `${pod("a")}---\n${pod("b")}` });
      }),
    );
    expect(commands).toEqual(["kubectl kustomize shop"]);
    expect(found.map(placeOf)).toEqual(["shop, document 1 (Pod a)", "shop, document 2 (Pod b)"]);
  });

  test("reports that kubectl is missing, or has failed", async () => {
    const missing = await rejection(
      readKustomization(
        "shop",
        host(() => Promise.resolve({ is: "missing" })),
      ),
    );
    expect(String(missing)).toContain("-k shop needs kubectl, and there is none on PATH");
    const failed = await rejection(
      readKustomization(
        "shop",
        host(() => Promise.resolve({ is: "ended", code: 1, out: "" })),
      ),
    );
    expect(String(failed)).toContain("`kubectl kustomize shop` failed with exit code 1");
  });
});
