import { TraceBus } from "../../src/trace/bus.ts";

const sites = 8;
const buses = 64;

/**
 * What an emit site costs while nobody listens, as the difference between a loop with eight of them and one with none. Each round uses
 * another bus, so the compiler cannot hoist the read of `on`: the measured cost is higher than that of a real site.
 */
export function emitCost(rounds: number): Readonly<Record<string, number>> {
  const all = Array.from({ length: buses }, () => new TraceBus({ now: () => 0 }));
  const store = { writes: 0 };
  let least = Infinity;
  for (let round = 0; round < 5; round++) {
    const without = timed(() => plain(store, rounds));
    const within = timed(() => guarded(store, all, rounds));
    // The first round is for the compiler.
    if (round > 0) least = Math.min(least, within - without);
  }
  if (store.writes !== 10 * rounds) throw new Error("a loop was left out");
  return { n: rounds * sites, ns: Math.max(0, (least * 1e6) / (rounds * sites)) };
}

function timed(work: () => void): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}

function plain(store: { writes: number }, rounds: number): void {
  for (let i = 0; i < rounds; i++) store.writes++;
}

function guarded(store: { writes: number }, all: readonly TraceBus[], rounds: number): void {
  for (let i = 0; i < rounds; i++) {
    store.writes++;
    for (let site = 0; site < sites; site++) {
      const bus = all[(i + site) % buses] as TraceBus;
      if (bus.on) bus.emit({ stage: "link", write: i, delta: site, by: "uid" });
    }
  }
}
