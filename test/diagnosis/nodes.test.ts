/** A node whose conditions are good is not well if its kubelet has been silent: the conditions may be stale. */
import { describe, expect, test } from "bun:test";
import { Leases, Nodes } from "../../src/api/kinds.ts";
import { findingsOf, type Item } from "../../src/diagnosis/diagnosis.ts";
import { ago, diagnose, type Json, objectOf } from "./world.ts";

const node = (ready = "True"): ReturnType<typeof objectOf> =>
  objectOf("n-1", {
    meta: { namespace: "" },
    status: { conditions: [{ type: "Ready", status: ready, reason: "KubeletReady", message: "m" }] },
  });
const leaseOf = (name: string, spec: Json): Item => ({
  kind: Leases,
  object: objectOf(name, { meta: { namespace: "kube-node-lease" }, spec }),
});

describe("a ready node", () => {
  test("whose kubelet renews its Lease is well", () => {
    const items = [leaseOf("n-1", { renewTime: ago(50) }), leaseOf("n-2", { renewTime: ago(900) })];
    const diagnosis = diagnose(Nodes, node(), { items });
    expect(diagnosis.is).toBe("well");
    expect(diagnosis.verdict.evidence.seen).toEqual(["its status", "its Lease"]);
  });

  test("whose kubelet has not renewed its Lease for longer than the grace period is not", () => {
    const diagnosis = diagnose(Nodes, node(), { items: [leaseOf("n-1", { renewTime: ago(180) })] });
    expect(diagnosis.is).toBe("waiting");
    expect(findingsOf(diagnosis)).toMatchObject([
      {
        why: "its kubelet has not renewed its Lease for 3 m, though condition Ready is still True: is the node lifecycle controller running?",
      },
    ]);
  });

  test.each([
    { name: "without a Lease", items: [] },
    { name: "whose Lease was never renewed", items: [leaseOf("n-1", {})] },
  ])("$name is as its status says, with a note", ({ items }) => {
    const diagnosis = diagnose(Nodes, node(), { items });
    expect(diagnosis.is).toBe("well");
    expect(diagnosis.notes).toEqual(["no kubelet renews a Lease for it: whether it is alive was not looked at"]);
  });

  test("whose Lease cannot be read is as its status says, and that is not seen", () => {
    const diagnosis = diagnose(Nodes, node(), { forbidden: [Leases] });
    expect(diagnosis.is).toBe("well");
    expect(diagnosis.verdict.evidence.unseen).toMatchObject([
      { what: "leases.coordination.k8s.io", isDecisive: false },
    ]);
  });
});

test("a node that is not ready has its condition as the cause, however old its Lease is", () => {
  const diagnosis = diagnose(Nodes, node("Unknown"), { items: [leaseOf("n-1", { renewTime: ago(180) })] });
  expect(findingsOf(diagnosis).map(({ why }) => why)).toEqual(["not ready: KubeletReady: m"]);
});
