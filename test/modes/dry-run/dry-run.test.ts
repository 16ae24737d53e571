import { describe, expect, test } from "bun:test";
import { Deployments, Pods, ReplicaSets } from "../../../src/api/kinds.ts";
import type { StoredObject } from "../../../src/api/object.ts";
import { emptyCluster, savedCluster } from "../../../src/modes/dry-run/initial-state.ts";
import type { ToApply } from "../../../src/modes/dry-run/apply.ts";
import { defineController } from "../../../src/controller/api/definition.ts";
import { watchPrimary } from "../../../src/controller/api/primary.ts";
import { type Rule, rule } from "../../../src/controller/api/rule.ts";
import type { ReplicaSet } from "../../../src/api/types.ts";
import { deployment } from "../../../src/controllers/deployment/deployment.ts";
import { replicaset } from "../../../src/controllers/replicaset/replicaset.ts";
import type { DryRun } from "../../../src/modes/dry-run/result.ts";
import { apply, changesOf, play, webReplicaSet } from "./scene.ts";

const web = { kind: ReplicaSets, namespace: "default", name: "web" };
const three = [apply(webReplicaSet(3))];

describe("dry-run", () => {
  test("shows what a controller creates for a manifest, with its decision", async () => {
    const run = await play({ requestedChanges: three });
    expect(changesOf(run)).toEqual(["+ ReplicaSet default/web", "+ 3 Pod default/web-…"]);
    expect(run.groups[0]?.changes[1]?.causes).toEqual([
      {
        controller: "replicaset",
        rule: "scale-up",
        sentence: "3 of 3 pods are missing → create 3, in batches of 1 and 2",
        writes: 1,
        statusOnly: false,
      },
    ]);
    expect(run.settled).toEqual({ is: "steady", afterMs: 200 });
    expect(run.availability).toMatchObject([{ key: "default/web", available: 3, desired: 3 }]);
  });

  test("with a baseline shows only the differences", async () => {
    const run = await play({ baseline: three, requestedChanges: [apply(webReplicaSet(4))] });
    expect(changesOf(run)).toEqual(["~ ReplicaSet default/web", "+ Pod default/web-…"]);
    expect(run.done.map(({ did }) => did)).toEqual(["configured"]);
  });

  test("of the same manifests again shows nothing", async () => {
    const run = await play({ baseline: three, requestedChanges: three });
    expect([changesOf(run), run.done.map(({ did }) => did)]).toEqual([[], ["unchanged"]]);
  });

  test("scales what was just applied, despite writes in between", async () => {
    const made = { ...webReplicaSet(3), kind: "Deployment" } as ToApply;
    const scaled = { is: "scale", kind: Deployments, namespace: "default", name: "web", replicas: 1 } as const;
    for (let seed = 1; seed <= 12; seed++) {
      const controllers = [deployment, replicaset];
      const { refused } = await play({ requestedChanges: [apply(made), scaled], controllers, seed });
      expect([seed, refused]).toEqual([seed, []]);
    }
  });

  test("scales", async () => {
    const run = await play({ baseline: three, requestedChanges: [{ is: "scale", ...web, replicas: 1 }] });
    expect(changesOf(run)).toEqual(["~ ReplicaSet default/web", "- 2 Pod default/web-…"]);
    expect(run.rollouts).toMatchObject([{ key: "default/web", fewestReady: 1 }]);
  });

  test("prints equal objects separately if they are not folded", async () => {
    const run = await play({ requestedChanges: three, fold: false });
    expect(changesOf(run).filter((line) => line === "+ Pod default/web-…")).toHaveLength(3);
  });

  test("explains what keeps pods from becoming available", async () => {
    const run = await play({ requestedChanges: [apply(webReplicaSet(2, { resources: { requests: { cpu: "20" } } }))] });
    expect(run.availability).toMatchObject([
      { available: 0, desired: 2, why: "Pod web-…: 0/3 nodes are available: 3 Insufficient cpu." },
    ]);
  });

  test("reports writes that the API server refuses", async () => {
    const quota = {
      apiVersion: "v1",
      kind: "ResourceQuota",
      metadata: {
        name: "few",
        namespace: "default",
        uid: "q",
        resourceVersion: "1",
        creationTimestamp: "2026-01-01T00:00:00Z",
      },
      spec: { hard: { pods: "1" } },
      status: { hard: { pods: "1" }, used: { pods: "0" } },
    } as StoredObject;
    const empty = emptyCluster([]);
    const run = await play({ initialState: { ...empty, objects: [...empty.objects, quota] }, requestedChanges: three });
    expect(run.refusedWrites).toMatchObject([{ controller: "replicaset", verb: "create", kind: "Pod" }]);
    expect(run.refusedWrites[0]?.error).toContain("exceeded quota: few");
    expect(run.availability).toMatchObject([{ available: 1, desired: 3 }]);
    expect(run.availability[0]?.why).toContain("exceeded quota: few");
  });

  test("applies nothing more after a refusal, and says why", async () => {
    const wrong = webReplicaSet(1, { imagee: "x" });
    const run = await play({ requestedChanges: [apply(wrong)] });
    expect(run.refused.map(({ error }) => error.message)).toEqual([
      'ReplicaSet in version "v1" cannot be handled as a ReplicaSet: strict decoding error: unknown field "spec.template.spec.containers[0].imagee"',
    ]);
    expect(run.groups).toEqual([]);
  });

  test("has the same output for the same seed, byte by byte", async () => {
    const text = (run: DryRun): string => JSON.stringify([run.groups, [...run.state.values()], run.rollouts]);
    const [first, second, other] = await Promise.all([
      play({ requestedChanges: three }),
      play({ requestedChanges: three }),
      play({ requestedChanges: three, seed: 2 }),
    ]);
    expect(text(second)).toBe(text(first));
    expect(text(other)).not.toBe(text(first));
    expect(changesOf(other)).toEqual(changesOf(first));
  });

  test("continues from the end of another one, with new uids", async () => {
    const first = await play({ requestedChanges: three });
    const saved = [...first.state.values()].map(({ object }) => object);
    const second = await play({ initialState: savedCluster(saved, []), requestedChanges: [apply(webReplicaSet(5))] });
    expect(changesOf(second)).toEqual(["~ ReplicaSet default/web", "+ 2 Pod default/web-…"]);
    expect([second.drift, second.availability[0]?.available]).toEqual([[], 5]);
    const uids = [...second.state.values()].map(({ object }) => object.metadata.uid);
    expect(new Set(uids).size).toBe(uids.length);
  });

  describe("of a manifest with a resourceVersion", () => {
    /** A cluster whose ReplicaSet is reconciled before the manifest is applied, and the manifest. */
    async function scene(version: "live" | "older"): Promise<DryRun> {
      const { state } = await play({ requestedChanges: three });
      const saved = [...state.values()].map(({ object }) =>
        object.kind === "ReplicaSet" ? ({ ...object, status: { replicas: 0 } } as StoredObject) : object,
      );
      const live = saved.find(({ kind }) => kind === "ReplicaSet")?.metadata.resourceVersion;
      const resourceVersion = version === "live" ? live : String(Number(live) - 1);
      const four = webReplicaSet(4);
      const manifest = { ...four, metadata: { ...four.metadata, resourceVersion } } as ToApply;
      return play({ initialState: savedCluster(saved, []), requestedChanges: [apply(manifest)] });
    }

    test("is no conflict if the cluster has it, although a controller wrote the object first", async () => {
      const { drift, refused, done } = await scene("live");
      expect(changesOf({ groups: drift })).toEqual(["~ ReplicaSet default/web"]);
      expect([refused, done.map(({ did }) => did)]).toEqual([[], ["configured"]]);
    });

    test("is refused if the cluster has a newer one", async () => {
      const { refused, done } = await scene("older");
      expect(refused.map(({ error }) => [error.code, error.message])).toEqual([
        [
          409,
          'Operation cannot be fulfilled on replicasets.apps "web": the object has been modified; please apply your changes to the latest version and try again',
        ],
      ]);
      expect(done).toEqual([]);
    });
  });

  test("lists objects without a controller here", async () => {
    const { replicas: _, ...spec } = (webReplicaSet(1) as unknown as { spec: { replicas: number } }).spec;
    const set = { ...webReplicaSet(1), kind: "DaemonSet", spec };
    const custom: ToApply = { apiVersion: "example.com/v1", kind: "Frob", metadata: { name: "f" } };
    const settings: ToApply = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "c" } };
    const run = await play({ requestedChanges: [apply(set), apply(custom), apply(settings)] });
    expect(run.refused).toEqual([]);
    expect(run.notFollowed.map(({ of, did }) => `${of.kind} ${did}`)).toEqual(["DaemonSet created", "Frob created"]);
  });
});

