/** Endpoints written by a user in the embedded cluster, on virtual time, together with the controllers for Services with a selector. */
import { expect, test } from "bun:test";
import { Endpoints, EndpointSlices, Services } from "../../../src/api/kinds.ts";
import { managedByLabel } from "../../../src/controller/workload/service/slice-content.ts";
import { managedBy } from "../../../src/controllers/endpointslice-mirroring/plan.ts";
import { controllersEnabledByDefault } from "../../../src/controllers/index.ts";
import { embeddedScene } from "../../support/embedded-scene.ts";

test("are mirrored, follow a change, and lose their slice when the Service gets a selector or they are deleted", async () => {
  const namespace = "default";
  const scene = await embeddedScene({ controllers: controllersEnabledByDefault });
  const mirrored = async (): Promise<readonly string[]> => {
    const slices = (await scene.list(EndpointSlices)).filter(
      ({ metadata }) => metadata.labels?.[managedByLabel] === managedBy,
    );
    return slices.flatMap(({ metadata, endpoints = [] }) => [
      metadata.generateName ?? "",
      ...(endpoints?.[0]?.addresses ?? []),
    ]);
  };
  const ports = [{ port: 80, protocol: "TCP" }];
  const endpoints = (ip: string): object => ({ subsets: [{ addresses: [{ ip }], ports }] });
  await scene.during(scene.you.create(Services, { metadata: { namespace, name: "web" }, spec: { ports } }));
  await scene.during(scene.you.create(Endpoints, { metadata: { namespace, name: "web" }, ...endpoints("192.0.2.1") }));
  await scene.run(30_000);
  expect(await mirrored()).toEqual(["web-", "192.0.2.1"]);
  const patch = async (kind: typeof Endpoints | typeof Services, body: object): Promise<void> => {
    await scene.during(scene.you.patch(kind as typeof Services, { namespace, name: "web" }, { type: "merge", body }));
    await scene.run(30_000);
  };
  await patch(Endpoints, endpoints("192.0.2.2"));
  expect(await mirrored()).toEqual(["", "192.0.2.2"]);
  await patch(Services, { spec: { selector: { app: "web" } } });
  expect(await mirrored()).toEqual([]);
  await scene.stop();
});
