/** Quotas that are in force when the call returns. */
import { expect } from "bun:test";
import type { Cluster } from "../../support/cluster.ts";
import { eventually } from "./workload.ts";

/** What a quota limits: `{ pods: "1" }`. */
export interface Quota {
  readonly name: string;
  readonly hard: Readonly<Record<string, string>>;
}

/**
 * Creates a quota in a cluster whose kube-controller-manager calculates usage, and waits until admission enforces it: before that, objects
 * are admitted. The quota also forbids Secrets: once one is refused, the quota is in force.
 */
export async function quotaInForce(cluster: Cluster, namespace: string, { name, hard }: Quota): Promise<void> {
  const core = `/api/v1/namespaces/${namespace}`;
  const spec = { hard: { ...hard, "count/secrets": "0" } };
  await cluster.request("POST", `${core}/resourcequotas`, { metadata: { name }, spec });
  await eventually(async () => {
    const { body } = await cluster.request("POST", `${core}/secrets?dryRun=All`, { metadata: { name: "probe" } });
    expect(JSON.stringify(body)).toContain("exceeded quota");
  });
}
