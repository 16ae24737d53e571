/** Claims that are deleted in the embedded cluster, on virtual time, with a kubelet that terminates pods. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { PersistentVolumeClaims, PersistentVolumes, Pods, VolumeAttributesClasses } from "../../../src/api/kinds.ts";
import { builtInControllers } from "../../../src/controllers/index.ts";
import { embeddedScene, type EmbeddedScene } from "../../support/embedded-scene.ts";
import { podOf } from "../../support/pods.ts";

const protection = builtInControllers.filter(({ name }) => name.endsWith("-protection"));
const spec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
const namespace = "default";

let scene: EmbeddedScene;
/** How often the claim protection controller has listed the pods of the namespace. */
let lists: number;
beforeEach(async () => {
  lists = 0;
  scene = await embeddedScene({
    controllers: protection,
    wrap: (transport, actor) => ({
      send(request) {
        const isOurs = actor.endsWith("persistentvolumeclaim-protection");
        if (isOurs && request.method === "GET" && request.path === `/api/v1/namespaces/${namespace}/pods`) lists++;
        return transport.send(request);
      },
    }),
  });
});
afterEach(() => scene.stop());

const claims = async (): Promise<readonly string[]> =>
  (await scene.list(PersistentVolumeClaims)).map(({ metadata }) => metadata.name);
const makeClaim = (name: string): Promise<unknown> =>
  scene.during(scene.you.create(PersistentVolumeClaims, { metadata: { namespace, name }, spec }));
const deleteClaim = (name: string): Promise<unknown> =>
  scene.during(scene.you.delete(PersistentVolumeClaims, { namespace, name }));
const decisions = (): readonly string[] =>
  scene.events.flatMap((event) => (event.stage === "decision" ? [`${event.key} ${event.rule}`] : []));

describe("in the embedded cluster", () => {
  test("a claim that no pod uses is removed when it is deleted", async () => {
    await makeClaim("data");
    await deleteClaim("data");
    await scene.run(1000);
    expect(await claims()).toEqual([]);
  });

  test("a claim that a pod uses is removed when the kubelet has ended the pod", async () => {
    await makeClaim("data");
    const volumes = [{ name: "data", persistentVolumeClaim: { claimName: "data" } }];
    await scene.during(scene.you.create(Pods, podOf("db", { spec: { volumes, terminationGracePeriodSeconds: 5 } })));
    await scene.run(5000);
    await deleteClaim("data");
    await scene.run(60_000);
    expect(await claims()).toEqual(["data"]);
    expect(decisions()).toContain("default/data in-use");
    await scene.during(scene.you.delete(Pods, { namespace, name: "db" }));
    await scene.run(60_000);
    expect(await claims()).toEqual([]);
  });

  test("fifty claims that are deleted together need far fewer lists of pods", async () => {
    const names = Array.from({ length: 50 }, (_, n) => `data-${n}`);
    for (const name of names) await makeClaim(name);
    await scene.during(Promise.all(names.map((name) => scene.you.delete(PersistentVolumeClaims, { namespace, name }))));
    await scene.run(5000);
    expect(await claims()).toEqual([]);
    expect(lists).toBeGreaterThan(0);
    expect(lists).toBeLessThan(10);
  });

  test("an unused volume and an unused class are removed when they are deleted", async () => {
    await scene.during(
      scene.you.create(PersistentVolumes, {
        metadata: { name: "disk" },
        spec: { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], hostPath: { path: "/tmp/disk" } },
      }),
    );
    const gold = { metadata: { name: "gold" }, driverName: "example.com", parameters: { iops: "1" } };
    await scene.during(scene.you.create(VolumeAttributesClasses, gold));
    await scene.during(scene.you.delete(PersistentVolumes, { namespace: "", name: "disk" }));
    await scene.during(scene.you.delete(VolumeAttributesClasses, { namespace: "", name: "gold" }));
    await scene.run(1000);
    expect(await scene.list(PersistentVolumes, "")).toEqual([]);
    expect(await scene.list(VolumeAttributesClasses, "")).toEqual([]);
  });
});
