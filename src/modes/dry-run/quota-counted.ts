/** When an applied ResourceQuota starts to limit. */
import { type ObjectKey, splitKey } from "../../api/key.ts";
import { ResourceQuotas } from "../../api/kinds.ts";
import type { Client } from "../../client/api/verbs.ts";
import { sameAmounts } from "../../controllers/resourcequota/status.ts";

/** Far more than the controller needs; a quota that it cannot count is not waited for any longer. */
const mostReads = 200;

/**
 * Resolves when the status of a quota has its limits. The API server enforces the limits in the status, which the controller of quotas
 * writes within milliseconds, before kubectl sends the next object.
 */
export async function untilQuotaCounted(client: Client, key: ObjectKey): Promise<void> {
  for (let reads = 0; reads < mostReads; reads++) {
    const { spec, status } = await client.get(ResourceQuotas, splitKey(key));
    if (status?.used !== undefined && sameAmounts(spec?.hard, status.hard)) return;
  }
}
