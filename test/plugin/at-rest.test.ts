/** A program that waits for changes leaves the processor to others. */
import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { startProgram } from "../e2e/support/program.ts";
import { stateIn } from "../support/process-state.ts";

const samples = 40;

describe.skipIf(!existsSync("/proc/self/stat"))("a program with nothing to do (no /proc)", () => {
  test.each([
    ["run replicaset --sandbox", /^running replicaset/m],
    ["watch pods --sandbox", /^watching 1 kind/m],
    ["sandbox", /^export KUBECONFIG/m],
  ])(
    "sleeps: %s",
    async (words, ready) => {
      await using program = startProgram(words.split(" "));
      await program.says(ready);
      await Bun.sleep(1000);
      const states: string[] = [];
      for (let n = 0; n < samples; n++) {
        states.push(stateIn(`/proc/${program.pid}/stat`));
        await Bun.sleep(25);
      }
      expect(states.filter((state) => state === "S").length).toBeGreaterThan(samples / 2);
    },
    120_000,
  );
});
