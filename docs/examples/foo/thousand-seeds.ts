/** A thousand orders of the same events: a Foo gets its Deployment, is scaled while pods still start, and never takes a foreign one. */
import assert from "node:assert/strict";
import process from "node:process";
import { kinds, startSandbox } from "kubectl-reconcile";
import crd from "./crd.json" with { type: "json" };
import { foo } from "./foo.ts";
import { Foos } from "./kinds.ts";

const seeds = Number(process.env["SEEDS"] ?? 1000);
for (let seed = 1; seed <= seeds; seed++) {
  const sandbox = await startSandbox({ controllers: [foo], definitions: [crd], seed });
  const at = { namespace: "default", name: "web" };
  const web = await sandbox.client.create(Foos, { metadata: at, spec: { deploymentName: "web", replicas: 1 } });
  await sandbox.advance(seed % 50);
  await sandbox.client.patch(Foos, at, { type: "merge", body: { spec: { replicas: 3 } } });
  // The Deployment controller checks the progress once more after ten minutes of virtual time.
  assert.equal(await sandbox.settle(900_000), "steady", `seed ${seed}`);
  const deployment = await sandbox.client.get(kinds.Deployments, at);
  assert.equal(deployment.metadata.ownerReferences?.[0]?.uid, web.metadata.uid, `seed ${seed}`);
  assert.equal((await sandbox.client.get(Foos, at)).status?.availableReplicas, 3, `seed ${seed}`);
  await sandbox.stop();
}
console.log(`${seeds} seeds: as expected`);
