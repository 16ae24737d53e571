import { describe, expect, test } from "bun:test";
import { statefulset } from "../../../src/controllers/statefulset/statefulset.ts";
import { expectExplained } from "../../support/explained-rules.ts";

describe("the StatefulSet controller", () => {
  test("has kubectl's names, retries forever, has 5 workers, and records Events as upstream does", () => {
    expect(statefulset.aliases).toEqual(["sts", "statefulset-controller"]);
    expect(statefulset.retry).toBeUndefined();
    expect(statefulset.workers).toBe(5);
    expect(statefulset.component).toBe("statefulset-controller");
  });

  test("watches its own kind, pods, claims and revisions", () => {
    expect(statefulset.watches.map(({ kind, owned }) => [kind.plural, owned === true])).toEqual([
      ["statefulsets", false],
      ["pods", true],
      ["persistentvolumeclaims", true],
      ["controllerrevisions", true],
    ]);
  });

  test("uses no more than the permissions of upstream's role", () => {
    /** The bootstrap role of 1.36.3, without list and watch. */
    const role: Readonly<Record<string, readonly string[]>> = {
      "apps statefulsets": ["get"],
      "apps statefulsets/status": ["update"],
      "apps statefulsets/finalizers": ["update"],
      " pods": ["get", "create", "delete", "update", "patch"],
      "apps controllerrevisions": ["get", "create", "delete", "update", "patch"],
      " persistentvolumeclaims": ["get", "create", "update", "delete"],
      " pods/finalizers": ["update"],
    };
    const requested = statefulset.permissions.map(({ group, resource, verbs }) => ({
      of: `${group} ${resource}`,
      verbs,
    }));
    expect(requested.map(({ of }) => of).sort()).toEqual(Object.keys(role).sort());
    const granted = requested.map(({ of, verbs }) => ({
      of,
      beyond: verbs.filter((verb) => role[of]?.includes(verb) !== true),
    }));
    expect(granted.filter(({ beyond }) => beyond.length > 0)).toEqual([]);
    // Pods and claims are read from the caches; claims are deleted by the garbage collector.
    expect(requested.find(({ of }) => of === " pods")?.verbs).toEqual(["create", "delete", "update", "patch"]);
    expect(requested.find(({ of }) => of === " persistentvolumeclaims")?.verbs).toEqual(["create", "update"]);
  });

  test("says of every rule what it looks at, what it chooses and where it comes from, and has a sentence for its example", () => {
    expectExplained(statefulset);
  });
});
