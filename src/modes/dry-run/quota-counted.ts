/** When an applied ResourceQuota starts to limit. */
import { type ObjectKey, splitKey } from "../../api/key.ts";
import { ResourceQuotas } from "../../api/kinds.ts";
import type { Client } from "../../client/api/verbs.ts";
import { sameAmounts } from "../../controllers/resourcequota/status.ts";
import type { KindName } from "../../trace/names.ts";

/** Far more than the controller needs; a quota that it cannot count is not waited for any longer. */
const mostReads = 200;

/** An object that was created or changed. */
interface Written {
  readonly of: KindName;
  readonly key: ObjectKey;
}

/**
 * Resolves when the status of an applied quota has its limits; at once for any other object. The API server enforces the limits in the
 * status, which the controller of quotas writes within milliseconds, before kubectl sends the next object.
 */
export async function untilQuotaCounted(client: Client, { of, key }: Written): Promise<void> {
  if (of.group !== ResourceQuotas.group || of.kind !== ResourceQuotas.kind) return;
  for (let reads = 0; reads < mostReads; reads++) {
    const { spec, status } = await client.get(ResourceQuotas, splitKey(key));
    if (status?.used !== undefined && sameAmounts(spec?.hard, status.hard)) return;
  }
}
