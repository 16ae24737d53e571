/**
 * The cleaner of ServiceAccounts' token Secrets.
 * Source: kubernetes v1.36 pkg/controller/serviceaccount/legacy_serviceaccount_token_cleaner.go.
 */
import { keyOf, objectKey, splitKey } from "../../api/key.ts";
import { apiVersionOf } from "../../api/kind.ts";
import { ConfigMaps, Pods, Secrets, ServiceAccounts } from "../../api/kinds.ts";
import { isConflict, isNotFound } from "../../api/status-error.ts";
import { readDay } from "../../api/time.ts";
import type { Pod, Secret, ServiceAccount } from "../../api/types.ts";
import {
  type ControllerDefinition,
  defineController,
  watch,
  type WatchContext,
} from "../../controller/api/definition.ts";
import type { Decision } from "../../controller/api/rule.ts";
import type { SyncContext } from "../../controller/api/sync-context.ts";
import { invalidate, kept, notTracked, remove, rules } from "./rules.ts";
import { invalidSinceLabel, type Verdict, verdictOn } from "./verdict.ts";

/** Times in milliseconds. */
export interface LegacyTokenCleanerOptions {
  /** How long a token is unused before it becomes invalid, and invalid before it is deleted: `--legacy-service-account-token-clean-up-period`. */
  readonly cleanUpPeriodMs: number;
}

const dayMs = 86_400_000;
const tracking = { namespace: "kube-system", name: "kube-apiserver-legacy-service-account-token-tracking" };

/** Invalidates, and then deletes, unused tokens created by controllers before Kubernetes 1.24. */
export const legacyServiceaccountTokenCleaner: ControllerDefinition = defineLegacyTokenCleaner();

/** The controller with a period other than kube-controller-manager's default of one year. */
export function defineLegacyTokenCleaner({
  cleanUpPeriodMs = 365 * dayMs,
}: Partial<LegacyTokenCleanerOptions> = {}): ControllerDefinition {
  return defineController<Secret>({
    name: "legacy-serviceaccount-token-cleaner",
    aliases: [
      "legacy-token-cleaner",
      "legacy-service-account-token-cleaner",
      "legacy-serviceaccount-token-cleaner-controller",
    ],
    purpose: "deletes generated tokens of ServiceAccounts that are no longer used",
    source: "pkg/controller/serviceaccount/legacy_serviceaccount_token_cleaner.go",
    for: Secrets,
    // Only read: scans trigger the work.
    watches: [
      watch<Secret>({ kind: Secrets, on() {} }),
      watch<ServiceAccount>({ kind: ServiceAccounts, on() {} }),
      watch<Pod>({ kind: Pods, on() {} }),
    ],
    scans: [{ name: "tokens that nobody uses", everyMs: dayMs, on: (context) => scanTokens(context, cleanUpPeriodMs) }],
    workers: 1,
    // The next scan retries it.
    retry: { maxRetries: 0 },
    syncsEveryMs: dayMs,
    ifRunTwice: "the second of two deletions would be refused",
    dryRun: { is: "left out", why: "it only removes tokens that have not been used for a year" },
    rules,
    recordsEvents: false,
    // Granted by upstream's role too: kubernetes v1.36 plugin/pkg/auth/authorizer/rbac/bootstrappolicy/controller_policy.go.
    permissions: [
      { group: "", resource: "configmaps", verbs: ["get"], names: [tracking.name] },
      { group: "", resource: "secrets", verbs: ["patch", "delete"] },
    ],
    sync: (_key, context) => cleanToken(context, cleanUpPeriodMs),
  });
}

type Caches = Pick<WatchContext, "cache" | "now">;

function judge(
  { cache, now }: Caches,
  { secret, cleanUpPeriodMs }: { readonly secret: Secret; readonly cleanUpPeriodMs: number },
): Verdict | undefined {
  const { namespace = "" } = secret.metadata;
  return verdictOn(secret, {
    now: now(),
    cleanUpPeriodMs,
    accountOf: (name) => cache(ServiceAccounts).get(objectKey(namespace, name)),
    pods: () => cache(Pods).list(namespace),
  });
}

function scanTokens(context: WatchContext, cleanUpPeriodMs: number): void {
  for (const secret of context.cache(Secrets).list()) {
    const verdict = judge(context, { secret, cleanUpPeriodMs });
    if (verdict !== undefined && verdict.is !== "kept") context.enqueue(keyOf(secret));
  }
}

/** @throws the API server's refusal, except when deleting a Secret that is gone or has changed. */
async function cleanToken(context: SyncContext, cleanUpPeriodMs: number): Promise<void> {
  const secret = context.cache(Secrets).get(context.key);
  const verdict = secret === undefined ? undefined : judge(context, { secret, cleanUpPeriodMs });
  if (secret === undefined || verdict === undefined) return;
  if (verdict.is === "kept") return void context.decide(kept, { because: verdict.why });
  const since = await trackedSince(context);
  // Uses on the first day may have been missed.
  if (context.now() < since.at + dayMs + cleanUpPeriodMs)
    return void context.decide(notTracked, { since: since.day, periodMs: cleanUpPeriodMs });
  const facts = { lastUsed: verdict.lastUsed, since: verdict.since };
  if (verdict.is === "invalid")
    return label(context, { secret, since: facts.since, because: context.decide(invalidate, facts) });
  return removeToken(context, { secret, because: context.decide(remove, facts) });
}

/** Source: latestPossibleTrackedSinceTime. @throws Error if the ConfigMap is missing or contains no date. */
async function trackedSince({ client, signal }: SyncContext): Promise<{ readonly day: string; readonly at: number }> {
  const { data } = await client.get(ConfigMaps, tracking, { signal });
  const day = data?.["since"] ?? "";
  const at = readDay(day);
  if (at === undefined)
    throw new Error(
      `Cannot tell since when uses of tokens are noted: data.since of ConfigMap ${tracking.namespace}/${tracking.name} is ${day === "" ? "not there" : `${JSON.stringify(day)}, no date`}`,
    );
  return { day, at };
}

interface Because {
  readonly secret: Secret;
  readonly because: Decision;
}

async function label(
  { client, key, signal }: SyncContext,
  { secret, since, because }: Because & { readonly since: string },
): Promise<void> {
  const { name, namespace, uid } = secret.metadata;
  const body = {
    kind: Secrets.kind,
    apiVersion: apiVersionOf(Secrets),
    // The uid guards against another Secret of the same name.
    metadata: { name, namespace, uid, labels: { [invalidSinceLabel]: since } },
  };
  await client.patch(Secrets, splitKey(key), { type: "merge", body }, { because, basedOn: secret, signal });
}

async function removeToken({ client, key, signal }: SyncContext, { secret, because }: Because): Promise<void> {
  const { resourceVersion } = secret.metadata;
  try {
    await client.delete(Secrets, splitKey(key), { because, preconditions: { resourceVersion }, signal });
  } catch (error) {
    if (!isNotFound(error) && !isConflict(error)) throw error;
  }
}
