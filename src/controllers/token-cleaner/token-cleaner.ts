/** The cleaner of bootstrap tokens. Source: kubernetes v1.36 pkg/controller/bootstrap/tokencleaner.go. */
import { keyOf, splitKey } from "../../api/key.ts";
import { Secrets } from "../../api/kinds.ts";
import { isConflict, isNotFound } from "../../api/status-error.ts";
import type { Secret } from "../../api/types.ts";
import { type ControllerDefinition, defineController, watch } from "../../controller/api/definition.ts";
import type { Decision } from "../../controller/api/rule.ts";
import type { SyncContext } from "../../controller/api/sync-context.ts";
import { expirationOf, isBootstrapToken } from "../../controller/workload/bootstrap-token.ts";
import { expired, never, notExpired, rules, unreadable } from "./rules.ts";

/** Deletes bootstrap tokens when they expire. Not part of `all`: kube-controller-manager runs it only when it is named. */
export const tokenCleaner: ControllerDefinition = defineController<Secret>({
  name: "token-cleaner",
  aliases: ["tokens", "tokencleaner", "token-cleaner-controller"],
  purpose: "deletes bootstrap tokens that have expired",
  source: "pkg/controller/bootstrap/tokencleaner.go",
  for: Secrets,
  watches: [
    watch<Secret>({
      kind: Secrets,
      on({ type, object }, context) {
        if (type !== "deleted" && isBootstrapToken(object)) context.enqueue(keyOf(object));
      },
    }),
  ],
  workers: 1,
  // A change of the Secret enqueues it again. Source: tokencleaner.go evalSecret, which only reports a refusal.
  retry: { maxRetries: 0 },
  disabledByDefault: true,
  ifRunTwice: "the second of two deletions would be refused",
  dryRun: { is: "left out", why: "it only removes tokens that have expired" },
  rules,
  recordsEvents: false,
  // Granted by upstream's role too: kubernetes v1.36 plugin/pkg/auth/authorizer/rbac/bootstrappolicy/namespace_policy.go.
  permissions: [{ group: "", resource: "secrets", verbs: ["delete"] }],
  sync: (_key, context) => cleanToken(context),
});

/** Source: tokencleaner.go evalSecret. @throws the API server's refusal, except for a Secret that is gone or replaced. */
async function cleanToken(context: SyncContext): Promise<void> {
  const secret = context.cache(Secrets).get(context.key);
  if (secret === undefined || !isBootstrapToken(secret)) return;
  const expiration = expirationOf(secret);
  switch (expiration.is) {
    case "never":
      return void context.decide(never, {});
    case "unreadable":
      return remove(context, { secret, because: context.decide(unreadable, {}) });
    case "at": {
      const inMs = expiration.at - context.now();
      if (inMs <= 0) return remove(context, { secret, because: context.decide(expired, { agoMs: -inMs }) });
      context.decide(notExpired, { inMs });
      return context.enqueueAfter(inMs, "its token expires");
    }
  }
}

async function remove(
  { client, key, signal }: SyncContext,
  { secret, because }: { readonly secret: Secret; readonly because: Decision },
): Promise<void> {
  const { uid } = secret.metadata;
  try {
    await client.delete(Secrets, splitKey(key), { because, preconditions: { uid }, signal });
  } catch (error) {
    if (!isNotFound(error) && !isConflict(error)) throw error;
  }
}
