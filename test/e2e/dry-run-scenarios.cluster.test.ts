/**
 * The predictions of dry-run from a snapshot are compared with what then happens: random scenarios, predicted and then carried out on a
 * kube-apiserver with kube-controller-manager, kube-scheduler and kwok. support/comparable.ts lists what is not compared: generated and
 * measured values, what kwok writes to a pod's status, and the choice among equal pods.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { apiVersionOf, type Kind } from "../../src/api/kind.ts";
import type { StoredObject } from "../../src/api/object.ts";
import { loadRestConfig } from "../../src/client/config/load-rest-config.ts";
import { connect, type Connection } from "../../src/client/connect.ts";
import { discover, type DiscoveredKind, findKind } from "../../src/client/api/discovery.ts";
import { builtInControllers } from "../../src/controllers/index.ts";
import type { ToApply, RequestedChange } from "../../src/modes/dry-run/apply.ts";
import { initialStateFrom } from "../../src/modes/dry-run/initial-state.ts";
import { dryRun } from "../../src/modes/dry-run/dry-run.ts";
import { servedBySandbox } from "../../src/modes/dry-run/kinds.ts";
import { takeSnapshot } from "../../src/modes/dry-run/snapshot.ts";
import { realHost } from "../../src/platform/host.ts";
import { realTimeline } from "../../src/platform/real-timeline.ts";
import { TraceBus } from "../../src/trace/bus.ts";
import { type Cluster, controllersMissing, startCluster } from "../support/cluster.ts";
import { long } from "../support/long.ts";
import { comparable } from "./support/comparable.ts";
import { type Deed, type Scenario, scenario } from "./dry-run-scenarios.ts";
import { serviceScenario } from "./dry-run-services.ts";
import { workloadScenario } from "./dry-run-workloads.ts";

const compared = [
  "deployments.apps",
  "replicasets.apps",
  "replicationcontrollers",
  "pods",
  "configmaps",
  "statefulsets.apps",
  "daemonsets.apps",
  "controllerrevisions.apps",
  "persistentvolumeclaims",
  "jobs.batch",
  "cronjobs.batch",
  "poddisruptionbudgets.policy",
  "horizontalpodautoscalers.autoscaling",
  "services",
  "endpoints",
  "endpointslices.discovery.k8s.io",
  "resourcequotas",
];
const controllers = builtInControllers.filter(({ disabledByDefault }) => disabledByDefault !== true);
/** The quiet period at the end; minReadySeconds and the deadline of Recreate are shorter. */
const quietMs = 2500;
const longestMs = 180_000;

/** FIRST_SEED=n: start with another seed. */
const firstSeed = Number(process.env["FIRST_SEED"] ?? 1);
const seeds = Array.from({ length: long ? 50 : 4 }, (_, n) => firstSeed + n);
const only = process.env["SEED"];

