import { describe, expect, test } from "bun:test";
import type { OwnerReference } from "../../../src/api/object.ts";
import {
  areOwnersCurrent,
  belongsToEarlierPod,
  claimOwners,
  hasUnexpectedController,
  type UsedClaim,
} from "../../../src/controllers/statefulset/claim-owners.ts";
import { claimingSet, claimNamed, ownedByPod, ownedBySet } from "./objects.ts";

const policies = ["Retain", "Delete"] as const;
const set = claimingSet();
const bySet = ownedBySet(set);
const byPod = ownedByPod("db-1");
const another: OwnerReference = { apiVersion: "apps/v1", kind: "ReplicaSet", name: "web", uid: "uid-web" };

interface Parts {
  readonly whenDeleted?: "Retain" | "Delete";
  readonly whenScaled?: "Retain" | "Delete";
  /** The pod exceeds the number of replicas. */
  readonly condemned?: boolean;
  readonly owners?: readonly OwnerReference[];
  readonly uid?: string;
}

/** The claim of db-1, in a set of 3 pods, or of 1 if the pod is condemned. */
function used({
  whenDeleted = "Retain",
  whenScaled = "Retain",
  condemned = false,
  owners,
  uid = "uid-db-1",
}: Parts): UsedClaim {
  return {
    claim: claimNamed("data-db-1", owners === undefined ? {} : { owners }),
    set: claimingSet({ replicas: condemned ? 1 : 3, whenDeleted, whenScaled }),
    user: { name: "db-1", uid, ordinal: 1 },
  };
}

/** The owners that the claim should have according to the policy. */
function wanted({ whenDeleted, whenScaled, condemned = false }: Parts): OwnerReference[] {
  const goes = whenScaled === "Delete" && condemned;
  return goes ? [byPod] : whenDeleted === "Delete" ? [bySet] : [];
}

describe("the owners of a claim", () => {
  for (const whenDeleted of policies) {
    for (const whenScaled of policies) {
      for (const condemned of [false, true]) {
        const parts = { whenDeleted, whenScaled, condemned };
        const right = wanted(parts);
        const owners = right.map(({ kind }) => kind).join() || "nobody";
        test(`with whenDeleted ${whenDeleted} and whenScaled ${whenScaled}, of a pod that is ${condemned ? "too many" : "desired"}: ${owners}`, () => {
          for (const there of [[], [bySet], [byPod], [bySet, byPod]]) {
            const claim = used({ ...parts, owners: there });
            const isRight = there.length === right.length && right.every((one) => there.includes(one));
            expect({ there: there.map(({ kind }) => kind), isRight: areOwnersCurrent(claim) }).toEqual({
              there: there.map(({ kind }) => kind),
              isRight,
            });
            expect(claimOwners(claim)).toEqual(right);
          }
        });
      }
    }
  }

  test("are controllers of it, and others stay beside them", () => {
    const parts = { whenDeleted: "Delete", owners: [another] } as const;
    expect(areOwnersCurrent(used(parts))).toBe(false);
    expect(claimOwners(used(parts))).toEqual([another, bySet]);
    expect(bySet).toMatchObject({
      apiVersion: "apps/v1",
      kind: "StatefulSet",
      controller: true,
      blockOwnerDeletion: true,
    });
    expect(byPod).toMatchObject({ apiVersion: "v1", kind: "Pod", controller: true, blockOwnerDeletion: true });
  });

  test("that are not its controllers become its controllers", () => {
    const plain = { ...bySet, controller: false };
    for (const owners of [[plain], [{ ...byPod, controller: false }, bySet]]) {
      expect(areOwnersCurrent(used({ whenDeleted: "Delete", owners }))).toBe(false);
      expect(claimOwners(used({ whenDeleted: "Delete", owners }))).toEqual([bySet]);
    }
  });

  test("are left alone if they are an earlier set or pod of the name", () => {
    for (const earlier of [
      { ...bySet, uid: "earlier" },
      { ...byPod, uid: "earlier" },
    ]) {
      for (const whenDeleted of policies) expect(areOwnersCurrent(used({ whenDeleted, owners: [earlier] }))).toBe(true);
    }
  });

  test("are left alone beside such an earlier one, too", () => {
    for (const [earlier, own] of [
      [{ ...bySet, uid: "earlier" }, byPod],
      [{ ...byPod, uid: "earlier" }, bySet],
    ] as const) {
      for (const whenScaled of policies)
        expect(areOwnersCurrent(used({ whenDeleted: "Retain", whenScaled, owners: [earlier, own] }))).toBe(true);
    }
  });

  test("are right beside others that are not controllers", () => {
    expect(areOwnersCurrent(used({ whenDeleted: "Delete", owners: [another, bySet] }))).toBe(true);
  });

  test("that include the pod, but not as the controller, are changed to that", () => {
    const owners = [{ ...byPod, controller: false }];
    const condemned = used({ whenScaled: "Delete", condemned: true, owners });
    expect(areOwnersCurrent(condemned)).toBe(false);
    expect(claimOwners(condemned)).toEqual([byPod]);
  });

  test("are not added twice with another version", () => {
    const beta = { ...bySet, apiVersion: "apps/v1beta1" };
    expect(claimOwners(used({ whenDeleted: "Delete", owners: [{ ...beta, controller: false }] }))).toEqual([
      { ...beta, controller: false },
    ]);
  });

  test("are left alone for a pod that must still be created and has no uid", () => {
    expect(areOwnersCurrent(used({ whenScaled: "Delete", owners: [byPod], uid: "" }))).toBe(true);
  });
});

