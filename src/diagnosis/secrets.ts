/** Diagnoses Secrets for ServiceAccount tokens, which a controller fills in. */
import { accountNamedBy } from "../api/token-secrets.ts";
import type { StoredObject } from "../api/object.ts";
import { type Examined, inNamespace, type Item, kubectl, refOf } from "./diagnosis.ts";
import { examinePassive } from "./passive.ts";

/** By its annotations: the token controller adds the uid of the named ServiceAccount. Nothing else of a Secret is read. */
export function examineSecret(item: Item<StoredObject>): Examined {
  const account = accountNamedBy(item.object);
  if (account === undefined) return examinePassive();
  const seen = ["its annotations"];
  if (account.uid !== "")
    return {
      says: `it was filled with a token of ServiceAccount ${account.name}`,
      reached: true,
      findings: [],
      seen,
      unseen: [],
    };
  const at = refOf(item);
  const why = `the controller serviceaccount-token has to fill it with a token of ServiceAccount ${account.name}`;
  const advice = [kubectl(`get serviceaccount ${account.name}${inNamespace(at.namespace)}`)];
  return { says: "it has no token yet", reached: false, findings: [{ at, why, advice }], seen, unseen: [] };
}
