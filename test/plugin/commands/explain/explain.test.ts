import { describe, expect, test } from "bun:test";
import { explainCommand } from "../../../../plugin/commands/explain/explain.ts";
import { builtInControllers } from "../../../../src/controllers/index.ts";
import { fakeIo } from "../../../support/fake-io.ts";
import { rejection } from "../../../support/rejection.ts";

async function printed(columns: number | undefined, words: readonly string[], output?: "json"): Promise<string> {
  const io = fakeIo(columns === undefined ? {} : { columns });
  const options = output === undefined ? {} : { output };
  expect(await explainCommand.execute({ arguments: words, options }, io)).toBe(0);
  return io.outText();
}

describe("explain", () => {
  for (const { name, rules } of builtInControllers) {
    test(`shows every rule of ${name}, each with a sentence, within 80 columns`, async () => {
      const lines = (await printed(80, [name])).trimEnd().split("\n");
      for (const line of lines) expect(line.length).toBeLessThanOrEqual(80);
      for (const { id, source } of rules) {
        expect(lines).toContain(id);
        expect(source).not.toBe("");
      }
      for (const rule of rules) {
        expect(rule.example).toBeDefined();
        expect(rule.sentence(rule.example ?? {})).not.toMatch(/^$|undefined|NaN|\[object/);
      }
    });
  }

  test("shows one rule by its name alone", async () => {
    expect((await printed(undefined, ["rs", "scale-up"])).trimEnd().split("\n")).toEqual([
      "scale-up",
      "  Missing pods are created, at most 500 per sync, in batches of 1, 2, 4, …; the first error stops further batches.",
      "  looks at  spec.replicas; active pods: neither terminal nor being deleted; spec.template",
      "  says      3 of 5 pods are missing → create 3, in batches of 1 and 2",
      "  upstream  replica_set.go manageReplicas, slowStartBatch",
    ]);
  });

  test("says the same as JSON", async () => {
    const one = JSON.parse(await printed(undefined, ["rs", "scale-up"], "json")) as object;
    expect(one).toMatchObject({
      id: "scale-up",
      example: { facts: { desired: 5, active: 2, create: 3 }, sentence: expect.stringContaining("create 3") as string },
    });
    const all = JSON.parse(await printed(undefined, ["namespace"], "json")) as { rules: { id: string }[] };
    expect(all.rules.map(({ id }) => id)).toContain("wait-for-pods");
  });

  for (const { name, words, says } of [
    { name: "a controller", words: ["replicaste"], says: "did you mean replicaset?" },
    { name: "a controller by another name of it", words: ["pvc-protectoin"], says: "did you mean pvc-protection?" },
    { name: "a rule", words: ["replicaset", "scale-dwn"], says: "did you mean scale-down?" },
    { name: "a rule that resembles none", words: ["serviceaccount", "zzz"], says: "known are: create-default" },
  ]) {
    test(`suggests ${name} that may have been meant`, async () => {
      const failed = rejection(explainCommand.execute({ arguments: words, options: {} }, fakeIo()));
      expect(await failed).toMatchObject({ next: expect.arrayContaining([says]) as string[] });
    });
  }

  test("completes controllers, then the rules of the given one", async () => {
    const values = async (before: readonly string[]): Promise<string[]> =>
      ((await explainCommand.argumentCandidates?.(fakeIo(), before, { typed: "", before, values: {} })) ?? []).map(
        ({ value }) => value,
      );
    expect(await values([])).toEqual(builtInControllers.map(({ name }) => name));
    expect(await values(["ns"])).toEqual(
      builtInControllers.find(({ name }) => name === "namespace")?.rules.map(({ id }) => id) ?? [],
    );
  });
});
