/** Runs that end because nothing is left to do, and runs that would go on for ever. */
import { describe, expect, test } from "bun:test";
import { ConfigMaps } from "../../../src/api/kinds.ts";
import type { ConfigMap } from "../../../src/api/types.ts";
import { type ControllerDefinition, defineController } from "../../../src/controller/api/definition.ts";
import { watchPrimary } from "../../../src/controller/api/primary.ts";
import { type Rule, rule } from "../../../src/controller/api/rule.ts";
import type { SyncContext } from "../../../src/controller/api/sync-context.ts";
import { builtInControllers } from "../../../src/controllers/index.ts";
import { emptyCluster } from "../../../src/modes/dry-run/initial-state.ts";
import type { ToApply } from "../../../src/modes/dry-run/apply.ts";
import type { DryRun } from "../../../src/modes/dry-run/result.ts";
import { apply, play, webReplicaSet } from "./scene.ts";

const settings: ToApply = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } };

const stamp: Rule<Readonly<Record<string, unknown>>> = rule({
  id: "stamp",
  looksAt: ["nothing"],
  chooses: "Always writes.",
  sentence: () => "it is written",
});

/** Writes an object, because of a rule. */
async function write(object: ConfigMap, context: SyncContext): Promise<void> {
  await context.client.update(ConfigMaps, object, { because: context.decide(stamp, {}) });
}

/** A controller for ConfigMaps, and what it does with the only one. */
function own(act: (object: ConfigMap, context: SyncContext) => Promise<void>): ControllerDefinition {
  return defineController<ConfigMap>({
    name: "own",
    purpose: "never ends",
    for: ConfigMaps,
    watches: [watchPrimary(ConfigMaps)],
    rules: [stamp],
    permissions: [],
    async sync(key, context) {
      const object = context.cache(ConfigMaps).get(key);
      if (object !== undefined) await act(object, context);
    },
  });
}

/** Writes a new value. */
function count(object: ConfigMap, context: SyncContext): Promise<void> {
  return write({ ...object, data: { n: String(Number(object.data?.["n"] ?? 0) + 1) } }, context);
}

const playOwn = (controller: ControllerDefinition, horizonMs?: number): Promise<DryRun> =>
  play({
    requestedChanges: [apply(settings)],
    controllers: [controller],
    ...(horizonMs !== undefined && { horizonMs }),
  });

describe("a controller that never lets time pass", () => {
  const object = { of: { group: "", kind: "ConfigMap" }, key: "default/a" };

  test("is a loop if it writes a new value in each sync, with the object, the field and the writer", async () => {
    const { settled } = await playOwn(own(count));
    const objects = [{ ...object, paths: [".data.n"] }];
    expect(settled).toEqual({ is: "loop", loop: { is: "endless", objects, writers: ["own"], roundMs: 0 } });
  });

  test("is a loop if it writes the same values again and again, with the field", async () => {
    const { settled } = await playOwn(
      own((object, context) => write({ ...object, data: { n: object.data?.["n"] === "1" ? "0" : "1" } }, context)),
    );
    expect(settled).toMatchObject({ loop: { is: "recurring", objects: [{ ...object, paths: [".data.n"] }] } });
  });

  test("is a loop if it only syncs again and again", async () => {
    const { settled } = await playOwn(own((_, context) => Promise.resolve(context.enqueueAfter(0, "again"))));
    const objects = [{ ...object, paths: [] }];
    expect(settled).toEqual({ is: "loop", loop: { is: "endless", objects, writers: ["own"], roundMs: 0 } });
  });
});

describe("a controller that creates objects of the kind that it syncs", () => {
  const create = (name: string, context: SyncContext): Promise<unknown> =>
    context.client.create(
      ConfigMaps,
      { metadata: { namespace: "default", name } },
      { because: context.decide(stamp, {}) },
    );
  const indexOf = ({ metadata }: ConfigMap): number => Number(metadata.name.split("-")[1] ?? 0);

  test("never ends if each object gets another one", async () => {
    const { settled } = await playOwn(
      own(async (one, context) => void (await create(`a-${indexOf(one) + 1}`, context))),
    );
    expect(settled).toMatchObject({ loop: { is: "spreading", writers: ["own"], roundMs: 0 } });
    const { objects = [] } = settled.is === "loop" ? settled.loop : {};
    expect(objects.map(({ of, key }) => [of.kind, key.replace(/\d+/, "N")])).toEqual([["ConfigMap", "default/a-N"]]);
  });

  test("never ends if each object gets two", async () => {
    const { settled } = await playOwn(
      own(async (one, context) => {
        for (const n of [1, 2]) await create(`a-${2 * indexOf(one) + n}`, context);
      }),
    );
    expect(settled).toMatchObject({ loop: { is: "spreading", writers: ["own"] } });
  });

  test("is steady if it ends after a thousand", async () => {
    const { settled, state } = await playOwn(
      own(async (one, context) => {
        if (indexOf(one) < 1000) await create(`a-${indexOf(one) + 1}`, context);
      }),
    );
    expect(settled).toMatchObject({ is: "steady" });
    expect([...state.values()].filter(({ key }) => key.startsWith("default/a-"))).toHaveLength(1000);
  });
});

const controllers = builtInControllers.filter(({ disabledByDefault }) => disabledByDefault !== true);

describe("at the horizon", () => {
  const horizonMs = 30_000;
  const web = (spec: object = {}): ToApply => {
    const { spec: rest, ...set } = webReplicaSet(3) as unknown as { readonly spec: object };
    return { ...set, kind: "Deployment", spec: { ...rest, ...spec } } as unknown as ToApply;
  };
  const playWeb = (spec: object, { nodes = 3, horizon = horizonMs } = {}): Promise<DryRun> =>
    play({
      initialState: emptyCluster([], { simulated: nodes }),
      requestedChanges: [apply(web(spec))],
      controllers,
      horizonMs: horizon,
    });

  test("a timer that changes nothing is left: steady since the last change", async () => {
    const [early, hour] = [await playWeb({}), await playWeb({}, { horizon: 3_600_000 })];
    expect(early.settled).toMatchObject({ is: "steady" });
    expect(hour.settled).toEqual(early.settled);
    // It fires within an hour.
    expect(hour.syncs).toBe(early.syncs + 1);
  });

  test("a timer that changes only a status is named, and changes nothing in the result", async () => {
    const { settled, state } = await playWeb({}, { nodes: 0 });
    expect(settled).toEqual({
      is: "steady",
      afterMs: 0,
      next: {
        of: { group: "apps", kind: "Deployment" },
        key: "default/web",
        inMs: expect.closeTo(570_000, -4) as number,
        controller: "deployment",
      },
    });
    expect(JSON.stringify(state.get("apps/Deployment default/web"))).not.toContain("ProgressDeadlineExceeded");
  });

  test("pods become available later: not steady", async () => {
    const { settled } = await playWeb({ minReadySeconds: 60 });
    expect(settled).toMatchObject({ is: "horizon", horizonMs });
  });

  test("an object is written every ten seconds: not steady", async () => {
    const slow = own(async (object, context) => {
      context.enqueueAfter(10_000, "again");
      if (context.now() - Number(object.data?.["at"] ?? 0) < 10_000) return;
      await write({ ...object, data: { at: String(context.now()) } }, context);
    });
    const { settled } = await playOwn(slow, horizonMs);
    expect(settled).toMatchObject({ is: "horizon", changing: [{ key: "default/a" }] });
  });
});
