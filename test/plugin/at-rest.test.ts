/** A program that waits for changes leaves the processor to others. */
import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { startProgram } from "../e2e/support/program.ts";

const samples = 40;

/** The state of a process's first thread, as in proc(5): `S` sleeps, `R` runs or waits for a processor. */
function stateOf(pid: number): string {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  return stat.slice(stat.lastIndexOf(")") + 2)[0] ?? "";
}

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
        states.push(stateOf(program.pid));
        await Bun.sleep(25);
      }
      expect(states.filter((state) => state === "S").length).toBeGreaterThan(samples / 2);
    },
    120_000,
  );
});