describe.skipIf(controllersMissing !== undefined)("dry-run predicts what happens", () => {
  let cluster: Cluster;
  let connection: Connection;
  let kinds: readonly DiscoveredKind[];
  const timeline = realTimeline();

  beforeAll(async () => {
    // The autoscaler syncs every second. So do quotas: a race can leave their usage wrong until all are calculated again.
    const kcmFlags = ["--horizontal-pod-autoscaler-sync-period=1s", "--resource-quota-sync-period=1s"];
    cluster = await startCluster({ controllers: "*", kcmFlags });
    const host = realHost();
    const access = await loadRestConfig(host, { kubeconfig: cluster.kubeconfig });
    const bus = new TraceBus({ now: () => timeline.now() });
    connection = connect(access, { host, timeline, bus, qps: 0, readOnly: true });
    ({ kinds } = await discover(connection.client));
  });
  afterAll(async () => {
    connection.close();
    await cluster.stop();
  });

  function kindCalled(name: string): Kind {
    const kind = findKind(kinds, name);
    if (kind === undefined) throw new Error(`no kind ${name}`);
    return kind;
  }

  async function objectsIn(namespace: string): Promise<readonly StoredObject[]> {
    const lists = await Promise.all(
      compared.map(async (name) => {
        const kind = kindCalled(name);
        const { items } = await connection.client.list(kind, { namespace });
        return items.map((item) => ({ ...item, apiVersion: apiVersionOf(kind), kind: kind.kind }));
      }),
    );
    return lists.flat();
  }

  /** Resolves when nothing was written in the namespace for a while. */
  async function quiet(namespace: string): Promise<void> {
    const until = performance.now() + longestMs;
    let [seen, since] = ["", performance.now()];
    while (performance.now() < until) {
      const now = (await objectsIn(namespace))
        .map(({ metadata }) => `${metadata.uid} ${metadata.resourceVersion}`)
        .join();
      if (now !== seen) [seen, since] = [now, performance.now()];
      if (performance.now() - since > quietMs) return;
      await Bun.sleep(200);
    }
    throw new Error(`namespace ${namespace} does not come to rest`);
  }

  async function applyForReal(namespace: string, objects: readonly object[]): Promise<void> {
    const text = JSON.stringify({ apiVersion: "v1", kind: "List", items: objects });
    expect(await cluster.kubectl(["-n", namespace, "apply", "-f", "-"], text)).toMatchObject({ code: 0 });
  }

  async function doForReal(namespace: string, deed: Deed): Promise<void> {
    if (deed.do === "apply") return applyForReal(namespace, deed.objects);
    const args =
      deed.do === "scale"
        ? ["scale", deed.target, `--replicas=${deed.replicas}`]
        : ["delete", deed.target, "--wait=false"];
    expect(await cluster.kubectl(["-n", namespace, ...args])).toMatchObject({ code: 0 });
  }

  function wishesFor(namespace: string, deed: Deed): readonly RequestedChange[] {
    if (deed.do === "apply")
      return deed.objects.map((object) => ({ is: "apply", object: object as unknown as ToApply, namespace }));
    const [type = "", name = ""] = deed.target.split("/");
    const at = { kind: kindCalled(type), namespace, name };
    return [deed.do === "scale" ? { is: "scale", ...at, replicas: deed.replicas } : { is: "delete", ...at }];
  }

  async function foretold(namespace: string, { seed, deeds }: Scenario): Promise<readonly StoredObject[]> {
    const snapshot = await takeSnapshot({
      transport: connection.unlimited,
      kinds,
      unavailable: [],
      isServed: await servedBySandbox(),
      namespaces: [namespace],
      // As the command does if a claim is applied.
      alsoKinds: [kindCalled("persistentvolumes")],
      wholeSecrets: false,
    });
    const run = await dryRun({
      initialState: initialStateFrom(snapshot, [namespace], timeline.now()),
      baseline: [],
      requestedChanges: deeds.flatMap((deed) => wishesFor(namespace, deed)),
      controllers,
      seed,
      shown: {},
      fold: true,
    });
    expect([run.before.is, run.settled.is, run.refused, run.drift]).toEqual(["steady", "steady", [], []]);
    const names = new Set(compared.map((name) => kindCalled(name).kind));
    return [...run.state.values()]
      .filter(({ of, object }) => names.has(of.kind) && object.metadata.namespace === namespace)
      .map(({ object }) => object);
  }

  const kindsOfScenario = [
    { of: "replicas", draw: scenario },
    { of: "workloads", draw: workloadScenario },
    { of: "services", draw: serviceScenario },
  ];
  const played = kindsOfScenario.flatMap((each) =>
    (only === undefined ? seeds : [Number(only)]).map((seed) => ({ ...each, seed })),
  );
  test.each(played)("scenario $seed of $of (SEED=$seed replays it)", async ({ of, draw, seed }) => {
    const namespace = `scenario-${of}-${seed}`;
    const { before, deeds } = draw(seed);
    await cluster.createNamespace(namespace);
    await applyForReal(namespace, before);
    await quiet(namespace);
    const predicted = await foretold(namespace, { seed, before, deeds });
    for (const deed of deeds) await doForReal(namespace, deed);
    await quiet(namespace);
    const happened = await objectsIn(namespace);
    expect(predicted.map(comparable).sort()).toEqual(happened.map(comparable).sort());
    expect(predicted.length).toBeGreaterThan(0);
  });
});
