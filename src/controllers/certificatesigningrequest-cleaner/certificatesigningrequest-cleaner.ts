/** The cleaner of CertificateSigningRequests. Source: kubernetes v1.36 pkg/controller/certificates/cleaner/cleaner.go. */
import { keyOf, splitKey } from "../../api/key.ts";
import { CertificateSigningRequests } from "../../api/kinds.ts";
import { isNotFound } from "../../api/status-error.ts";
import type { CertificateSigningRequest } from "../../api/types.ts";
import { type ControllerDefinition, defineController, watch } from "../../controller/api/definition.ts";
import type { SyncContext } from "../../controller/api/sync-context.ts";
import { overdueAt } from "./overdue.ts";
import { kept, overdueRules, rules } from "./rules.ts";

const periodMs = 3_600_000;

/** Deletes CertificateSigningRequests that are no longer needed: kubelets create them automatically, and they would pile up. */
export const certificateSigningRequestCleaner: ControllerDefinition = defineController<CertificateSigningRequest>({
  name: "certificatesigningrequest-cleaner",
  aliases: ["csrcleaner", "certificatesigningrequest-cleaner-controller"],
  purpose: "deletes certificate requests that are finished or too old",
  source: "pkg/controller/certificates/cleaner/cleaner.go",
  for: CertificateSigningRequests,
  // Only read: scans trigger the work.
  watches: [watch<CertificateSigningRequest>({ kind: CertificateSigningRequests, on() {} })],
  scans: [
    {
      name: "requests that have served their time",
      everyMs: periodMs,
      on(context) {
        for (const request of context.cache(CertificateSigningRequests).list())
          if (overdueAt(request, context.now()) !== undefined) context.enqueue(keyOf(request));
      },
    },
  ],
  workers: 1,
  // The next scan retries it.
  retry: { maxRetries: 0 },
  syncsEveryMs: periodMs,
  ifRunTwice: "the second of two deletions would be refused",
  dryRun: { is: "left out", why: "it only removes old certificate requests" },
  rules,
  recordsEvents: false,
  // Granted by upstream's role too: kubernetes v1.36 plugin/pkg/auth/authorizer/rbac/bootstrappolicy/controller_policy.go.
  permissions: [{ group: "certificates.k8s.io", resource: "certificatesigningrequests", verbs: ["delete"] }],
  sync: (_key, context) => cleanRequest(context),
});

/** Source: cleaner.go handle. @throws the API server's refusal, except for a request that is gone. */
async function cleanRequest({ key, client, signal, ...context }: SyncContext): Promise<void> {
  const request = context.cache(CertificateSigningRequests).get(key);
  if (request === undefined) return;
  const overdue = overdueAt(request, context.now());
  if (overdue === undefined) return void context.decide(kept, {});
  const because = context.decide(overdueRules[overdue.is], { agoMs: overdue.agoMs });
  try {
    await client.delete(CertificateSigningRequests, splitKey(key), { because, signal });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
