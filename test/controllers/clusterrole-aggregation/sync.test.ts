import { beforeEach, describe, expect, test } from "bun:test";
import { ClusterRoles } from "../../../src/api/kinds.ts";
import type { ClusterRole } from "../../../src/api/types.ts";
import type { PolicyRule } from "../../../src/controllers/clusterrole-aggregation/aggregate.ts";
import { clusterroleAggregation } from "../../../src/controllers/clusterrole-aggregation/clusterrole-aggregation.ts";
import { rejection } from "../../support/rejection.ts";
import { refusal, type Scene, syncScene } from "../../support/sync-context.ts";
import { aggregatedRole, roleOf, ruleOf } from "./objects.ts";

let scene: Scene;
beforeEach(() => {
  scene = syncScene(clusterroleAggregation);
});

const hammer = { tool: "hammer" };
const put = (...roles: readonly ClusterRole[]): void => scene.put(ClusterRoles, ...roles);
const applied = (): unknown[] => scene.calls.map(({ verb, name, body }) => ({ verb, name, body }));
const stored = (name: string): readonly PolicyRule[] | undefined =>
  scene.live(ClusterRoles).find(({ metadata }) => metadata.name === name)?.rules;
const says = (): readonly string[] => scene.decisions.map(({ sentence }) => sentence);

describe("an aggregated ClusterRole", () => {
  test("gets the rules of the selected roles, by an apply of the rules alone", async () => {
    put(aggregatedRole("all", [hammer]), roleOf("a", [ruleOf("pods")], hammer), roleOf("b", [ruleOf("nodes")]));
    await scene.sync("all");
    expect(applied()).toEqual([
      {
        verb: "patch",
        name: "all",
        body: {
          apiVersion: "rbac.authorization.k8s.io/v1",
          kind: "ClusterRole",
          metadata: { name: "all" },
          rules: [ruleOf("pods")],
        },
      },
    ]);
    expect(says()).toEqual(["1 rule from a → apply them"]);
    scene.deliver();
    await scene.sync("all");
    expect(applied()).toEqual([]);
    expect(says()).toEqual(["1 rule from a: it has them"]);
  });

  test("loses rules that no selected role has, and all when none is selected any more", async () => {
    put(aggregatedRole("all", [hammer], [ruleOf("secrets")]), roleOf("a", [ruleOf("pods")], hammer));
    await scene.sync("all");
    expect(stored("all")).toEqual([ruleOf("pods")]);
    scene.deliver();
    put(roleOf("a", [ruleOf("pods")]));
    await scene.sync("all");
    expect(scene.calls.at(-1)?.body).not.toHaveProperty("rules");
    expect(stored("all")).toBeUndefined();
    expect(says()).toEqual(["no ClusterRole is selected → apply no rules"]);
    scene.deliver();
    await scene.sync("all");
    expect(applied()).toEqual([]);
  });

  test("has the rules in the order of names, the first selector's first, without duplicates", async () => {
    const chisel = { tool: "chisel" };
    put(
      aggregatedRole("all", [chisel, hammer]),
      roleOf("c", [ruleOf("pods"), ruleOf("services")], hammer),
      roleOf("b", [ruleOf("nodes"), ruleOf("pods")], hammer),
      roleOf("a", [ruleOf("services")], chisel),
    );
    await scene.sync("all");
    expect(stored("all")).toEqual([ruleOf("services"), ruleOf("nodes"), ruleOf("pods")]);
    expect(says()).toEqual(["3 rules from a, b, c → apply them"]);
  });

  test("is written for another order, but not for an equivalent form", async () => {
    const roles = [roleOf("a", [ruleOf("pods"), ruleOf("nodes")], hammer)];
    put(aggregatedRole("all", [hammer], [ruleOf("nodes"), ruleOf("pods")]), ...roles);
    await scene.sync("all");
    expect(stored("all")).toEqual([ruleOf("pods"), ruleOf("nodes")]);
    put(aggregatedRole("all", [hammer], [{ ...ruleOf("pods"), resourceNames: [] }, ruleOf("nodes")]));
    await scene.sync("all");
    expect(applied()).toEqual([]);
  });

  test("is written for a change of a verb, resource name, group or path", async () => {
    const whole = {
      apiGroups: ["apps"],
      resources: ["deployments"],
      resourceNames: ["web"],
      verbs: ["get"],
    };
    const paths = { nonResourceURLs: ["/healthz"], verbs: ["get"] };
    put(roleOf("a", [whole, paths], hammer));
    for (const has of [
      [{ ...whole, verbs: ["list"] }, paths],
      [{ ...whole, resourceNames: ["api"] }, paths],
      [{ ...whole, apiGroups: [""] }, paths],
      [{ ...whole, resources: ["pods"] }, paths],
      [whole, { ...paths, nonResourceURLs: ["/livez"] }],
      [whole],
      [whole, paths, paths],
    ]) {
      put(aggregatedRole("all", [hammer], has));
      await scene.sync("all");
      expect(stored("all")).toEqual([whole, paths]);
    }
  });

  test("does not select itself, but can be selected by others", async () => {
    const mid = aggregatedRole("mid", [hammer], [ruleOf("pods")]);
    put({ ...mid, metadata: { ...mid.metadata, labels: hammer } }, aggregatedRole("top", [hammer]));
    await scene.sync("mid");
    expect(says()).toEqual(["no ClusterRole is selected → apply no rules"]);
    await scene.sync("top");
    expect(stored("top")).toEqual([ruleOf("pods")]);
  });

  test("selects by expressions, too; without selectors it has no rules", async () => {
    const clusterRoleSelectors = [{ matchExpressions: [{ key: "tool", operator: "Exists" }] }];
    put({ ...roleOf("all", []), aggregationRule: { clusterRoleSelectors } }, roleOf("a", [ruleOf("pods")], hammer));
    await scene.sync("all");
    expect(stored("all")).toEqual([ruleOf("pods")]);
    put(aggregatedRole("none", []));
    await scene.sync("none");
    expect(applied()).toEqual([]);
  });

  test("is retried when a selector is invalid, or the server refuses", async () => {
    const clusterRoleSelectors = [{ matchExpressions: [{ key: "tool", operator: "Like" }] }];
    put({ ...roleOf("all", []), aggregationRule: { clusterRoleSelectors } });
    expect(await rejection(scene.sync("all"))).toBeInstanceOf(RangeError);
    put(aggregatedRole("all", [hammer]), roleOf("a", [ruleOf("pods")], hammer));
    scene.refuse = () => refusal(403, "Forbidden", "no");
    expect(await rejection(scene.sync("all"))).toMatchObject({ code: 403 });
  });
});

test("a ClusterRole without an aggregation rule, or a deleted one, is left alone", async () => {
  put(roleOf("a", [ruleOf("pods")], hammer));
  for (const name of ["a", "gone"]) {
    await scene.sync(name);
    expect([...scene.calls, ...scene.decisions]).toEqual([]);
  }
});

test("any change of a ClusterRole enqueues the aggregated ones", () => {
  put(aggregatedRole("all", [hammer]), aggregatedRole("none", []), roleOf("a", [], hammer));
  const [object, before] = [roleOf("a", [ruleOf("pods")]), roleOf("a", [])];
  scene.notify(ClusterRoles, { type: "added", object, initial: false });
  scene.notify(ClusterRoles, { type: "updated", before, object });
  scene.notify(ClusterRoles, { type: "deleted", object, tombstone: false });
  expect(scene.woken).toEqual(["all", "none", "all", "none", "all", "none"]);
});
