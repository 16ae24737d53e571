/** Claims of devices in the embedded cluster, on virtual time, with all other controllers. */
import { expect, test } from "bun:test";
import { Pods, ResourceClaims, ResourceClaimTemplates } from "../../../src/api/kinds.ts";
import { controllersEnabledByDefault } from "../../../src/controllers/index.ts";
import { embeddedScene, type EmbeddedScene } from "../../support/embedded-scene.ts";
import { allocation, named, protection, spec, templated } from "./objects.ts";

const namespace = "default";
const at = (name: string): { readonly namespace: string; readonly name: string } => ({ namespace, name });
const merge = (body: object): { readonly type: "merge"; readonly body: object } => ({ type: "merge", body });
// No node matches, so the pod is not scheduled.
const podSpec = { containers: [{ name: "c", image: "i" }], nodeSelector: { none: "such" } };

/** Does the work of a scheduler: allocates devices, and reserves the claim for the first consumer. */
async function allocate(scene: EmbeddedScene, claim: string, pod: string): Promise<void> {
  const { you } = scene;
  const { uid } = (await scene.during(you.get(Pods, at(pod)))).metadata;
  await scene.during(you.patch(ResourceClaims, at(claim), merge({ metadata: { finalizers: [protection] } })));
  const status = { allocation, reservedFor: [{ resource: "pods", name: pod, uid }] };
  await scene.during(you.patch(ResourceClaims, at(claim), merge({ status }), { subresource: "status" }));
}

test("are created with their pod, named in its status, released when it ends, and deleted with it", async () => {
  const scene = await embeddedScene({ controllers: controllersEnabledByDefault });
  const { you } = scene;
  const claims = async (): Promise<readonly string[]> =>
    (await scene.list(ResourceClaims)).map(
      ({ metadata, status }) =>
        `${metadata.name.replace(/-[a-z0-9]{5}$/, "-SUFFIX")}${status?.allocation === undefined ? "" : " has devices"}`,
    );
  await scene.during(you.create(ResourceClaimTemplates, { metadata: at("one"), spec: { spec } }));
  await scene.during(you.create(ResourceClaims, { metadata: at("shared"), spec }));
  await scene.during(
    you.create(Pods, {
      metadata: at("web"),
      spec: { ...podSpec, resourceClaims: [templated("gpu"), named("disk", "shared")] },
    }),
  );
  await scene.run(5000);
  expect(await claims()).toEqual(["shared", "web-gpu-SUFFIX"]);
  const web = await scene.during(you.get(Pods, at("web")));
  const own =
    (await scene.list(ResourceClaims)).find(({ metadata }) => metadata.name !== "shared")?.metadata.name ?? "";
  expect(web.status?.resourceClaimStatuses).toEqual([{ name: "gpu", resourceClaimName: own }]);
  await allocate(scene, own, "web");
  await allocate(scene, "shared", "web");
  await scene.run(5000);
  expect(await claims()).toEqual(["shared has devices", "web-gpu-SUFFIX has devices"]);
  await scene.during(you.patch(Pods, at("web"), merge({ status: { phase: "Succeeded" } }), { subresource: "status" }));
  await scene.run(5000);
  expect(await claims()).toEqual(["shared"]);
  expect((await scene.during(you.get(ResourceClaims, at("shared")))).metadata.finalizers).toBeUndefined();
  await scene.stop();
});

test("a generated claim is deleted with its pod: the garbage collector deletes it once it is free", async () => {
  const scene = await embeddedScene({ controllers: controllersEnabledByDefault });
  const { you } = scene;
  await scene.during(you.create(ResourceClaimTemplates, { metadata: at("one"), spec: { spec } }));
  await scene.during(
    you.create(Pods, {
      metadata: at("web"),
      spec: { containers: podSpec.containers, resourceClaims: [templated("gpu")] },
    }),
  );
  await scene.run(5000);
  const [claim] = await scene.list(ResourceClaims);
  await allocate(scene, claim?.metadata.name ?? "", "web");
  await scene.run(5000);
  await scene.during(you.delete(Pods, at("web")));
  await scene.run(60_000);
  expect(await scene.list(ResourceClaims)).toEqual([]);
  await scene.stop();
});
