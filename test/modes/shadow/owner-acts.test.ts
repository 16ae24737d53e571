import { describe, expect, test } from "bun:test";
import type { StoredObject } from "../../../src/api/object.ts";
import { replicaset } from "../../../src/controllers/replicaset/replicaset.ts";
import { validatingAdmissionPolicyStatus } from "../../../src/controllers/validatingadmissionpolicy-status/validatingadmissionpolicy-status.ts";
import type { Observed } from "../../../src/modes/shadow/acts.ts";
import { keyOfAct, ownersManagers } from "../../../src/modes/shadow/owner-acts.ts";
import { OwnersAtWork } from "../../../src/modes/shadow/owners-at-work.ts";

const owner = { manager: "kube-controller-manager", found: false };
const replicaSets = { group: "apps", kind: "ReplicaSet" };

const web = (resourceVersion: string): StoredObject => ({
  metadata: { name: "web", namespace: "shop", uid: "web", resourceVersion, creationTimestamp: "", generation: 1 },
});

const pod: StoredObject = {
  metadata: {
    name: "web-a",
    namespace: "shop",
    uid: "a",
    resourceVersion: "1",
    creationTimestamp: "",
    ownerReferences: [{ apiVersion: "apps/v1", kind: "ReplicaSet", name: "web", uid: "web", controller: true }],
  },
};

const created: Observed = {
  of: { group: "", kind: "Pod" },
  key: "shop/web-a",
  before: undefined,
  after: pod,
  delta: 1,
  writer: "kube-controller-manager",
};
const counted: Observed = { ...created, of: replicaSets, key: "shop/web", before: web("1"), after: web("2") };

describe("the field managers of an owner", () => {
  test("are those of its process, and of the same controller elsewhere", () => {
    const ofOwner = (writer: string): boolean => ownersManagers(replicaset, owner).includes(writer);
    expect(ofOwner("kube-controller-manager")).toBe(true);
    expect(ofOwner("kubectl-reconcile-replicaset")).toBe(true);
    expect(ofOwner("kubectl-reconcile-job")).toBe(false);
    expect(ofOwner("kubectl-scale")).toBe(false);
  });

  test("include the one that the controller applies with", () => {
    const { appliesAs = "" } = validatingAdmissionPolicyStatus;
    expect(appliesAs).not.toBe("");
    expect(ownersManagers(validatingAdmissionPolicyStatus, owner).includes(appliesAs)).toBe(true);
    expect(ownersManagers(replicaset, owner).includes(appliesAs)).toBe(false);
  });
});

describe("an act without an intention", () => {
  const keyFor = (observed: Observed): string | undefined => keyOfAct([replicaset], observed, () => owner)?.key;

  test.each(["kube-controller-manager", "kubectl-reconcile-replicaset"])("of %s belongs to the key", (writer) => {
    expect(keyFor({ ...created, writer })).toBe("shop/web");
    expect(keyFor({ ...counted, writer })).toBe("shop/web");
  });

  test.each(["kubectl-create", "kubectl-reconcile-job", undefined])("of %s is not the owner's", (writer) => {
    expect(keyFor({ ...created, writer })).toBeUndefined();
    expect(keyFor({ ...counted, writer })).toBeUndefined();
  });
});

test("an owner is at work once it has written an object of the controller's kind", () => {
  const seen: string[] = [];
  const owners = new OwnersAtWork({
    controllers: [replicaset],
    ownerOf: () => owner,
    onOwnerSeen: (controller, manager) => seen.push(`${controller} ${manager}`),
  });
  owners.observed({ of: created.of, writer: "kube-controller-manager" });
  owners.observed({ of: replicaSets, writer: "kubectl-edit" });
  owners.observed({ of: replicaSets, writer: undefined });
  expect({ isAtWork: owners.isAtWork("replicaset"), seen }).toEqual({ isAtWork: false, seen: [] });
  for (let time = 0; time < 2; time++) owners.observed({ of: replicaSets, writer: "kubectl-reconcile-replicaset" });
  expect({ isAtWork: owners.isAtWork("replicaset"), seen }).toEqual({
    isAtWork: true,
    seen: ["replicaset kubectl-reconcile-replicaset"],
  });
});
