import { expect, test } from "bun:test";
import { Leases } from "../../src/api/kind.ts";
import { formatMicroTime } from "../../src/api/time.ts";
import { kubelet } from "../../src/controllers/kubelet/kubelet.ts";
import { replicaset } from "../../src/controllers/replicaset/replicaset.ts";
import { scheduler } from "../../src/controllers/scheduler/scheduler.ts";
import { findSecondOwner } from "../../src/modes/second-owner.ts";
import { embeddedScene } from "../support/embedded-scene.ts";

const cases = [
  { holder: "kube-scheduler", active: ["scheduler"] },
  { holder: "kube-controller-manager", active: ["replicaset"] },
];

test.each(cases)("a Lease of $holder makes those controllers active that it runs, and no others", async (row) => {
  const scene = await embeddedScene({ nodes: 0 });
  const renewTime = formatMicroTime(scene.timeline.now());
  const metadata = { namespace: "kube-system", name: row.holder };
  const spec = { holderIdentity: "somebody", leaseDurationSeconds: 15, renewTime };
  await scene.during(scene.you.create(Leases, { metadata, spec }));
  const transport = scene.cluster.sandbox.transport({ actor: "preflight" });
  const active: string[] = [];
  for (const controller of [replicaset, scheduler, kubelet]) {
    const owner = await scene.during(findSecondOwner(transport, scene.you, controller, "default"));
    if (owner.is === "active") active.push(controller.name);
  }
  expect(active).toEqual(row.active);
  await scene.stop();
});
