/** One sync of a Secret. Source: kubernetes v1.36 pkg/controller/serviceaccount/tokens_controller.go. */
import { base64OfText } from "../../api/base64.ts";
import { objectKey, type ObjectKey, splitKey } from "../../api/key.ts";
import { Secrets, ServiceAccounts } from "../../api/kinds.ts";
import { isConflict, isNotFound } from "../../api/status-error.ts";
import {
  accountMeant,
  type AccountNamed,
  accountNameAnnotation,
  accountNamedIn,
  accountUidAnnotation,
} from "../../api/token-secrets.ts";
import type { Secret, ServiceAccount } from "../../api/types.ts";
import type { SignToken } from "../../controller/api/cluster-keys.ts";
import { type ConflictBackoff, retryOnConflict } from "../../controller/api/retry-on-conflict.ts";
import { type RunState, runState } from "../../controller/api/run-state.ts";
import type { SyncContext } from "../../controller/api/sync-context.ts";
import { claimsOf } from "./claims.ts";
import { fill, noKeys, orphaned, outdated, unlist } from "./rules.ts";
import { lacking, type Wanted } from "./token-secret.ts";

/** What goes into Secrets. */
export interface TokenParts extends Wanted {
  readonly signToken: SignToken;
}

/** The ServiceAccounts of deleted Secrets, by key, until the account no longer lists the Secret. */
export const deletedTokens: RunState<Map<ObjectKey, AccountNamed>> = runState(() => new Map<ObjectKey, AccountNamed>());

/** Fills the Secret, deletes it, or removes references to it; `parts` is undefined without keys. @throws the API server's refusal. */
export async function syncSecret(context: SyncContext, parts: TokenParts | undefined): Promise<void> {
  const secret = context.cache(Secrets).get(context.key);
  const named = secret === undefined ? undefined : accountNamedIn(secret);
  const gone = context.state(deletedTokens);
  const deleted = gone.get(context.key);
  if (named === undefined && deleted === undefined) return;
  if (parts === undefined) return void context.decide(noKeys, {});
  if (deleted !== undefined) {
    await forget(context, deleted);
    // Another Secret may have been deleted meanwhile.
    if (gone.get(context.key) === deleted) gone.delete(context.key);
  }
  if (secret === undefined || named === undefined) return;
  const account = await accountOf(context, named);
  if (account === undefined) await removeToken(context, { secret, named });
  else await fillToken(context, { cached: secret, account, parts });
}

/** The cached ServiceAccount, if it is the right one. */
function cachedAccount(
  { cache, key }: Pick<SyncContext, "cache" | "key">,
  named: AccountNamed,
): ServiceAccount | undefined {
  return accountMeant(named, cache(ServiceAccounts).get(objectKey(splitKey(key).namespace, named.name)));
}

/** The same, but reads from the API server one that the cache lacks. */
async function accountOf(context: SyncContext, named: AccountNamed): Promise<ServiceAccount | undefined> {
  return cachedAccount(context, named) ?? (await liveAccount(context, named));
}

async function liveAccount(
  { client, key, signal }: SyncContext,
  named: AccountNamed,
): Promise<ServiceAccount | undefined> {
  const at = { namespace: splitKey(key).namespace, name: named.name };
  try {
    return accountMeant(named, await client.get(ServiceAccounts, at, { signal }));
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** Ten attempts, at least 100 ms apart. Source: tokens_controller.go RemoveTokenBackoff. */
const unlistBackoff: ConflictBackoff = { attempts: 10, firstDelayMs: 100, factor: 1 };

/** Removes the Secret from its ServiceAccount's list. Source: removeSecretReference. */
async function forget(context: SyncContext, named: AccountNamed): Promise<void> {
  if (cachedAccount(context, named) === undefined) return;
  const { name: secretName } = splitKey(context.key);
  const write = async (): Promise<void> => {
    const account = await liveAccount(context, named);
    const listed = account?.secrets ?? [];
    const left = listed.filter(({ name }) => name !== secretName);
    if (account === undefined || left.length === listed.length) return;
    const because = context.decide(unlist, { account: named.name });
    const { secrets: _secrets, ...rest } = account;
    const changed: ServiceAccount = left.length === 0 ? rest : { ...rest, secrets: left };
    await context.client.update(ServiceAccounts, changed, { because, basedOn: account, signal: context.signal });
  };
  try {
    await retryOnConflict(write, { context, backoff: unlistBackoff });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

/** Source: deleteToken. */
async function removeToken(
  { client, key, signal, ...context }: SyncContext,
  { secret, named }: { readonly secret: Secret; readonly named: AccountNamed },
): Promise<void> {
  const because = context.decide(orphaned, { account: named.name });
  const preconditions = { uid: secret.metadata.uid };
  try {
    await client.delete(Secrets, splitKey(key), { because, preconditions, signal });
  } catch (error) {
    // Gone, or replaced by another Secret of this name: nothing to do.
    if (!isNotFound(error) && !isConflict(error)) throw error;
  }
}

interface Filling {
  readonly cached: Secret;
  readonly account: ServiceAccount;
  readonly parts: TokenParts;
}

/** Source: generateTokenIfNeeded. The cache may be behind: a second token for a Secret would invalidate the first. */
async function fillToken(context: SyncContext, { cached, account, parts }: Filling): Promise<void> {
  if (lacking(cached, parts).length === 0) return;
  const { client, key, signal } = context;
  try {
    const live = await client.get(Secrets, splitKey(key), { signal });
    if (live.metadata.resourceVersion !== cached.metadata.resourceVersion) return void context.decide(outdated, {});
    const lacks = lacking(live, parts);
    const because = context.decide(fill, { lacks, account: account.metadata.name });
    await client.update(Secrets, filled(live, { account, parts, lacks }), { because, basedOn: live, signal });
  } catch (error) {
    // Gone, or changed by someone else: a delta follows.
    if (!isNotFound(error) && !isConflict(error)) throw error;
  }
}

function filled(
  secret: Secret,
  { account, parts, lacks }: Omit<Filling, "cached"> & { readonly lacks: readonly string[] },
): Secret {
  const { namespace = "", annotations } = secret.metadata;
  const values: Readonly<Record<string, () => string>> = {
    "ca.crt": () => parts.rootCa ?? "",
    namespace: () => namespace,
    token: () => parts.signToken(claimsOf(account, secret)),
  };
  const made = Object.entries(values).filter(([key]) => lacks.includes(key));
  const { name, uid } = account.metadata;
  return {
    ...secret,
    metadata: {
      ...secret.metadata,
      annotations: { ...annotations, [accountNameAnnotation]: name, [accountUidAnnotation]: uid },
    },
    data: { ...secret.data, ...Object.fromEntries(made.map(([key, value]) => [key, base64OfText(value())])) },
  };
}
