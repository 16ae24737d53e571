/** ServiceCIDRs in the embedded cluster, on virtual time. */
import { expect, test } from "bun:test";
import { ServiceCidrs, Services } from "../../../src/api/kinds.ts";
import { controllersEnabledByDefault } from "../../../src/controllers/index.ts";
import { embeddedScene } from "../../support/embedded-scene.ts";

test("a ServiceCIDR is ready, waits for the Service that has one of its addresses, and is removed 10 s after its deletion", async () => {
  const namespace = "default";
  const scene = await embeddedScene({
    controllers: controllersEnabledByDefault,
    nodes: 0,
    scheduler: false,
    kubelet: false,
  });
  const states = async (): Promise<readonly string[]> => {
    const { items } = await scene.during(scene.you.list(ServiceCidrs));
    return items.map(
      ({ metadata, status }) => `${metadata.name} ${status?.conditions?.map((each) => each.status).join()}`,
    );
  };
  await scene.during(scene.you.create(ServiceCidrs, { metadata: { name: "more" }, spec: { cidrs: ["10.9.0.0/24"] } }));
  await scene.run(1000);
  expect(await states()).toEqual(["kubernetes True", "more True"]);
  const spec = { clusterIP: "10.9.0.7", ports: [{ port: 80 }] };
  await scene.during(scene.you.create(Services, { metadata: { namespace, name: "web" }, spec }));
  await scene.during(scene.you.delete(ServiceCidrs, { namespace: "", name: "more" }));
  await scene.run(60_000);
  expect(await states()).toEqual(["kubernetes True", "more False"]);
  const refused = scene.you.create(Services, {
    metadata: { namespace, name: "api" },
    spec: { ...spec, clusterIP: "10.9.0.8" },
  });
  expect(await scene.during(refused.then(String, String))).toContain("does not match the current range");
  await scene.during(scene.you.delete(Services, { namespace, name: "web" }));
  await scene.run(60_000);
  expect(await states()).toEqual(["kubernetes True"]);
  await scene.stop();
});
