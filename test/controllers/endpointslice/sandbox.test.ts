/** Services in the embedded cluster, on virtual time, with a kubelet that makes pods ready. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { Endpoints, EndpointSlices, Pods, Services } from "../../../src/api/kinds.ts";
import { controllersEnabledByDefault } from "../../../src/controllers/index.ts";
import { embeddedScene, type EmbeddedScene } from "../../support/embedded-scene.ts";
import { podOf } from "../../support/pods.ts";

const namespace = "default";
let scene: EmbeddedScene;
beforeEach(async () => {
  scene = await embeddedScene({ controllers: controllersEnabledByDefault });
});
afterEach(() => scene.stop());

const own = <T extends { readonly metadata: { readonly name: string } }>(objects: readonly T[]): readonly T[] =>
  objects.filter(({ metadata }) => metadata.name.startsWith("web"));

describe("a Service in the embedded cluster", () => {
  test("has its pods in a slice and in Endpoints, and loses both when it is deleted", async () => {
    const spec = { selector: { app: "web" }, ports: [{ port: 80, targetPort: 8080 }] };
    await scene.during(scene.you.create(Services, { metadata: { namespace, name: "web" }, spec }));
    for (const name of ["a", "b"]) await scene.during(scene.you.create(Pods, podOf(name, { labels: { app: "web" } })));
    await scene.run(30_000);
    const ips = (await scene.list(Pods)).map(({ status }) => status?.podIP ?? "none");
    const [slice] = own(await scene.list(EndpointSlices));
    const [object] = own(await scene.list(Endpoints));
    expect(slice?.endpoints?.flatMap(({ addresses }) => addresses).toSorted()).toEqual(ips.toSorted());
    expect(slice?.endpoints?.every(({ conditions }) => conditions?.ready === true)).toBe(true);
    expect(object?.subsets?.[0]?.addresses?.map(({ ip }) => ip).toSorted()).toEqual(ips.toSorted());
    await scene.during(scene.you.delete(Pods, { namespace, name: "a" }));
    await scene.run(60_000);
    expect(own(await scene.list(EndpointSlices)).flatMap(({ endpoints }) => endpoints ?? [])).toHaveLength(1);
    await scene.during(scene.you.delete(Services, { namespace, name: "web" }));
    await scene.run(60_000);
    expect(own(await scene.list(EndpointSlices))).toEqual([]);
    expect(own(await scene.list(Endpoints))).toEqual([]);
  });
});
