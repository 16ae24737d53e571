/**
 * What to do about the Secret of a ServiceAccount's token, judged by the caches. Pure.
 * Source: kubernetes v1.36 pkg/controller/serviceaccount/legacy_serviceaccount_token_cleaner.go evaluateSATokens.
 */
import { formatDay, parseTime, readDay } from "../../api/time.ts";
import { accountMeant, accountNamedIn, tokenSecretType } from "../../api/token-secrets.ts";
import type { Pod, Secret, ServiceAccount } from "../../api/types.ts";

/** When the token was last used, as recorded by the API server: a date. */
export const lastUsedLabel = "kubernetes.io/legacy-token-last-used";
/** Since when the API server no longer accepts the token: a date. */
export const invalidSinceLabel = "kubernetes.io/legacy-token-invalid-since";

/** Why a token is kept as it is. */
export type Kept =
  | "new"
  | "being deleted"
  | "used"
  | "unreadable last use"
  | "not made by a controller"
  | "mounted"
  | "invalid for a shorter time";

/** What to do about the token. */
export type Verdict =
  | { readonly is: "kept"; readonly why: Kept }
  | { readonly is: "invalid"; readonly lastUsed: string | undefined; readonly since: string }
  | { readonly is: "deleted"; readonly lastUsed: string | undefined; readonly since: string };

/** What a verdict is based on. */
export interface Look {
  readonly now: number;
  /** How long a token is unused before it is invalidated or deleted, in ms. */
  readonly cleanUpPeriodMs: number;
  /** The ServiceAccount of a name, in the Secret's namespace. */
  readonly accountOf: (name: string) => ServiceAccount | undefined;
  /** The pods of the Secret's namespace. */
  readonly pods: () => readonly Pod[];
}

/** Whether the Secret contains a ServiceAccount token. */
function isAccountToken({ type }: Secret): boolean {
  return type === tokenSecretType;
}

/** Undefined for a Secret without such a token. */
export function verdictOn(secret: Secret, { now, cleanUpPeriodMs, accountOf, pods }: Look): Verdict | undefined {
  if (!isAccountToken(secret)) return undefined;
  const kept = (why: Kept): Verdict => ({ is: "kept", why });
  const { name, labels = {}, creationTimestamp, deletionTimestamp } = secret.metadata;
  const unusedSince = now - cleanUpPeriodMs;
  if (parseTime(creationTimestamp) >= unusedSince) return kept("new");
  if (deletionTimestamp !== undefined) return kept("being deleted");
  const lastUsed = labels[lastUsedLabel];
  if (lastUsed !== undefined) {
    if (readDay(lastUsed) === undefined) return kept("unreadable last use");
    // Dates are compared as strings.
    if (lastUsed >= formatDay(unusedSince)) return kept("used");
  }
  const account = accountIn(secret, accountOf);
  if (account?.secrets?.some((reference) => reference.name === name) !== true) return kept("not made by a controller");
  if (pods().some((pod) => secretNamesOf(pod).has(name))) return kept("mounted");
  const invalidSince = labels[invalidSinceLabel] ?? "";
  if (readDay(invalidSince) === undefined) return { is: "invalid", lastUsed, since: formatDay(now) };
  if (invalidSince >= formatDay(unusedSince)) return kept("invalid for a shorter time");
  return { is: "deleted", lastUsed, since: invalidSince };
}

/** Source: getServiceAccount. */
function accountIn(secret: Secret, accountOf: Look["accountOf"]): ServiceAccount | undefined {
  const named = accountNamedIn(secret);
  return named === undefined ? undefined : accountMeant(named, accountOf(named.name));
}

type Volume = NonNullable<NonNullable<Pod["spec"]>["volumes"]>[number];

/** The Secrets that a pod names, in any way. Source: kubernetes v1.36 pkg/api/v1/pod/util.go VisitPodSecretNames. */
export function secretNamesOf({ spec }: Pod): ReadonlySet<string> {
  const containers = [
    ...(spec?.initContainers ?? []),
    ...(spec?.containers ?? []),
    ...(spec?.ephemeralContainers ?? []),
  ];
  const names = [
    ...(spec?.imagePullSecrets ?? []).map(({ name }) => name),
    ...containers.flatMap(({ env = [], envFrom = [] }) => [
      ...envFrom.map(({ secretRef }) => secretRef?.name),
      ...env.map(({ valueFrom }) => valueFrom?.secretKeyRef?.name),
    ]),
    ...(spec?.volumes ?? []).flatMap(secretsOfVolume),
  ];
  return new Set(names.filter((name) => name !== undefined).filter((name) => name !== ""));
}

function secretsOfVolume(volume: Volume): readonly (string | undefined)[] {
  return [
    volume.azureFile?.secretName,
    volume.cephfs?.secretRef?.name,
    volume.cinder?.secretRef?.name,
    volume.flexVolume?.secretRef?.name,
    ...(volume.projected?.sources ?? []).map(({ secret }) => secret?.name),
    volume.rbd?.secretRef?.name,
    volume.secret?.secretName,
    volume.scaleIO?.secretRef?.name,
    volume.iscsi?.secretRef?.name,
    volume.storageos?.secretRef?.name,
    volume.csi?.nodePublishSecretRef?.name,
  ];
}
