import { describe, expect, test } from "bun:test";
import { daemonSetOf, going } from "./objects.ts";
import { daemonset } from "../../../src/controllers/daemonset/daemonset.ts";
import { expectExplained } from "../../support/explained-rules.ts";

describe("the DaemonSet controller", () => {
  test("has kubectl's names, retries forever, has 2 workers, and records Events as upstream does", () => {
    expect(daemonset.aliases).toEqual(["ds", "daemonset-controller"]);
    expect(daemonset.retry).toBeUndefined();
    expect(daemonset.workers).toBe(2);
    expect(daemonset.component).toBe("daemonset-controller");
  });

  test("watches its own kind, pods, revisions and nodes", () => {
    expect(daemonset.watches.map(({ kind, owned }) => [kind.plural, owned === true])).toEqual([
      ["daemonsets", false],
      ["pods", true],
      ["controllerrevisions", true],
      ["nodes", false],
    ]);
  });

  test("treats a set with an unobserved generation as unsynced, unless it is being deleted", () => {
    const behind = (meta: object): boolean | undefined =>
      daemonset.isLeftUndone?.(daemonSetOf({ meta: { generation: 2, ...meta }, status: { observedGeneration: 1 } }));
    expect([behind({}), behind({ generation: 1 }), behind(going)]).toEqual([true, false, false]);
  });

  test("has no more than the permissions of upstream's role", () => {
    /** The bootstrap role of 1.36.3, without list and watch. */
    const role: Readonly<Record<string, readonly string[]>> = {
      "apps daemonsets": ["get"],
      "apps daemonsets/status": ["update"],
      "apps daemonsets/finalizers": ["update"],
      " pods": ["create", "delete", "patch"],
      "apps controllerrevisions": ["get", "create", "delete", "update", "patch"],
    };
    const requested = daemonset.permissions.map(
      ({ group, resource, verbs }) => [`${group} ${resource}`, verbs] as const,
    );
    expect(Object.fromEntries(requested)).toEqual(role);
  });

  test("says of every rule what it looks at, what it chooses and where it comes from, and has a sentence for its example", () => {
    expectExplained(daemonset);
  });
});
