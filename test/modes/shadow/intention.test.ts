import { describe, expect, test } from "bun:test";
import type { StoredObject } from "../../../src/api/object.ts";
import { differences } from "../../../src/modes/shadow/comparison.ts";
import { isIdle, isSame } from "../../../src/modes/shadow/intention.ts";
import type { WouldBeWrite } from "../../../src/modes/shadow/would-be-write.ts";

const meta = { name: "web-a", namespace: "shop", uid: "u", resourceVersion: "1", creationTimestamp: "" };
const owned = (uid: string): object => ({
  generateName: "web-",
  ownerReferences: [{ apiVersion: "apps/v1", kind: "ReplicaSet", name: "web", uid, controller: true }],
});
const objectOf = (rest: object, more: object = {}): StoredObject => ({ metadata: { ...meta, ...more }, ...rest });
const writeOf = (rest: Partial<WouldBeWrite>): WouldBeWrite => ({
  request: { method: "POST", path: "/", signal: new AbortController().signal },
  group: "",
  kind: "Pod",
  subresource: "",
  target: "shop/web-a",
  verb: "create",
  sent: undefined,
  before: undefined,
  after: undefined,
  ...rest,
});

describe("an intention", () => {
  test("two creates of one owner are equal if the server generates their names", () => {
    const one = writeOf({ sent: { metadata: owned("rs-1") }, target: "shop/web-a" });
    expect(isSame(one, writeOf({ sent: { metadata: owned("rs-1") }, target: "shop/web-b" }))).toBe(true);
    expect(isSame(one, writeOf({ sent: { metadata: owned("rs-2") }, target: "shop/web-b" }))).toBe(false);
  });

  test("server defaults are not a difference, other sent values are", () => {
    const sent = { metadata: owned("rs-1"), spec: { containers: [{ name: "web", image: "web:1" }] }, status: {} };
    const made = (image: string): StoredObject =>
      objectOf(
        {
          spec: {
            nodeName: "n",
            tolerations: [{}],
            containers: [{ name: "web", image, terminationMessagePath: "/x" }],
          },
        },
        owned("rs-1"),
      );
    expect(differences(writeOf({ sent }), made("web:1"), undefined)).toEqual([]);
    expect(differences(writeOf({ sent }), made("web:2"), undefined)).toEqual([".spec.containers[0]"]);
  });

  test("further items of a list are a difference, except in a pod, to which admission adds some", () => {
    const [one, two] = [{ addresses: ["10.0.0.1"] }, { addresses: ["10.0.0.2"] }];
    const slice = writeOf({ group: "discovery.k8s.io", kind: "EndpointSlice", sent: { endpoints: [one] } });
    expect(differences(slice, objectOf({ endpoints: [one] }), undefined)).toEqual([]);
    expect(differences(slice, objectOf({ endpoints: [two, one] }), undefined)).toEqual([".endpoints[1]"]);
    const pod = writeOf({ sent: { spec: { tolerations: [one] } } });
    expect(differences(pod, objectOf({ spec: { tolerations: [two, one] } }), undefined)).toEqual([]);
  });

  test("of a status its values count, and no times", () => {
    const status = (replicas: number, time: string): object => ({
      status: { replicas, conditions: [{ type: "A", status: "True", lastTransitionTime: time }] },
    });
    const before = objectOf({ status: { replicas: 1 } });
    const write = writeOf({ verb: "update", subresource: "status", before, after: objectOf(status(3, "10:00")) });
    expect(differences(write, objectOf(status(3, "10:01")), before)).toEqual([]);
    expect(differences(write, objectOf(status(2, "10:00")), before)).toEqual([".status.replicas"]);
  });

  test("the number of a type in a warning about an expression is no difference", () => {
    const warned = (types: string): StoredObject => objectOf({ status: { warning: `applied to '(${types}, int)'` } });
    const before = objectOf({ status: {} });
    const write = writeOf({ verb: "patch", subresource: "status", before, after: warned("list(Pod.spec.@idx)") });
    expect(differences(write, warned("list(Pod186451947.spec.@idx)"), before)).toEqual([]);
    expect(differences(write, warned("list(Node186451947.spec.@idx)"), before)).toEqual([".status.warning"]);
  });

  test("an additional change by the owner is a difference", () => {
    const before = objectOf({ status: { replicas: 1 } });
    const after = objectOf({ status: { replicas: 3 } });
    const write = writeOf({ verb: "update", subresource: "status", before, after });
    const ready = objectOf({ status: { replicas: 3, readyReplicas: 3 } }, { resourceVersion: "2" });
    expect(differences(write, ready, before)).toEqual([".status.readyReplicas"]);
    // The previous state had it: the owner has not changed it.
    const was = objectOf({ status: { replicas: 1, readyReplicas: 3 } });
    expect(differences(write, ready, was)).toEqual([]);
    const spec = writeOf({ verb: "update", before: objectOf({}), after: objectOf({ spec: { replicas: 2 } }) });
    const scaled = objectOf({ spec: { replicas: 2 }, status: { replicas: 2 } }, { resourceVersion: "2" });
    expect(differences(spec, scaled, objectOf({}))).toEqual([]);
  });

  test("a write that changes nothing is not waited for", () => {
    const same = objectOf({ spec: {} });
    expect(isIdle(writeOf({ verb: "patch", before: same, after: same }))).toBe(true);
    expect(isIdle(writeOf({ verb: "delete", before: objectOf({}, { deletionTimestamp: "10:00" }) }))).toBe(true);
    expect(isIdle(writeOf({ verb: "delete", before: same }))).toBe(false);
  });

  describe("that refers to an object that its sync would have created", () => {
    const started = (name: string, uid: string, resourceVersion: string): StoredObject =>
      objectOf({ status: { active: [{ kind: "Job", name, uid, resourceVersion }] } });
    const means = (uid: string): WouldBeWrite =>
      writeOf({
        verb: "update",
        subresource: "status",
        before: objectOf({ status: {} }),
        after: started("nightly-1", uid, "3"),
        madeUp: { uids: new Set([uid]), names: new Map() },
      });

    test("is the owner's with the uid and the version of the owner's object", () => {
      expect(differences(means("made-up"), started("nightly-1", "real", "700"), objectOf({ status: {} }))).toEqual([]);
      const other = differences(means("made-up"), started("nightly-2", "real", "700"), objectOf({ status: {} }));
      expect(other.length).toBeGreaterThan(0);
    });

    test("is decided again with another invented uid", () => {
      expect(isSame(means("made-up"), means("made up again"))).toBe(true);
    });

    const claimed = (name: string): StoredObject =>
      objectOf({ status: { resourceClaimStatuses: [{ name: "gpu", resourceClaimName: name }] } });
    const names = (name: string): WouldBeWrite =>
      writeOf({
        verb: "patch",
        subresource: "status",
        before: objectOf({ status: {} }),
        after: claimed(name),
        madeUp: { uids: new Set(), names: new Map([[name, "web-gpu-"]]) },
      });

    test("is the owner's with the name that the server generated for the owner's object", () => {
      const before = objectOf({ status: {} });
      expect(differences(names("web-gpu-made1"), claimed("web-gpu-x7k2p"), before)).toEqual([]);
      expect(differences(names("web-gpu-made1"), claimed("api-gpu-x7k2p"), before).length).toBeGreaterThan(0);
      expect(isSame(names("web-gpu-made1"), names("web-gpu-made2"))).toBe(true);
    });

    test.each(["resourceClaimStatuses", "volumesAttached"])(
      "is the owner's if that has %s in another order",
      (list) => {
        const named = (...of: string[]): StoredObject =>
          objectOf({ status: { [list]: of.map((name) => ({ name, resourceClaimName: `web-${name}` })) } });
        const before = objectOf({ status: {} });
        const write = writeOf({ verb: "patch", subresource: "status", before, after: named("gpu", "nic") });
        expect(differences(write, named("nic", "gpu"), before)).toEqual([]);
        expect(differences(write, named("nic", "disk"), before).length).toBeGreaterThan(0);
      },
    );
  });
});
