/**
 * The predictions of `dry-run -- COMMAND` for an operator match what then happens: random scenarios with a Rust operator that has its own
 * kind, a finalizer, and dependent Deployments. First predicted on a fork, then performed on a real cluster with the same operator,
 * kube-controller-manager, kube-scheduler and kwok running.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { apiVersionOf, type Kind } from "../../src/api/kind.ts";
import type { StoredObject } from "../../src/api/object.ts";
import { discover, type DiscoveredKind, findKind } from "../../src/client/api/discovery.ts";
import { loadRestConfig } from "../../src/client/config/load-rest-config.ts";
import { connect, type Connection } from "../../src/client/connect.ts";
import { controllersEnabledByDefault } from "../../src/controllers/index.ts";
import type { RequestedChange, ToApply } from "../../src/modes/dry-run/apply.ts";
import { playOn } from "../../src/modes/dry-run/play.ts";
import { ProcessBehindProxy } from "../../src/modes/process/process.ts";
import { forkedPlace } from "../../src/modes/rehearsal/place.ts";
import { createRehearsal } from "../../src/modes/rehearsal/world.ts";
import { realHost } from "../../src/platform/host.ts";
import { seededRandom } from "../../src/platform/random.ts";
import { realTimeline } from "../../src/platform/real-timeline.ts";
import { TraceBus } from "../../src/trace/bus.ts";
import { vessels } from "../operators/programs.ts";
import { type Cluster, controllersMissing, startCluster } from "../support/cluster.ts";
import { long } from "../support/long.ts";
import { comparable } from "./support/comparable.ts";

const compared = ["vessels.rs.example.com", "deployments.apps", "replicasets.apps", "pods", "configmaps"];
const quietMs = 2500;
const longestMs = 120_000;
const firstSeed = Number(process.env["FIRST_SEED"] ?? 1);
const seeds = Array.from({ length: long ? 20 : 2 }, (_, n) => firstSeed + n);
const only = process.env["SEED"];

const field = (type: string): object => ({ type });
const definition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "vessels.rs.example.com" },
  spec: {
    group: "rs.example.com",
    scope: "Namespaced",
    names: { plural: "vessels", kind: "Vessel", singular: "vessel" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: {
          status: {},
          scale: { specReplicasPath: ".spec.crew", statusReplicasPath: ".status.crew" },
        },
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: {
                type: "object",
                required: ["home"],
                properties: {
                  home: field("string"),
                  crew: { type: "integer", default: 1, maximum: 50 },
                  berths: { type: "integer", default: 10 },
                  decks: {
                    type: "array",
                    items: { type: "object", properties: { name: field("string"), guns: field("integer") } },
                  },
                },
                "x-kubernetes-validations": [{ rule: "self.crew <= self.berths" }],
              },
              status: {
                type: "object",
                properties: {
                  crew: field("integer"),
                  observedGeneration: field("integer"),
                  phase: field("string"),
                },
              },
            },
          },
        },
      },
    ],
  },
};

type Deed =
  | { readonly do: "apply"; readonly object: object }
  | { readonly do: "scale"; readonly name: string; readonly replicas: number }
  | { readonly do: "delete"; readonly name: string };

interface Scenario {
  readonly before: readonly object[];
  readonly deeds: readonly Deed[];
}

const names = ["argo", "beagle", "calypso"];

function scenario(seed: number): Scenario {
  const random = seededRandom(seed);
  const below = (count: number): number => Math.floor(random.next() * count);
  const vessel = (name: string): object => ({
    apiVersion: "rs.example.com/v1",
    kind: "Vessel",
    metadata: { name },
    spec: {
      home: name,
      crew: below(5),
      decks: Array.from({ length: below(3) }, (_, deck) => ({ name: `deck-${deck}`, guns: 1 + below(9) })),
    },
  });
  const there = names.filter(() => below(2) === 0);
  const before = there.map(vessel);
  const deeds = names
    .filter(() => below(3) > 0)
    .map((name): Deed => {
      const choice = there.includes(name) ? below(4) : 0;
      if (choice === 1) return { do: "delete", name };
      return choice === 2 ? { do: "scale", name, replicas: below(5) } : { do: "apply", object: vessel(name) };
    });
  return { before, deeds: deeds.length === 0 ? [{ do: "apply", object: vessel("argo") }] : deeds };
}

const program =
  controllersMissing === undefined ? await vessels() : ({ is: "missing", why: "no control plane" } as const);
const left = program.is === "there" ? "" : ` (${program.why})`;

describe.skipIf(program.is !== "there")(`dry-run -- COMMAND foretells what happens${left}`, () => {
  let cluster: Cluster;
  let connection: Connection;
  let kinds: readonly DiscoveredKind[];
  const timeline = realTimeline();
  const path = program.is === "there" ? program.path : "";

  beforeAll(async () => {
    cluster = await startCluster({ controllers: "*" });
    const host = realHost();
    const access = await loadRestConfig(host, { kubeconfig: cluster.kubeconfig });
    const bus = new TraceBus({ now: () => timeline.now() });
    connection = connect(access, { host, timeline, bus, qps: 0, readOnly: true });
    expect(await cluster.kubectl(["apply", "-f", "-"], JSON.stringify(definition))).toMatchObject({ code: 0 });
    const established = ["wait", "--for=condition=Established", "crd/vessels.rs.example.com"];
    expect(await cluster.kubectl(established)).toMatchObject({ code: 0 });
    ({ kinds } = await discover(connection.client));
    await collectorKnowsVessels();
  }, 120_000);
  afterAll(async () => {
    connection.close();
    await cluster.stop();
  });

  /** The garbage collector discovers new kinds twice a minute. */
  async function collectorKnowsVessels(): Promise<void> {
    const vessel = {
      apiVersion: "rs.example.com/v1",
      kind: "Vessel",
      metadata: { name: "probe" },
      spec: { home: "here" },
    };
    const base = "/apis/rs.example.com/v1/namespaces/default/vessels";
    const { body } = await cluster.request("POST", base, vessel);
    const { uid } = (body as StoredObject).metadata;
    const owner = { apiVersion: vessel.apiVersion, kind: vessel.kind, name: "probe", uid };
    const maps = "/api/v1/namespaces/default/configmaps";
    await cluster.request("POST", maps, { metadata: { name: "probe", ownerReferences: [owner] } });
    await cluster.request("DELETE", `${base}/probe`);
    for (let tries = 0; tries < 400; tries++) {
      if ((await cluster.request("GET", `${maps}/probe`)).status === 404) return;
      await Bun.sleep(200);
    }
    throw new Error("the garbage collector has not collected what belonged to a Vessel within 80 s");
  }

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

  /** Resolves when nothing has been written in the namespace for a while. */
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

  async function doForReal(namespace: string, deed: Deed): Promise<void> {
    const [args, input] =
      deed.do === "apply"
        ? [["apply", "-f", "-"], JSON.stringify(deed.object)]
        : deed.do === "scale"
          ? [["scale", `vessel/${deed.name}`, `--replicas=${deed.replicas}`], ""]
          : [["delete", `vessel/${deed.name}`, "--wait=false"], ""];
    expect(await cluster.kubectl(["-n", namespace, ...args], input)).toMatchObject({ code: 0 });
  }

  function requested(namespace: string, deed: Deed): RequestedChange {
    if (deed.do === "apply") return { is: "apply", object: deed.object as ToApply, namespace };
    const at = { kind: kindCalled(compared[0] ?? ""), namespace, name: deed.name };
    return deed.do === "scale" ? { is: "scale", ...at, replicas: deed.replicas } : { is: "delete", ...at };
  }

  async function foretold(namespace: string, deeds: readonly Deed[]): Promise<readonly StoredObject[]> {
    const random = seededRandom(7);
    const place = await forkedPlace({ cluster: connection.unlimited, timeline, random });
    const world = await createRehearsal({
      place,
      controllers: controllersEnabledByDefault,
      first: {
        name: "operator",
        prepare: (behind) =>
          ProcessBehindProxy.prepare({
            command: path,
            args: ["operator", namespace],
            environment: process.env,
            namespace,
            onLine: () => undefined,
            timeline,
            random,
            ...behind,
          }),
      },
      timeline,
      random,
      quietMs: 2000,
      timeoutMs: 60_000,
    });
    try {
      const run = await playOn(world, {
        baseline: [],
        requestedChanges: deeds.map((deed) => requested(namespace, deed)),
        controllers: controllersEnabledByDefault,
        scope: world.scope,
        shown: {},
        fold: true,
      });
      const drift = run.drift.flatMap(({ changes }) => changes.map(({ did, of, key }) => `${did} ${of.kind} ${key}`));
      expect([run.before.is, run.settled.is, run.refused, drift]).toEqual(["steady", "steady", [], []]);
      const shown = new Set(compared.map((name) => kindCalled(name).kind));
      return [...run.state.values()]
        .filter(({ of, object }) => shown.has(of.kind) && object.metadata.namespace === namespace)
        .map(({ object }) => object);
    } finally {
      await world.stop();
    }
  }

  for (const seed of only === undefined ? seeds : [Number(only)]) {
    test(
      `scenario ${seed} (SEED=${seed} replays it)`,
      async () => {
        const namespace = `sea-${seed}`;
        const { before, deeds } = scenario(seed);
        await cluster.createNamespace(namespace);
        const atWork = Bun.spawn([path, "operator", namespace], {
          env: { ...process.env, KUBECONFIG: cluster.kubeconfig },
          stdin: "ignore",
          stdout: "ignore",
          stderr: "inherit",
        });
        try {
          for (const object of before) await doForReal(namespace, { do: "apply", object });
          await quiet(namespace);
          const predicted = await foretold(namespace, deeds);
          for (const deed of deeds) await doForReal(namespace, deed);
          await quiet(namespace);
          const happened = await objectsIn(namespace);
          const [foreseen, seen] = [predicted.map(comparable), happened.map(comparable)];
          expect(foreseen.filter((text) => !seen.includes(text))).toEqual([]);
          expect(foreseen.sort()).toEqual(seen.sort());
          expect(happened.length).toBeGreaterThan(0);
        } finally {
          atWork.kill("SIGKILL");
          await atWork.exited;
        }
      },
      longestMs,
    );
  }
});
