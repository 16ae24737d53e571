/** Whether the memory of a trace stays constant, however long it runs. */
import { start } from "./child.ts";
import { figure, type Figure } from "./figures.ts";

const writes = 1_000_000;

/** The peer is the same run after a tenth of its writes. */
export async function memoryFigures(rounds: number, ours: string): Promise<readonly Figure[]> {
  const sides = { ours: [] as number[], peer: [] as number[] };
  for (let round = 0; round < rounds; round++) {
    const child = start([ours, "remembered", String(writes)]);
    try {
      const { early = NaN, late = NaN } = await child.line("remembered");
      sides.ours.push(late);
      sides.peer.push(early);
    } finally {
      await child.stop();
    }
  }
  const name = `heap of a trace after ${writes.toLocaleString("en")} writes of Events and Leases, against a tenth of them`;
  return [figure(name, "MB", { is: "at most", ratio: 1.1 }, sides)];
}
