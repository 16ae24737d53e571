import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  type Cluster,
  connectToCluster,
  type ControllerRun,
  defineController,
  type ControllerDefinition,
  kinds,
  MissingRightsError,
  rule,
  startControllers,
  startSandbox,
  type StageEvent,
  watchPrimary,
} from "../../../src/index.ts";
import { formatMicroTime } from "../../../src/api/time.ts";
import { hostName, processSpace } from "../../../src/platform/process.ts";
import type { Clocks } from "../../../src/platform/timeline.ts";
import { rejection } from "../../support/rejection.ts";
import { sandboxSide, type ApiSide } from "../../support/api-side.ts";

const missing = rule<{ namespace: string }>({
  id: "no-quota",
  looksAt: ["resource quotas of the namespace"],
  chooses: "A namespace without a quota gets one.",
  sentence: ({ namespace }) => `${namespace} has no quota → create default`,
  source: "this test",
});

/** Gives every namespace a ResourceQuota; with `requeueAfterMs` it checks periodically. */
function quotas(result: { readonly requeueAfterMs?: number } = {}): ControllerDefinition {
  return defineController({
    name: "default-quota",
    aliases: [],
    purpose: "gives each namespace a quota",
    for: kinds.Namespaces,
    watches: [watchPrimary(kinds.Namespaces)],
    workers: 1,
    rules: [missing],
    permissions: [{ group: "", resource: "resourcequotas", verbs: ["create"] }],
    component: "default-quota",
    source: "this test",
    async sync(key, context) {
      const { items } = await context.client.list(kinds.ResourceQuotas, { namespace: key });
      if (items.length > 0) return result;
      const because = context.decide(missing, { namespace: key });
      const quota = { metadata: { namespace: key, name: "default" }, spec: { hard: { pods: "10" } } };
      await context.client.create(kinds.ResourceQuotas, quota, { because });
      return result;
    },
  });
}

describe("startSandbox", () => {
  test("runs a controller and the built-in ones, with a trace of its decisions", async () => {
    const sandbox = await startSandbox({ controllers: [quotas()] });
    // The initial namespaces get theirs.
    await sandbox.settle();
    const sentences: string[] = [];
    const listener = (event: StageEvent): void => {
      if (event.stage === "decision" && event.controller === "default-quota") sentences.push(event.sentence);
    };
    sandbox.bus.listen(listener);
    await sandbox.client.create(kinds.Namespaces, { metadata: { name: "shop" } });
    expect(await sandbox.settle()).toBe("steady");
    const quota = await sandbox.client.get(kinds.ResourceQuotas, { namespace: "shop", name: "default" });
    expect(quota.spec?.hard).toEqual({ pods: "10" });
    // The built-in resourcequota controller has computed the usage.
    expect(quota.status?.used).toEqual({ pods: "0" });
    expect(sentences).toEqual(["shop has no quota → create default"]);
    await sandbox.stop();
  });

  test("is the same for the same seed, to the uid, the version and the virtual millisecond", async () => {
    const run = async (seed: number): Promise<unknown> => {
      const sandbox = await startSandbox({ controllers: [quotas()], seed });
      await sandbox.client.create(kinds.Namespaces, { metadata: { name: "shop" } });
      await sandbox.settle();
      const { metadata } = await sandbox.client.get(kinds.Namespaces, { namespace: "", name: "shop" });
      await sandbox.stop();
      return [metadata.uid, metadata.resourceVersion, sandbox.now()];
    };
    expect(await run(7)).toEqual(await run(7));
    expect(await run(7)).not.toEqual(await run(8));
  });

  test("advances time only while something is awaited, and reports when it is not steady", async () => {
    const sandbox = await startSandbox({ controllers: [quotas({ requeueAfterMs: 10_000 })], builtIn: false });
    const before = sandbox.now();
    await new Promise((resolve) => setImmediate(resolve));
    expect(sandbox.now()).toBe(before);
    await sandbox.advance(60_000);
    expect(sandbox.now()).toBe(before + 60_000);
    expect(await sandbox.settle(30_000)).toBe("time");
    await sandbox.stop();
  });

  test("never settles with a controller that its own writes trigger", async () => {
    let count = 0;
    const touch = rule<{ count: number }>({
      id: "touch",
      looksAt: [],
      chooses: "An annotation is counted up.",
      sentence: ({ count }) => `count ${count}`,
      source: "this test",
    });
    const hot = defineController({
      ...quotas(),
      name: "hot",
      rules: [touch],
      async sync(key, context) {
        const because = context.decide(touch, { count: ++count });
        const body = { metadata: { annotations: { count: String(count) } } };
        await context.client.patch(
          kinds.Namespaces,
          { namespace: "", name: key },
          { type: "merge", body },
          { because },
        );
      },
    });
    const sandbox = await startSandbox({ controllers: [hot], builtIn: false, nodes: 0 });
    expect((await rejection(sandbox.settle())).message).toContain("its controllers keep writing");
    await sandbox.stop();
  });

  test("has a client that can watch", async () => {
    const sandbox = await startSandbox({ builtIn: false, nodes: 0 });
    const listerWatcher = sandbox.client.listerWatcher(kinds.Namespaces);
    const { signal } = new AbortController();
    const { resourceVersion } = await listerWatcher.list({}, signal);
    const watch = await listerWatcher.watch({ resourceVersion, timeoutSeconds: 60 }, signal);
    const frames = watch.next();
    await sandbox.client.create(kinds.Namespaces, { metadata: { name: "shop" } });
    expect((await frames)?.map(({ type }) => type)).toEqual(["ADDED"]);
    watch.cancel();
    await sandbox.stop();
  });
});

