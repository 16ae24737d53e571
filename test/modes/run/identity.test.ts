/** Which holders of Leases are known to be dead. */
import { expect, test } from "bun:test";
import { isDeadHere, ownIdentity } from "../../../src/modes/run/identity.ts";
import { hostName, processId, processSpace } from "../../../src/platform/process.ts";
import { seededRandom } from "../../../src/platform/random.ts";

/** A process that has ended. */
async function deadPid(): Promise<number> {
  const ended = Bun.spawn(["true"]);
  await ended.exited;
  return ended.pid;
}

test("a process of this machine that has ended is dead, one that runs is not", async () => {
  const own = ownIdentity(seededRandom(1));
  expect(isDeadHere(own)).toBe(false);
  expect(isDeadHere(own.replace(`_${processId()}_`, `_${await deadPid()}_`))).toBe(true);
});

test("a process of a machine with the same name is not known to be dead", async () => {
  const pid = await deadPid();
  expect(isDeadHere(`${hostName()}_${pid}_0123abcd_xxxxx`)).toBe(false);
  expect(isDeadHere(`${hostName()}_${pid}_xxxxx`)).toBe(false);
  expect(isDeadHere(`other_${pid}_${processSpace()}_xxxxx`)).toBe(false);
});
