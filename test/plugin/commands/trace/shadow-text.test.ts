import { expect, test } from "bun:test";
import { shadowLines } from "../../../../plugin/commands/trace/shadow-text.ts";
import type { ShadowPreflight } from "../../../../src/modes/shadow/owners.ts";

function shadowOf(...names: readonly string[]): readonly string[] {
  const owners = names.map((name) => ({ controller: { name }, owner: { is: "none found" } }));
  return shadowLines({ owners } as unknown as ShadowPreflight);
}

test("only the built-in controllers follow the rules of Kubernetes", () => {
  const rest = ", no active controller found; showing only what would be done here next";
  expect(shadowOf("replicaset")).toEqual([`shadow: our replicaset (rules of 1.36.3)${rest}`]);
  expect(shadowOf("max-pods")).toEqual([`shadow: your max-pods${rest}`]);
  expect(shadowOf("replicaset", "max-pods")).toEqual([
    `shadow: our replicaset (rules of 1.36.3) and your max-pods${rest}`,
  ]);
});