describe("a cluster behind a kubeconfig", () => {
  let served: ApiSide;
  beforeAll(async () => {
    served = await sandboxSide();
  });
  afterAll(() => served.stop());

  test("runs a controller under a Lease and with its own field manager, until it is stopped", async () => {
    const cluster = await connectToCluster({ kubeconfig: served.kubeconfig });
    const run = await startControllers(cluster, { controllers: [quotas()] });
    const lease = { namespace: "kube-system", name: "kubectl-reconcile-default-quota" };
    expect((await cluster.client.get(kinds.Leases, lease)).spec?.holderIdentity).not.toBe("");
    let managers: readonly (string | undefined)[] = [];
    for (let tries = 0; tries < 1000 && managers.length === 0; tries++) {
      const { items } = await cluster.client.list(kinds.ResourceQuotas, { namespace: "default" });
      managers = items.flatMap(({ metadata }) => metadata.managedFields ?? []).map(({ manager }) => manager);
    }
    expect(managers).toContain("kubectl-reconcile-default-quota");
    await run.stop();
    expect(await run.ended).toBe("stopped");
    expect(await rejection(cluster.client.get(kinds.Leases, lease))).toMatchObject({ code: 404 });
    cluster.close();
  });

  test("writes nothing while its Lease may have expired, as after a suspension", async () => {
    const connected = await connectToCluster({ kubeconfig: served.kubeconfig });
    let asleepMs = 0;
    const clocks = (): Clocks => {
      const { wall, steady } = connected.timeline.clocks();
      return { wall: wall + asleepMs, steady: steady + asleepMs };
    };
    const run = await startControllers(
      { ...connected, timeline: { ...connected.timeline, clocks } },
      { controllers: [quotas()] },
    );
    const quotasIn = async (namespace: string): Promise<number> =>
      (await connected.client.list(kinds.ResourceQuotas, { namespace })).items.length;
    asleepMs = 20_000;
    await connected.client.create(kinds.Namespaces, { metadata: { name: "after-sleep" } });
    await Bun.sleep(1000);
    expect(await quotasIn("after-sleep")).toBe(0);
    // The next renewal opens the fence.
    for (let tries = 0; tries < 100 && (await quotasIn("after-sleep")) === 0; tries++) await Bun.sleep(100);
    expect(await quotasIn("after-sleep")).toBe(1);
    await run.stop();
    connected.close();
  });

  test("does not wait for the Lease of a process that has died on this machine", async () => {
    const died = Bun.spawn(["true"]);
    await died.exited;
    const sandbox = await startSandbox({ builtIn: false });
    const cluster: Cluster = { ...sandbox, server: "", context: "", namespace: "default", close: () => undefined };
    const holderIdentity = `${hostName()}_${died.pid}_${processSpace()}_xxxxx`;
    await sandbox.client.create(kinds.Leases, {
      metadata: { namespace: "kube-system", name: "kubectl-reconcile-default-quota" },
      spec: { holderIdentity, leaseDurationSeconds: 15, renewTime: formatMicroTime(sandbox.timeline.now()) },
    });
    let run: ControllerRun | undefined;
    const starting = startControllers(cluster, { controllers: [quotas()] }).then((started) => (run = started));
    await sandbox.advance(1000);
    expect(run).toBeDefined();
    const stopping = (await starting).stop();
    await sandbox.advance(1000);
    await stopping;
    await sandbox.stop();
  });

  test("ends, with the reason, when another process takes its Lease", async () => {
    const sandbox = await startSandbox({ builtIn: false });
    const cluster: Cluster = { ...sandbox, server: "", context: "", namespace: "default", close: () => undefined };
    const starting = startControllers(cluster, { controllers: [quotas()] });
    await sandbox.advance(1000);
    const run = await starting;
    const lease = { namespace: "kube-system", name: "kubectl-reconcile-default-quota" };
    const body = { spec: { holderIdentity: "thief" } };
    await sandbox.client.patch(kinds.Leases, lease, { type: "merge", body });
    await sandbox.advance(20_000);
    expect(await run.ended).toContain("thief");
    await sandbox.stop();
  });

  test("writes nothing when permissions are missing, and names them", async () => {
    const cluster = await connectToCluster({ kubeconfig: served.kubeconfig, as: "visitor" });
    const refused = await startControllers(cluster, { controllers: [quotas()] }).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(MissingRightsError);
    expect((refused as MissingRightsError).missing).toContain("create resourcequotas");
    cluster.close();
  });

  test("permits no write over a read-only connection", async () => {
    const cluster = await connectToCluster({ kubeconfig: served.kubeconfig, readOnly: true });
    const written = cluster.client.create(kinds.Namespaces, { metadata: { name: "shop" } });
    expect((await rejection(written)).message).toContain("this connection only reads");
    cluster.close();
  });
});
