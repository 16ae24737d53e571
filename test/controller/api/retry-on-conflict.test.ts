import { beforeEach, describe, expect, test } from "bun:test";
import { seededRandom } from "../../../src/platform/random.ts";
import { conflictBackoff, retryOnConflict } from "../../../src/controller/api/retry-on-conflict.ts";
import { rejection } from "../../support/rejection.ts";
import { refusal } from "../../support/sync-context.ts";

const conflict = (): Error => refusal(409, "Conflict", "changed");

let slept: number[];
const context = { random: seededRandom(1), sleep: (ms: number) => Promise.resolve(void slept.push(ms)) };
beforeEach(() => void (slept = []));

/** Fails the given number of times, then returns the number of the attempt. */
function failing(times: number, error: () => Error = conflict): () => Promise<number> {
  let attempts = 0;
  return () => (++attempts <= times ? Promise.reject(error()) : Promise.resolve(attempts));
}

/** The delays without their jitter of up to a tenth. */
const floored = (): number[] => slept.map((ms) => Math.floor(ms / 10) * 10);

describe("retryOnConflict()", () => {
  test("returns the result of the first attempt without a conflict", async () => {
    expect(await retryOnConflict(failing(4), { context })).toBe(5);
    expect(floored()).toEqual([10, 10, 10, 10]);
    expect(slept.every((ms) => ms >= 10 && ms < 11)).toBe(true);
  });

  test("gives up after five conflicts, and throws the last one", async () => {
    expect((await rejection(retryOnConflict(failing(5), { context })))?.message).toBe("changed");
    expect(slept.length).toBe(4);
  });

  test("waits longer each time if others write as well", async () => {
    expect(await retryOnConflict(failing(3), { context, backoff: conflictBackoff })).toBe(4);
    expect(slept.map((ms, n) => ms >= 10 * 5 ** n && ms < 11 * 5 ** n)).toEqual([true, true, true]);
    slept = [];
    expect((await rejection(retryOnConflict(failing(4), { context, backoff: conflictBackoff })))?.message).toBe(
      "changed",
    );
  });

  test("treats an error caused by a conflict as a conflict", async () => {
    const wrapped = (): Error => new Error("could not update the claim", { cause: conflict() });
    expect(await retryOnConflict(failing(1, wrapped), { context })).toBe(2);
  });

  test("does not retry after any other error", async () => {
    const forbidden = (): Error => refusal(403, "Forbidden", "no");
    expect((await rejection(retryOnConflict(failing(1, forbidden), { context })))?.message).toBe("no");
    expect(slept).toEqual([]);
  });
});
