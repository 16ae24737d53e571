/** Claims of ephemeral volumes in the embedded cluster, on virtual time, together with the garbage collector and claim protection. */
import { expect, test } from "bun:test";
import { PersistentVolumeClaims, Pods } from "../../../src/api/kinds.ts";
import { controllersEnabledByDefault } from "../../../src/controllers/index.ts";
import { embeddedScene } from "../../support/embedded-scene.ts";

test("are created with their pod, again while it exists, and deleted with it", async () => {
  const scene = await embeddedScene({ controllers: controllersEnabledByDefault });
  const namespace = "default";
  const claims = async (): Promise<readonly string[]> =>
    (await scene.list(PersistentVolumeClaims)).map(({ metadata }) => metadata.name);
  const spec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
  const volumes = [{ name: "scratch", ephemeral: { volumeClaimTemplate: { spec } } }];
  // A pod without a node does not protect its claim from deletion.
  const pod = { containers: [{ name: "c", image: "i" }], nodeSelector: { none: "such" }, volumes };
  await scene.during(scene.you.create(Pods, { metadata: { namespace, name: "web" }, spec: pod }));
  await scene.run(5000);
  expect(await claims()).toEqual(["web-scratch"]);
  const [first] = await scene.list(PersistentVolumeClaims);
  await scene.during(scene.you.delete(PersistentVolumeClaims, { namespace, name: "web-scratch" }));
  await scene.run(5000);
  expect(await claims()).toEqual(["web-scratch"]);
  expect((await scene.list(PersistentVolumeClaims))[0]?.metadata.uid).not.toBe(first?.metadata.uid);
  await scene.during(scene.you.delete(Pods, { namespace, name: "web" }));
  await scene.run(30_000);
  expect(await claims()).toEqual([]);
  await scene.stop();
});
