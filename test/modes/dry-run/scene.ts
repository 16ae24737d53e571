/** Dry runs from manifests alone, for tests. */
import type { ToApply, RequestedChange } from "../../../src/modes/dry-run/apply.ts";
import { emptyCluster } from "../../../src/modes/dry-run/initial-state.ts";
import { dryRun, type DryRunOptions } from "../../../src/modes/dry-run/dry-run.ts";
import type { DryRun } from "../../../src/modes/dry-run/result.ts";
import { replicaset } from "../../../src/controllers/replicaset/replicaset.ts";

export function apply(object: ToApply): RequestedChange {
  return { is: "apply", object, namespace: "default" };
}

/** A ReplicaSet `web`; `container` adds fields to its only container. */
export function webReplicaSet(replicas: number, container: object = {}, labels: object = {}): ToApply {
  const app = { app: "web" };
  return {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: { name: "web", labels },
    spec: {
      replicas,
      selector: { matchLabels: app },
      template: { metadata: { labels: app }, spec: { containers: [{ name: "web", image: "nginx", ...container }] } },
    },
  } as ToApply;
}

export function play(options: Partial<DryRunOptions>): Promise<DryRun> {
  return dryRun({
    initialState: emptyCluster(["shop"]),
    baseline: [],
    requestedChanges: [],
    controllers: [replicaset],
    seed: 1,
    shown: {},
    fold: true,
    ...options,
  });
}

/** `~ ReplicaSet default/web`, `+ 3 Pod default/web-…`. */
export function changesOf({ groups }: Pick<DryRun, "groups">): string[] {
  const signs = { created: "+", changed: "~", deleted: "-", replaced: "±" };
  return groups
    .flatMap(({ changes }) => changes)
    .map(({ did, count, of, shownKey }) => `${signs[did]} ${count === 1 ? "" : `${count} `}${of.kind} ${shownKey}`);
}
