/** Packing and truncation of subsets, compared with upstream's functions: `bun scripts/upstream-golden/extract.ts endpoints`. */
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { truncated } from "../../../src/controllers/endpoints/capacity.ts";
import { type Address, repack, type Subset } from "../../../src/controller/workload/service/subsets.ts";

function golden(name: string): unknown {
  return JSON.parse(readFileSync(join(import.meta.dir, "golden", `${name}.json`), "utf8"));
}

test("subsets are packed as by upstream, in its order", () => {
  const cases = golden("packed") as readonly {
    readonly given: readonly Subset[];
    readonly packed: readonly Subset[];
  }[];
  expect(cases.filter(({ packed }) => packed.length > 2).length).toBeGreaterThan(30);
  for (const { given, packed } of cases) expect(repack(given)).toEqual(packed);
});

test("repacking packed subsets changes nothing", () => {
  for (const { packed } of golden("packed") as readonly { readonly packed: readonly Subset[] }[])
    expect(repack(packed)).toEqual(packed);
});

type Sizes = readonly (readonly [ready: number, notReady: number])[];

test("too many addresses are truncated as by upstream", () => {
  const cases = golden("truncated") as readonly { readonly before: Sizes; readonly after: Sizes }[];
  expect(cases.filter(({ before, after }) => JSON.stringify(before) !== JSON.stringify(after)).length).toBeGreaterThan(
    30,
  );
  const addresses = (count: number): readonly Address[] => Array.from({ length: count }, (_, n) => ({ ip: `ip-${n}` }));
  for (const { before, after } of cases) {
    const subsets = before.map(([ready, notReady]) => ({
      addresses: addresses(ready),
      notReadyAddresses: addresses(notReady),
    }));
    const kept = truncated(subsets) ?? subsets;
    expect(
      kept.map(({ addresses: ready = [], notReadyAddresses: not = [] }: Subset) => [ready.length, not.length] as const),
    ).toEqual([...after]);
  }
});
