/** What our controllers would do, and on which version of the server they decide it. */
import { expect, test } from "bun:test";
import { ConfigMaps } from "../../../src/api/kinds.ts";
import { ownVersion } from "../../../src/api/server-version.ts";
import type { Transport } from "../../../src/api/transport.ts";
import { createClient } from "../../../src/client/api/client.ts";
import { discover } from "../../../src/client/api/discovery.ts";
import { type ControllerDefinition, defineController } from "../../../src/controller/api/definition.ts";
import { type Decision, rule } from "../../../src/controller/api/rule.ts";
import { watchPrimary } from "../../../src/controller/api/primary.ts";
import type { Got } from "../../../src/diagnosis/look.ts";
import { readWould } from "../../../src/modes/why/would.ts";
import { virtualCluster } from "../../support/virtual-cluster.ts";

/** Answers `/version` with this status and body. */
function withVersion(transport: Transport, status: number, body: object): Transport {
  return {
    async send(request) {
      if (request.path !== "/version") return transport.send(request);
      let left: Uint8Array | undefined = new TextEncoder().encode(JSON.stringify(body));
      const next = (): Promise<Uint8Array | undefined> => {
        const piece = left;
        left = undefined;
        return Promise.resolve(piece);
      };
      return { status, header: () => "application/json", body: { next, cancel: () => undefined } };
    },
  };
}

test.each([
  {
    server: "that has another version",
    status: 200,
    body: { gitVersion: "v1.33.1", major: "1", minor: "33" },
    minor: 33,
  },
  {
    server: "that keeps its version from the user",
    status: 403,
    body: { kind: "Status", status: "Failure", code: 403, reason: "Forbidden", message: "no" },
    minor: ownVersion.minor,
  },
])("a controller decides on a server $server", async ({ status, body, minor }) => {
  const seen: number[] = [];
  const controller: ControllerDefinition = defineController({
    name: "marker",
    purpose: "marks ConfigMaps",
    for: ConfigMaps,
    watches: [watchPrimary(ConfigMaps)],
    rules: [],
    async sync(_key, { serverVersion }) {
      seen.push(serverVersion.minor);
    },
  });
  const got = await wouldDo(controller, (transport) => withVersion(transport, status, body));
  expect(got).toEqual({ is: "would", would: [], unseen: [] });
  expect(seen).toEqual([minor]);
});

const planned = rule<{ readonly what: string }>({
  id: "plan",
  looksAt: [],
  chooses: "Writes ConfigMaps.",
  sentence: ({ what }) => what,
});

test("its decisions come in their order, those without a write left out", async () => {
  const controller: ControllerDefinition = defineController({
    name: "marker",
    purpose: "writes ConfigMaps",
    for: ConfigMaps,
    watches: [watchPrimary(ConfigMaps)],
    rules: [planned],
    async sync(_key, context) {
      const { client } = context;
      const both = context.decide(planned, { what: "both" });
      context.decide(planned, { what: "nothing" });
      const one = context.decide(planned, { what: "one" });
      const create = (name: string, because: Decision): Promise<unknown> =>
        client.create(ConfigMaps, { metadata: { namespace: "default", name } }, { because });
      await create("c", one);
      await create("b", both);
      await create("d", both);
    },
  });
  expect(await wouldDo(controller)).toEqual({
    is: "would",
    would: ["plan: both", "plan: one"].map((sentence) => ({ controller: "marker", sentence })),
    unseen: [],
  });
});

/** What the controller would do with a ConfigMap in a new cluster. */
async function wouldDo(
  controller: ControllerDefinition,
  altered: (transport: Transport) => Transport = (transport) => transport,
): Promise<Got> {
  const cluster = await virtualCluster();
  const { timeline, random, bus } = cluster;
  const metadata = { name: "a", namespace: "default" };
  await cluster.settle(cluster.clientFor("you").create(ConfigMaps, { metadata }));
  const transport = altered(cluster.sandbox.transport({ actor: "why" }));
  const client = createClient({ transport, bus, timeline });
  const discovery = await cluster.settle(discover(client));
  const kind = discovery.kinds.find((each) => each.kind === "ConfigMap") ?? ConfigMaps;
  const controllers = [controller];
  const options = { transport, client, bus, timeline, random, discovery, controllers, evaluatesControllers: true };
  return cluster.settle(readWould(options, { kind, ...metadata }), 5000);
}
