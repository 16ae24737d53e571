/** Pods that the cluster refuses for reasons that a dry run does not evaluate. */
import { describe, expect, test } from "bun:test";
import type { StoredObject } from "../../../src/api/object.ts";
import { savedCluster } from "../../../src/modes/dry-run/initial-state.ts";
import type { DryRun } from "../../../src/modes/dry-run/result.ts";
import { verdictsOf } from "../../../src/modes/dry-run/verdicts.ts";
import { deployment } from "../../../src/controllers/deployment/deployment.ts";
import { replicaset } from "../../../src/controllers/replicaset/replicaset.ts";
import { apply, changesOf, play, webReplicaSet } from "./scene.ts";

const webhook = 'Internal error occurred: failed calling webhook "bad.example.com": connection refused';
const quota = 'pods "web-x" is forbidden: exceeded quota: q, requested: pods=1, used: pods=2, limited: pods=2';

/** A cluster with the ReplicaSet `web`, whose pods are refused with this message. */
async function refusing(message: string, wishes: readonly ReturnType<typeof apply>[]): Promise<DryRun> {
  const first = await play({ requestedChanges: [apply(webReplicaSet(3))] });
  const saved = [...first.state.values()]
    .map(({ object }) => object)
    .filter(({ kind }) => kind !== "Pod")
    .map((object): StoredObject => {
      if (object.kind !== "ReplicaSet") return object;
      const failure = { type: "ReplicaFailure", status: "True", reason: "FailedCreate", message };
      const since = { lastTransitionTime: "2026-01-01T00:00:00Z" };
      const status = {
        replicas: 0,
        terminatingReplicas: 0,
        observedGeneration: 1,
        conditions: [{ ...failure, ...since }],
      };
      return { ...object, status } as StoredObject;
    });
  return play({ initialState: savedCluster(saved, []), requestedChanges: wishes });
}

describe("pods that a webhook of the cluster refuses", () => {
  test("stay refused, with its message: that is not drift, and they are not available", async () => {
    const run = await refusing(webhook, [apply(webReplicaSet(5))]);
    expect(changesOf({ groups: run.drift })).toEqual([]);
    expect(run.availability).toMatchObject([{ available: 0, desired: 5 }]);
    expect(run.availability[0]?.why).toContain("failed calling webhook");
  });

  test("but refusals that are computed here, as by a quota, are computed again", async () => {
    const run = await refusing(quota, [apply(webReplicaSet(5))]);
    expect(run.availability).toMatchObject([{ available: 5, desired: 5 }]);
  });

  test("of a Deployment with a new rollout are unknown", async () => {
    const web = (image: string): ReturnType<typeof apply> => {
      const { kind: _kind, ...rest } = webReplicaSet(2, { image });
      return apply({ ...rest, kind: "Deployment" });
    };
    const controllers = [deployment, replicaset];
    const first = await play({ requestedChanges: [web("a")], controllers });
    const old = [...first.state.values()].find(({ of }) => of.kind === "ReplicaSet")?.object;
    const liveRefusals = new Map([[old?.metadata.uid ?? "", webhook]]);
    const saved = [...first.state.values()].map(({ object }) => object);
    const run = await play({
      initialState: { ...savedCluster(saved, []), liveRefusals },
      requestedChanges: [web("b")],
      controllers,
    });
    const { available } = verdictsOf({ ...run, controllers, changes: [], liveRefusals });
    expect(available).toMatchObject({ is: "cannot tell" });
    expect(available.is === "cannot tell" && available.because).toContain("the cluster rejects them now");
  });
});