interface FlipFacts extends Readonly<Record<string, unknown>> {
  readonly to: string;
}
const flip: Rule<FlipFacts> = rule<FlipFacts>({
  id: "flip",
  looksAt: ["metadata.labels.side"],
  chooses: "The other side.",
  sentence: ({ to }) => `the side is changed to ${to}`,
  source: "a test",
});

/** A controller that changes each ReplicaSet forever. */
const flipper = defineController<ReplicaSet>({
  ...replicaset,
  name: "flipper",
  aliases: [],
  watches: [watchPrimary(ReplicaSets)],
  rules: [flip],
  async sync(key, context) {
    const object = context.cache(ReplicaSets).get(key);
    if (object === undefined) return;
    const to = object.metadata.labels?.["side"] === "left" ? "right" : "left";
    const { namespace = "", name } = object.metadata;
    const body = { metadata: { labels: { side: to } } };
    await context.client.patch(
      ReplicaSets,
      { namespace, name },
      { type: "merge", body },
      { because: context.decide(flip, { to }), basedOn: object },
    );
  },
});

describe("a dry-run that never ends", () => {
  test("is recognized by a repeated state, and names the writers", async () => {
    const run = await play({ requestedChanges: three, controllers: [flipper] });
    if (run.settled.is !== "loop") throw new Error(`it ended ${run.settled.is}`);
    const { objects, writers } = run.settled.loop;
    expect(objects).toEqual([
      { of: { group: "apps", kind: "ReplicaSet" }, key: "default/web", paths: [".metadata.labels.side"] },
    ]);
    expect(writers).toEqual(["flipper"]);
  });

  test("is found before anything is applied", async () => {
    const run = await play({
      baseline: three,
      requestedChanges: [{ is: "scale", ...web, replicas: 1 }],
      controllers: [flipper],
    });
    expect([run.before.is, run.done]).toEqual(["loop", []]);
  });
});

test("a cluster that runs as it is shows what it would do by itself, with the decisions", async () => {
  const { state } = await play({ requestedChanges: three });
  const objects = [...state.values()].map(({ object }) => object).filter(({ kind }) => kind !== "Pod");
  const run = await play({ initialState: savedCluster(objects, []), asItIs: true });
  expect(changesOf(run)).toEqual(["+ 3 Pod default/web-…"]);
  expect(run.groups[0]?.changes[0]?.causes).toMatchObject([{ rule: "scale-up" }]);
  expect([run.drift, run.done]).toEqual([[], []]);
});

test("a pod without an owner runs and is available", async () => {
  const pod = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "p" },
    spec: { containers: [{ name: "c", image: "i" }] },
  } as ToApply;
  const run = await play({ requestedChanges: [apply(pod)] });
  expect(changesOf(run)).toEqual(["+ Pod default/p"]);
  expect(run.availability).toMatchObject([{ of: { kind: Pods.kind }, available: 1, desired: 1 }]);
});
