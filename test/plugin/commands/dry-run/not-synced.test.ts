/** Controllers whose syncs fail: the report names them, and cannot tell. */
import { describe, expect, test } from "bun:test";
import { ConfigMaps } from "../../../../src/api/kinds.ts";
import { defineController } from "../../../../src/controller/api/definition.ts";
import { watchPrimary } from "../../../../src/controller/api/primary.ts";
import { dryRunCommand } from "../../../../plugin/commands/dry-run/dry-run.ts";
import { fakeIo } from "../../../support/fake-io.ts";
import { configMap, manifestFiles } from "./manifest-files.ts";

const { fileOf } = manifestFiles();

/** Runs a controller for ConfigMaps that fails at those whose attempts are not used up; `Infinity` for ever. */
async function dryRun(
  failures: Readonly<Record<string, number>>,
  options: object,
): Promise<{ readonly code: number; readonly text: string }> {
  const attempts = new Map<string, number>();
  const own = defineController({
    name: "own",
    purpose: "fails",
    for: ConfigMaps,
    watches: [watchPrimary(ConfigMaps)],
    rules: [],
    permissions: [],
    sync(key) {
      const attempt = (attempts.get(key) ?? 0) + 1;
      attempts.set(key, attempt);
      return attempt <= (failures[key] ?? 0) ? Promise.reject(new Error(`boom ${key}`)) : Promise.resolve(undefined);
    },
  });
  const io = { ...fakeIo(), controllerFiles: new Map([["./own.ts", [own]]]) };
  const given = { from: "manifests", ...options } as never;
  const code = await dryRunCommand.execute({ arguments: ["./own.ts"], options: given }, io);
  return { code, text: io.outText() };
}

describe("a key that cannot be synced", () => {
  const line = "not synced: own default/a: boom default/a";
  const manifests = (): readonly string[] => [fileOf(configMap("a"), configMap("b"))];

  for (const [output, expected] of [
    ["diff", `? ${line}`],
    ["markdown", `- ? ${line}`],
    ["github", `::warning title=not synced::${line}`],
    ["junit", `<skipped message="${line}"/>`],
    ["json", '"is":"not-synced","controller":"own","key":"default/a","error":"boom default/a","isDecisive":true'],
  ] as const) {
    test(`is named with -o ${output}, and the exit code is 5`, async () => {
      const { code, text } = await dryRun({ "default/a": Infinity }, { manifests: manifests(), output });
      expect(text).toContain(expected);
      expect(text).not.toContain("default/b: boom");
      expect(code).toBe(5);
    });
  }

  test("leaves open whether something is deleted", async () => {
    const { code } = await dryRun({ "default/a": Infinity }, { manifests: manifests(), failOn: ["delete"] });
    expect(code).toBe(5);
  });

  test("leaves open whether it becomes steady, and not what dangles", async () => {
    const codeFor = async (failOn: string): Promise<number> =>
      (await dryRun({ "default/a": Infinity }, { manifests: manifests(), failOn: [failOn] })).code;
    expect([await codeFor("never-steady"), await codeFor("dangling")]).toEqual([5, 0]);
  });

  test("does not matter if a later sync succeeds", async () => {
    const { code, text } = await dryRun({ "default/a": 5 }, { manifests: manifests() });
    expect(text).not.toContain("not synced");
    expect(code).toBe(0);
  });

  test("does not matter for other objects if it failed before the change as well", async () => {
    const baseline = [fileOf(configMap("a"))];
    const change = { baseline, manifests: [fileOf(configMap("b"))] };
    const { code, text } = await dryRun({ "default/a": Infinity }, change);
    expect(text).toContain("? not synced, before the changes as well: own default/a: boom default/a");
    expect(code).toBe(1);
    const touched = { baseline, manifests: [fileOf(configMap("a", { x: "1" }))] };
    expect((await dryRun({ "default/a": Infinity }, touched)).code).toBe(5);
  });
});

test("a refused write is a finding of its own, not a gap", async () => {
  const labels = { app: "web" };
  const quota = { apiVersion: "v1", kind: "ResourceQuota", metadata: { name: "few" }, spec: { hard: { pods: "1" } } };
  const web = {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: { name: "web" },
    spec: {
      replicas: 2,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "c", image: "i" }] } },
    },
  };
  const io = fakeIo();
  const given = { from: "manifests", manifests: [fileOf(quota, web)], failOn: ["delete"] } as never;
  const code = await dryRunCommand.execute({ arguments: ["replicaset"], options: given }, io);
  expect(io.outText()).toMatch(/^! replicaset: create Pod refused/m);
  expect(io.outText()).not.toContain("not synced");
  expect(code).toBe(0);
});
