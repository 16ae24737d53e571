import { expect, test } from "bun:test";
import { Namespaces, ServiceAccounts } from "../../../src/api/kinds.ts";
import { embeddedScene } from "../../support/embedded-scene.ts";

test("a namespace gets its ServiceAccount default, and gets it again when it is deleted", async () => {
  const scene = await embeddedScene({ nodes: 0, scheduler: false, kubelet: false });
  await scene.during(scene.you.create(Namespaces, { metadata: { name: "shop" } }));
  await scene.run(1000);
  const names = async (): Promise<string[]> =>
    (await scene.list(ServiceAccounts, "shop")).map(({ metadata }) => metadata.name);
  expect(await names()).toEqual(["default"]);
  await scene.during(scene.you.delete(ServiceAccounts, { namespace: "shop", name: "default" }));
  await scene.run(1000);
  expect(await names()).toEqual(["default"]);
  const decided = scene.events.filter((event) => event.stage === "decision" && event.rule === "create-default");
  expect(decided).toHaveLength(1);
  await scene.stop();
});
