/** Rules as `explain` prints them. */
import { expect } from "bun:test";
import type { ControllerDefinition } from "../../src/controller/api/definition.ts";

/** Checks that each rule says what it looks at, what it chooses and where it comes from, and that it has a sentence for its example. */
export function expectExplained({ rules }: Pick<ControllerDefinition, "rules">): void {
  for (const one of rules) {
    const { id, looksAt, chooses, source, example } = one;
    expect(id).toMatch(/^[a-z]+(-[a-z]+)*$/);
    expect(looksAt.length).toBeGreaterThan(0);
    expect(chooses).toMatch(/^[A-Z].*\.$/);
    expect(source).toMatch(/\.go/);
    expect(one.sentence(example ?? {})).not.toMatch(/undefined|\[object/);
  }
}
