/** The embedded cluster, on virtual time: its API server runs in this process, so clients need no CA certificate. */
import { expect, test } from "bun:test";
import { ConfigMaps, Namespaces } from "../../../src/api/kinds.ts";
import { controllersEnabledByDefault } from "../../../src/controllers/index.ts";
import { embeddedScene } from "../../support/embedded-scene.ts";

test("nothing is published, and the controller explains why; a sandbox that serves HTTPS publishes its authority", async () => {
  const scene = await embeddedScene({
    controllers: controllersEnabledByDefault,
    nodes: 0,
    scheduler: false,
    kubelet: false,
  });
  await scene.during(scene.you.create(Namespaces, { metadata: { name: "shop" } }));
  await scene.run(5000);
  expect(await scene.list(ConfigMaps, "shop")).toEqual([]);
  const about = scene.events.flatMap((event) =>
    event.stage === "decision" && event.controller === "root-ca-certificate-publisher" ? [event.rule] : [],
  );
  expect(new Set(about)).toEqual(new Set(["no-authority"]));
  await scene.stop();
});
