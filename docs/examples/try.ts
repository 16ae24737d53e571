import assert from "node:assert/strict";
import { kinds, startSandbox } from "kubectl-reconcile";
import { maxPods } from "./max-pods.ts";

const sandbox = await startSandbox({ controllers: [maxPods] });

// The trace: what each sync decided and wrote. A write that meets another's is refused with 409; the next sync decides the same again.
const lines: string[] = [];
sandbox.bus.listen((event) => {
  if (event.stage === "decision" && event.controller === "max-pods") {
    const line = `${event.rule}: ${event.sentence}`;
    if (lines.at(-1) !== line) lines.push(line);
  }
  if (event.stage === "write" && event.controller === "max-pods" && event.status !== 409)
    lines.push(`  ${event.verb} ${event.of.kind} ${event.key} → ${event.status}`);
});

// A namespace that asks for a limit gets its quota.
const shop = await sandbox.client.create(kinds.Namespaces, {
  metadata: { name: "shop", annotations: { "example.com/max-pods": "20" } },
});
await sandbox.settle();
const quotaAt = { namespace: "shop", name: "max-pods" };
const quota = await sandbox.client.get(kinds.ResourceQuotas, quotaAt);
assert.deepEqual(quota.spec?.hard, { pods: "20" });

// Somebody raises the limit by hand: it is changed back.
await sandbox.client.update(kinds.ResourceQuotas, { ...quota, spec: { hard: { pods: "500" } } });
await sandbox.settle();
assert.deepEqual((await sandbox.client.get(kinds.ResourceQuotas, quotaAt)).spec?.hard, { pods: "20" });

// Without the annotation the controller leaves the quota alone.
const patch = { type: "merge", body: { metadata: { annotations: { "example.com/max-pods": null } } } } as const;
await sandbox.client.patch(kinds.Namespaces, { namespace: "", name: shop.metadata.name }, patch);
assert.equal(await sandbox.settle(), "steady");

console.log(lines.join("\n"));
assert.deepEqual(lines, [
  "create-quota: shop asks for at most 20 pods → create the quota",
  "  create ResourceQuota shop/max-pods → 201",
  "update-quota: the quota allows 500 pods, the annotation 20 → update it",
  "  update ResourceQuota shop/max-pods → 200",
]);
await sandbox.stop();
