import { expect, test } from "bun:test";
import { reasonOf } from "../../../../plugin/commands/dry-run/report/headline.ts";
import { PersistentVolumeClaims } from "../../../../src/api/kinds.ts";
import type { ToApply } from "../../../../src/modes/dry-run/apply.ts";
import { play } from "./scene.ts";

for (const { finalizers, says } of [
  { finalizers: [], says: "finalizer kubernetes.io/pvc-protection keeps it" },
  {
    finalizers: ["example.com/hold"],
    says: "finalizers example.com/hold, kubernetes.io/pvc-protection keep it",
  },
]) {
  test(`what is deleted, as asked, and stays: ${says}`, async () => {
    const claim = {
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata: { name: "data", finalizers },
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
      // The missing fields have defaults.
    } as ToApply;
    const run = await play([claim], [{ is: "delete", kind: PersistentVolumeClaims, namespace: "shop", name: "data" }]);
    const changes = run.groups.flatMap((group) => group.changes);
    expect(changes.map(reasonOf)).toEqual([`being deleted, as asked; ${says}`]);
  });
}
