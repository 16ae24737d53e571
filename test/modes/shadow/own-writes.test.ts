/** Controllers that remember their writes until a cache shows them: in shadow, where nothing is written, they must not wait for that. */
import { expect, test } from "bun:test";
import { Endpoints, EndpointSlices, Nodes, Pods, Services } from "../../../src/api/kinds.ts";
import type { ControllerDefinition } from "../../../src/controller/api/definition.ts";
import { endpoints } from "../../../src/controllers/endpoints/endpoints.ts";
import { endpointslice } from "../../../src/controllers/endpointslice/endpointslice.ts";
import { startShadow } from "../../../src/modes/shadow/shadow.ts";
import { nodeOf, podOf } from "../../support/pods.ts";
import { virtualCluster } from "../../support/virtual-cluster.ts";

const labels = { app: "web" };

test.each([
  { controller: endpoints, kind: Endpoints },
  { controller: endpointslice, kind: EndpointSlices },
] as readonly { readonly controller: ControllerDefinition; readonly kind: typeof Endpoints }[])(
  "$controller.name in shadow decides anew at each change, without waiting for writes that were never sent",
  async ({ controller, kind }) => {
    const cluster = await virtualCluster();
    const { timeline, random, bus } = cluster;
    const you = cluster.clientFor("you");
    const metadata = { name: "web", namespace: "default" };
    await cluster.settle(you.create(Nodes, nodeOf("n")));
    await cluster.settle(you.create(Services, { metadata, spec: { selector: labels, ports: [{ port: 80 }] } }));
    // The owner's, from before.
    if (kind === Endpoints) await cluster.settle(you.create(Endpoints, { metadata }));
    const existing = async (): Promise<unknown> =>
      (await cluster.settle(you.list(kind, { namespace: "default" }), 5000)).items;
    const before = await existing();
    const shadow = await cluster.settle(
      startShadow({
        controllers: [controller],
        transport: cluster.sandbox.transport({ actor: "shadow" }),
        bus,
        timeline,
        random,
        ownerOf: () => ({ manager: "kube-controller-manager", found: false }),
      }),
    );
    shadow.startWorkers();
    for (const name of ["a", "b", "c"]) {
      await timeline.runUntil({ ms: 5000 });
      const pod = await cluster.settle(you.create(Pods, podOf(name, { labels, spec: { nodeName: "n" } })), 5000);
      const podIP = `10.0.0.${name.charCodeAt(0)}`;
      const conditions = [{ type: "Ready", status: "True" }] as const;
      const status = { phase: "Running", podIP, podIPs: [{ ip: podIP }], conditions } as const;
      await cluster.settle(you.updateStatus(Pods, { ...pod, status }), 5000);
    }
    await timeline.runUntil({ ms: 20_000 });
    const rules = cluster.events("decision").map(({ rule }) => rule);
    expect(rules.length).toBeGreaterThan(3);
    expect(rules).not.toContain("cache-behind");
    expect(cluster.events("done").filter(({ error }) => error !== undefined)).toEqual([]);
    expect(await existing()).toEqual(before);
    await cluster.settle(shadow.stop(), 5000);
  },
);
