/**
 * Records the input for the golden diagnoses of `why`: `bun test/golden/record-why.ts && npm run format`. Names and times come from the
 * server, so each recording differs.
 */
import { loadRestConfig } from "../../src/client/config/load-rest-config.ts";
import { createClient } from "../../src/client/api/client.ts";
import { connect } from "../../src/client/connect.ts";
import { discover } from "../../src/client/api/discovery.ts";
import { controllersEnabledByDefault } from "../../src/controllers/index.ts";
import type { Item } from "../../src/diagnosis/diagnosis.ts";
import type { Got } from "../../src/diagnosis/look.ts";
import { Reading } from "../../src/modes/why/why.ts";
import { realHost } from "../../src/platform/host.ts";
import { realRandom } from "../../src/platform/random.ts";
import { realTimeline } from "../../src/platform/real-timeline.ts";
import { TraceBus } from "../../src/trace/bus.ts";
import type { Cluster } from "../support/cluster.ts";
import { imageOf, record, type User } from "./recording.ts";

interface Scene {
  readonly name: string;
  /** What happens before the question. */
  readonly first?: (user: User) => Promise<unknown>;
  readonly waitMs?: number;
  readonly of: readonly [kind: string, name: string | ((user: User) => Promise<string | undefined>)];
}

const lost = { nodeSelector: { disk: "ssd" } };
const firstPodOf =
  (app: string) =>
  async (user: User): Promise<string | undefined> =>
    (await user.pods(app))[0];

/** Played in sequence on one cluster. */
const scenes: readonly Scene[] = [
  {
    name: "a Deployment that is rolled out",
    first: (user) => user.create("deployments", "site", 3),
    waitMs: 6000,
    of: ["Deployment", "site"],
  },
  {
    name: "a Deployment whose pods fit no node",
    first: (user) => user.create("deployments", "lost", 3, lost),
    waitMs: 4000,
    of: ["Deployment", "lost"],
  },
  { name: "one of these pods", of: ["Pod", firstPodOf("lost")] },
  {
    name: "a Deployment whose new pods fit no node while the old ones serve",
    async first(user) {
      await user.create("deployments", "roll", 2);
      await Bun.sleep(4000);
      await user.patch("deployments", "roll", { template: { spec: { nodeSelector: { disk: "ssd" } } } });
    },
    waitMs: 4000,
    of: ["Deployment", "roll"],
  },
  {
    name: "a Deployment with a pod whose image cannot be pulled",
    first: unpullable,
    waitMs: 1500,
    of: ["Deployment", "site"],
  },
  { name: "that pod", of: ["Pod", firstPodOf("site")] },
  {
    name: "a Deployment past its progress deadline",
    async first(user) {
      user.cluster.continueProcess("kwok");
      await user.send("POST", "resourcequotas", { metadata: { name: "few" }, spec: { hard: { pods: "12" } } });
      await user.create("deployments", "stuck", 2, lost, { progressDeadlineSeconds: 2 });
    },
    waitMs: 6000,
    of: ["Deployment", "stuck"],
  },
  {
    name: "a ReplicaSet that meets a quota",
    first: (user) => user.create("replicasets", "many", 20),
    waitMs: 4000,
    of: ["ReplicaSet", "many"],
  },
  {
    name: "a Deployment that is paused",
    first: (user) => user.patch("deployments", "site", { paused: true, ...imageOf("web:3") }),
    waitMs: 2000,
    of: ["Deployment", "site"],
  },
  {
    name: "an object that a finalizer holds",
    async first(user) {
      await user.send("POST", "configmaps", { metadata: { name: "held", finalizers: ["example.com/hold"] } });
      await user.send("DELETE", "configmaps/held");
    },
    of: ["ConfigMap", "held"],
  },
  {
    name: "its namespace, which is deleted",
    first: (user) => user.send("DELETE", `/api/v1/namespaces/${user.namespace}`),
    waitMs: 12_000,
    of: ["Namespace", "shop"],
  },
];

await record("why-readings.json", async (user) => {
  const readings: unknown[] = [];
  for (const { name, first, waitMs = 0, of } of scenes) {
    await first?.(user);
    await Bun.sleep(waitMs);
    const [kind, known] = of;
    const object = typeof known === "string" ? known : await known(user);
    if (object === undefined) throw new Error(`there is no ${kind} for ${name}`);
    const recorded = await readingOf(user.cluster, kind, kind === "Namespace" ? "" : user.namespace, object);
    readings.push({ name, ...recorded });
  }
  return readings;
});

/** A status that the kubelet would report; kwok does not know it, and is stopped meanwhile. */
async function unpullable(user: User): Promise<void> {
  const unready = { reason: "ContainersNotReady", message: "containers with unready status: [web]" };
  const waiting = { reason: "ImagePullBackOff", message: 'Back-off pulling image "web:2"' };
  const status = {
    phase: "Pending",
    conditions: [
      { type: "Ready", status: "False", ...unready },
      { type: "ContainersReady", status: "False", ...unready },
      { type: "PodScheduled", status: "True" },
    ],
    containerStatuses: [
      { name: "web", ready: false, restartCount: 0, image: "web:2", imageID: "", state: { waiting } },
    ],
  };
  await user.cluster.stopProcess("kwok");
  await user.send("PATCH", `pods/${await firstPodOf("site")(user)}/status`, { status });
}

/** The input for the diagnosis of an object. */
interface Recorded {
  readonly now: number;
  readonly item: Item;
  readonly got: readonly (readonly [string, Got])[];
}

/** Without what no diagnosis uses: the managedFields of all objects except the object itself, and discovery details of kinds. */
function slim({ now, item, got }: Recorded): Recorded {
  const bareKind = ({ group, version, kind, plural, namespaced }: Item["kind"]): Item["kind"] => ({
    group,
    version,
    kind,
    plural,
    namespaced,
  });
  const bare = ({ kind, object }: Item): Item => {
    const { managedFields, ...metadata } = object.metadata;
    return { kind: bareKind(kind), object: managedFields === undefined ? object : { ...object, metadata } };
  };
  const slimGot = (each: Got): Got => (each.is === "objects" ? { ...each, items: each.items.map(bare) } : each);
  return {
    now,
    item: { kind: bareKind(item.kind), object: item.object },
    got: got.map(([id, each]) => [id, slimGot(each)] as const),
  };
}

async function readingOf(on: Cluster, kindName: string, namespace: string, name: string): Promise<Recorded> {
  const timeline = realTimeline();
  const bus = new TraceBus({ now: () => timeline.now() });
  const host = { ...realHost(), env: {} };
  const access = await loadRestConfig(host, { kubeconfig: on.kubeconfig });
  const connection = connect(access, { host, timeline, bus, qps: 0, readOnly: true });
  const { unlimited: transport } = connection;
  const client = createClient({ transport, bus, timeline });
  const discovery = await discover(client);
  const kind = discovery.kinds.find((each) => each.kind === kindName);
  if (kind === undefined) throw new Error(`the server has no ${kindName}`);
  const parts = {
    transport,
    client,
    bus,
    timeline,
    random: realRandom(),
    discovery,
    controllers: controllersEnabledByDefault,
  };
  const reading = await Reading.begin({ ...parts, evaluatesControllers: true });
  const item = await reading.object(kind, namespace, name);
  await reading.answer(item);
  connection.close();
  return slim({ now: reading.now, item, got: reading.record() });
}
