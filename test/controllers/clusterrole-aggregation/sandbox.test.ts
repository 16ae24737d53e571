/** The default roles of a cluster, in the embedded cluster on virtual time. */
import { expect, test } from "bun:test";
import { ClusterRoles } from "../../../src/api/kinds.ts";
import { aggregationManager } from "../../../src/controllers/clusterrole-aggregation/clusterrole-aggregation.ts";
import { controllersEnabledByDefault } from "../../../src/controllers/index.ts";
import { embeddedScene } from "../../support/embedded-scene.ts";
import { aggregatedRole, ruleOf } from "./objects.ts";

const viewer = { "rbac.authorization.k8s.io/aggregate-to-view": "true" };

for (const { who, controllers } of [
  { who: "the controller, if it runs", controllers: controllersEnabledByDefault },
  { who: "the sandbox, if it does not", controllers: [] },
]) {
  test(`a selected ClusterRole is aggregated to admin, through view and edit, and removed again: by ${who}`, async () => {
    const scene = await embeddedScene({ controllers, nodes: 0, scheduler: false, kubelet: false, rbac: true });
    const widgets = ruleOf("widgets");
    const rules = async (name: string): Promise<readonly unknown[]> => {
      const role = await scene.during(scene.you.get(ClusterRoles, { namespace: "", name }));
      return role.rules ?? [];
    };
    const [first, admin] = [await rules("view"), await rules("admin")];
    expect(first.length).toBeGreaterThan(5);
    const body = { metadata: { name: "widget-viewer", labels: viewer }, rules: [widgets] };
    await scene.during(scene.you.create(ClusterRoles, body));
    await scene.run(5000);
    for (const name of ["view", "edit", "admin"]) expect(await rules(name)).toContainEqual(widgets);
    const at = { namespace: "", name: "view" };
    const { metadata } = await scene.during(scene.you.get(ClusterRoles, at));
    expect(metadata.managedFields?.map(({ manager, operation }) => `${manager} ${operation}`)).toContain(
      `${aggregationManager} Apply`,
    );
    await scene.during(scene.you.delete(ClusterRoles, { namespace: "", name: "widget-viewer" }));
    await scene.run(5000);
    expect(await rules("view")).toEqual(first);
    expect(await rules("admin")).toEqual(admin);
    // The selector matches no role, so the existing rules stay.
    const { aggregationRule, rules: own } = aggregatedRole("mine", [{ none: "such" }], [widgets]);
    const mine = {
      metadata: { name: "mine" },
      ...(aggregationRule && { aggregationRule }),
      ...(own && { rules: own }),
    };
    await scene.during(scene.you.create(ClusterRoles, mine));
    await scene.run(5000);
    expect(await rules("mine")).toEqual([widgets]);
    const decided = scene.events.filter(
      (event) => event.stage === "decision" && event.rule === "aggregate" && event.key !== "mine",
    );
    expect(decided).toHaveLength(controllers.length === 0 ? 0 : 6);
    await scene.stop();
  });
}
