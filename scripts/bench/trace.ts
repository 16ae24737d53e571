/** What tracing costs a run: a ReplicaSet from 0 to 1,000 pods and back, with `trace` listening and without. */
import type { Cluster } from "../../test/support/cluster.ts";
import { start } from "./child.ts";
import { figure, type Result } from "./figures.ts";
import { type Round, upAndDown } from "./replicaset.ts";

export interface TraceOptions {
  readonly rounds: number;
  /** Without controllers. */
  readonly cluster: Cluster;
  readonly ours: string;
}

/** At most a tenth more. */
const goal = { is: "at most", ratio: 1.1 } as const;

export async function traceFigures({ rounds, cluster, ours }: TraceOptions): Promise<readonly Result[]> {
  const seen: Record<"on" | "off", Round[]> = { on: [], off: [] };
  const env = { KUBECONFIG: cluster.kubeconfig };
  for (let round = 0; round < rounds; round++) {
    // The first one has the colder server.
    for (const trace of round % 2 === 0 ? (["off", "on"] as const) : (["on", "off"] as const)) {
      seen[trace].push(await upAndDown(cluster, () => start([ours, "run", trace], { env, stdout: "ignored" }), 1));
    }
  }
  const compare = (name: string, unit: string, of: keyof Round): Result => {
    const [on, off] = [seen.on, seen.off].map((all) => all.map((each) => each[of]));
    return figure(name, unit, goal, { ours: on ?? [], peer: off ?? [] });
  };
  return [
    compare("a traced run, beside one that is not: ReplicaSet 0 → 1,000 → 0", "ms", "bothMs"),
    compare("a traced run, beside one that is not: processor time", "ms", "cpuMs"),
  ];
}
