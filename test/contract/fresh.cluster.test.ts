/** What a kube-apiserver that nobody has used yet holds by itself, and what a sandbox does. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { seededRandom } from "../../src/platform/random.ts";
import { realTimeline } from "../../src/platform/real-timeline.ts";
import { serveSandbox, type SandboxHttps } from "../../src/sandbox/https.ts";
import { createSandbox } from "../../src/sandbox/sandbox.ts";
import { adminOf, type Cluster, clusterMissing, startCluster } from "../support/cluster.ts";
import { type Json, namesOf } from "./names.ts";
import { normalized } from "./normalize.ts";

type Ask = Cluster["request"];

/** What the sandbox leaves out. */
const leftOut: readonly { readonly kind: string; readonly because: string }[] = [
  { kind: "api/v1/componentstatuses", because: "there is no scheduler, controller manager or etcd to ask" },
  { kind: "api/v1/serviceaccounts", because: "kube-controller-manager's part: the test's cluster made one by hand" },
  { kind: "apis/apiregistration.k8s.io/v1/apiservices", because: "nothing is aggregated, and nothing can be" },
  { kind: "apis/flowcontrol.apiserver.k8s.io/v1/flowschemas", because: "requests do not queue" },
  { kind: "apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations", because: "the same" },
  { kind: "apis/coordination.k8s.io/v1/leases", because: "there is no second server to tell that it lives" },
];

interface Asked {
  readonly ask: Ask;
  readonly port: number;
  readonly ca: string;
  /** When the server was started, in ms since 1970. */
  readonly startedAt: number;
}

/** All objects by kind and key, and the ports and addresses that are the server's own under one name. */
async function everything({ ask, port, ca, startedAt }: Asked): Promise<Map<string, unknown>> {
  const found = new Map<string, unknown>();
  const { groups } = (await ask("GET", "/apis")).body as { groups: { preferredVersion: { groupVersion: string } }[] };
  const versions = ["api/v1", ...groups.map(({ preferredVersion }) => `apis/${preferredVersion.groupVersion}`)];
  for (const version of versions) {
    const { resources } = (await ask("GET", `/${version}`)).body as { resources: { name: string; verbs: string[] }[] };
    for (const { name } of resources.filter(({ verbs, name }) => verbs.includes("list") && !name.includes("/"))) {
      const { items } = (await ask("GET", `/${version}/${name}`)).body as { items: Json[] };
      for (const item of items) {
        const { metadata } = item as { metadata: { namespace?: string; name: string } };
        const own = JSON.stringify(item)
          .replaceAll(JSON.stringify(ca).slice(1, -1), "CA")
          .replaceAll(new RegExp(`:${port}\\b`, "g"), ":0")
          .replaceAll(/"(127\.0\.0\.1|192\.0\.2\.2)"/g, '"HOST"')
          .replaceAll(/"since":"[-\d]*"/g, '"since":"DATE"');
        const key = `${version}/${name} ${metadata.namespace ?? ""}/${metadata.name}`;
        const answer = { body: JSON.parse(own) as unknown, from: startedAt, until: Date.now() };
        // Each by itself: in which order they were made is chance.
        const names = namesOf([answer], { startedAt, sent: undefined, ordersTimes: false });
        found.set(key, normalized(answer.body, { ...answer, names }));
      }
    }
  }
  return found;
}

describe.skipIf(clusterMissing !== undefined)("a server that nobody has used yet", () => {
  let cluster: Cluster;
  let served: SandboxHttps;
  let theirs: Map<string, unknown>;
  let ours: Map<string, unknown>;
  beforeAll(async () => {
    const startedAt = Date.now();
    cluster = await startCluster();
    const sandbox = await createSandbox({
      timeline: realTimeline(),
      random: seededRandom(1),
      defaultServiceAccounts: false,
      rbac: true,
    });
    served = await serveSandbox(sandbox);
    ours = await everything({ ...served, ask: adminOf(served).request, startedAt });
    // The real server makes its own objects in the first seconds, in an order of its own.
    const last = "apis/discovery.k8s.io/v1/endpointslices default/kubernetes";
    for (let tries = 0; tries < 30; tries++) {
      theirs = await everything({ ...cluster, ask: (...asked) => cluster.request(...asked), startedAt });
      const cidr = JSON.stringify(theirs.get("apis/networking.k8s.io/v1/servicecidrs /kubernetes") ?? {});
      if (theirs.has(last) && cidr.includes("Ready")) break;
      await Bun.sleep(500);
    }
  });
  afterAll(async () => {
    await served.close();
    await cluster.stop();
  });

  const kindOf = (key: string): string => key.split(" ")[0] ?? "";
  const isLeftOut = (key: string): boolean => leftOut.some(({ kind }) => kind === kindOf(key));

  test("has the same objects, but for the kinds that are left out for a reason", () => {
    expect([...ours.keys()].sort()).toEqual([...theirs.keys()].filter((key) => !isLeftOut(key)).sort());
    expect(leftOut.filter(({ kind }) => ![...theirs.keys()].some((key) => kindOf(key) === kind))).toEqual([]);
  });

  test("has them with the same fields, each with the same owner", () => {
    const differing = [...ours].filter(([key, object]) => !Bun.deepEquals(object, theirs.get(key)));
    // Its status is applied on the server's side, which is not served here.
    expect(differing.map(([key]) => key)).toEqual(["apis/networking.k8s.io/v1/servicecidrs /kubernetes"]);
  });
});