describe("another controller of a claim", () => {
  const manager = { ...another, controller: true };

  test("matters as soon as claims may be deleted", () => {
    expect(hasUnexpectedController(used({ owners: [manager] }))).toBe(false);
    expect(hasUnexpectedController(used({ whenDeleted: "Delete", owners: [manager] }))).toBe(true);
    expect(hasUnexpectedController(used({ whenScaled: "Delete", owners: [manager] }))).toBe(true);
    expect(hasUnexpectedController(used({ whenDeleted: "Delete", owners: [another, bySet, byPod] }))).toBe(false);
  });

  test("can be an earlier set or pod of the name", () => {
    const earlier = { uid: "earlier", controller: false };
    expect(hasUnexpectedController(used({ whenDeleted: "Delete", owners: [{ ...bySet, ...earlier }] }))).toBe(true);
    expect(hasUnexpectedController(used({ whenDeleted: "Delete", owners: [{ ...byPod, ...earlier }] }))).toBe(true);
  });

  test("is identified by version, kind and name: one that shares only some of them is another", () => {
    const named = { ...bySet, uid: "other", controller: false };
    for (const differs of [{ apiVersion: "apps/v2" }, { kind: "Database" }, { name: "other" }])
      expect(hasUnexpectedController(used({ whenDeleted: "Delete", owners: [{ ...named, ...differs }] }))).toBe(false);
  });

  test("prevents the set and the pod from owning it", () => {
    const alone = used({ whenDeleted: "Delete", owners: [manager] });
    expect(areOwnersCurrent(alone)).toBe(true);
    for (const own of [bySet, byPod]) {
      const shared = used({ whenDeleted: "Delete", owners: [manager, own] });
      expect(areOwnersCurrent(shared)).toBe(false);
      expect(claimOwners(shared)).toEqual([manager]);
    }
  });
});

test("a claim belongs to an earlier pod if its owner has the pod's name and another uid", () => {
  const claim = (owner: OwnerReference): Parameters<typeof belongsToEarlierPod>[0] =>
    claimNamed("data-db-1", { owners: [owner] });
  const user = { name: "db-1", uid: "uid-db-1", ordinal: 1 };
  expect(belongsToEarlierPod(claim(byPod), user)).toBe(false);
  expect(belongsToEarlierPod(claim(byPod), { ...user, uid: "" })).toBe(true);
  expect(belongsToEarlierPod(claim({ ...byPod, name: "db-2" }), { ...user, uid: "" })).toBe(false);
  expect(belongsToEarlierPod(claim(bySet), { ...user, uid: "" })).toBe(false);
});
