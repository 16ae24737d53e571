/** The history of pods, from the audit log of the API server. */
import { asStored, type Effect } from "../../support/audit-log.ts";

interface PodWritten {
  readonly metadata?: {
    readonly uid?: string;
    readonly deletionTimestamp?: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

/** The maximum number of these pods that were unready, terminating or missing at the same time, after all had been ready once. */
export function mostDown(effects: readonly Effect[], names: readonly string[]): number {
  const members = new Set(names);
  const up = new Set<string>();
  let isUnderWay = false;
  let most = 0;
  for (const { verb, resource, name, response, code } of asStored(effects)) {
    if (code >= 300 || !members.has(name) || !/^pods(?:\/status)?$/.test(resource)) continue;
    if (verb !== "delete" && isReady(response as PodWritten)) up.add(name);
    else up.delete(name);
    isUnderWay ||= up.size === members.size;
    if (isUnderWay) most = Math.max(most, members.size - up.size);
  }
  return most;
}

function isReady({ metadata, status }: PodWritten): boolean {
  return (
    metadata?.deletionTimestamp === undefined &&
    status?.conditions?.some(({ type, status: is }) => type === "Ready" && is === "True") === true
  );
}

/** The history of one pod of a StatefulSet and of its claim `data`. */
export interface TimesWritten {
  readonly member: string;
  /** Number of pods with this name. */
  readonly pods: number;
  /** Number of revisions among these pods. */
  readonly revisions: number;
  /** Number of deletions of the claim. */
  readonly claimsEnded: number;
}

/** A pod is recognized in any write to it, because its create may have no recorded response. */
export function timesWritten(effects: readonly Effect[], member: string): TimesWritten {
  const pods = new Set<string>();
  const revisions = new Set<string>();
  let claimsEnded = 0;
  for (const { verb, resource, name, response, code } of effects) {
    if (code >= 300) continue;
    if (verb === "delete" && resource === "persistentvolumeclaims" && name === `data-${member}`) claimsEnded++;
    const { uid, labels } = ((response ?? {}) as PodWritten).metadata ?? {};
    if (name !== member || !/^pods(?:\/status)?$/.test(resource) || uid === undefined) continue;
    pods.add(uid);
    revisions.add(labels?.["controller-revision-hash"] ?? "");
  }
  return { member, pods: pods.size, revisions: revisions.size, claimsEnded };
}
