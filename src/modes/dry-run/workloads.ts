/** Workloads that were not applied but created or changed by a program. */
import type { ObjectKey } from "../../api/key.ts";
import { controllerOf } from "../../api/owner-references.ts";
import type { KindName } from "../../trace/names.ts";
import { entryName, type State } from "../../views/state.ts";
import type { AppliedChange } from "./apply.ts";

/** A workload that has changed. */
export interface ChangedWorkload {
  readonly of: KindName;
  readonly key: ObjectKey;
  readonly did: "created" | "configured";
}

/** Kinds that run pods, directly or through what they create. */
export const workloadKinds: ReadonlySet<string> = new Set([
  "DaemonSet",
  "Job",
  "CronJob",
  "Pod",
  "StatefulSet",
  "Deployment",
  "ReplicaSet",
  "ReplicationController",
]);

/** Workloads with a new spec that belong to no other workload, excluding applied ones. */
export function changedWorkloads(
  done: readonly AppliedChange[],
  { before, state }: { readonly before: State; readonly state: State },
): readonly ChangedWorkload[] {
  const applied = new Set(done.map(({ of, key }) => entryName(of, key)));
  return [...state].flatMap(([name, { of, key, object }]): readonly ChangedWorkload[] => {
    if (!workloadKinds.has(of.kind) || applied.has(name) || workloadKinds.has(controllerOf(object)?.kind ?? ""))
      return [];
    const earlier = before.get(name)?.object;
    if (earlier === undefined || earlier.metadata.uid !== object.metadata.uid) return [{ of, key, did: "created" }];
    return earlier.metadata.generation === object.metadata.generation ? [] : [{ of, key, did: "configured" }];
  });
}
