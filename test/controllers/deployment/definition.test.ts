import { describe, expect, test } from "bun:test";
import { Deployments, ReplicaSets } from "../../../src/api/kinds.ts";
import { deployment } from "../../../src/controllers/deployment/deployment.ts";
import { syncScene } from "../../support/sync-context.ts";
import { deploymentOf, setOf } from "./objects.ts";

describe("the Deployment controller", () => {
  test("has kubectl's names, 15 retries and 5 workers", () => {
    expect(deployment.aliases).toContain("deploy");
    expect(deployment.aliases).toContain("deployment-controller");
    expect(deployment.retry?.maxRetries).toBe(15);
    expect(deployment.workers).toBe(5);
    expect(deployment.component).toBe("deployment-controller");
  });

  test("says of every rule what it looks at, what it chooses and where it comes from", () => {
    for (const rule of deployment.rules) {
      expect(rule.looksAt.length).toBeGreaterThan(0);
      expect(rule.chooses).toMatch(/^[A-Z].*\.$/);
      expect(rule.source).toMatch(/\.go /);
    }
  });

  test("is enqueued for its own objects, their ReplicaSets, and matching orphans", () => {
    const scene = syncScene(deployment);
    scene.put(Deployments, deploymentOf());
    const own = setOf("own");
    const orphan = setOf("orphan", { owner: "none" });
    const changed = { ...own, metadata: { ...own.metadata, resourceVersion: "11" } };
    scene.notify(Deployments, { type: "added", object: deploymentOf(), initial: true });
    scene.notify(ReplicaSets, { type: "added", object: own, initial: false });
    scene.notify(ReplicaSets, { type: "updated", before: own, object: changed });
    scene.notify(ReplicaSets, { type: "deleted", object: own, tombstone: false });
    scene.notify(ReplicaSets, { type: "added", object: orphan, initial: false });
    expect(scene.woken).toEqual(Array.from({ length: 5 }, () => "shop/web"));
  });

  test("is not enqueued for resyncs of ReplicaSets, deleted orphans, or ReplicaSets of others", () => {
    const scene = syncScene(deployment);
    scene.put(Deployments, deploymentOf());
    const own = setOf("own");
    scene.notify(ReplicaSets, { type: "updated", before: own, object: own });
    scene.notify(ReplicaSets, { type: "deleted", object: setOf("orphan", { owner: "none" }), tombstone: false });
    const other = setOf("theirs", { owner: deploymentOf({ meta: { uid: "uid-other" } }) });
    scene.notify(ReplicaSets, { type: "added", object: other, initial: false });
    expect(scene.woken).toEqual([]);
  });
});
