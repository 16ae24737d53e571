/** Verbs, lists and watches against a real kube-apiserver. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { kindOf, pathOf, type Kind } from "../../src/api/kind.ts";
import { Namespaces, Pods, ReplicaSets } from "../../src/api/kinds.ts";
import type { StoredObject, CreateInput } from "../../src/api/object.ts";
import {
  isAlreadyExists,
  isConflict,
  isExpired,
  isForbidden,
  isInvalid,
  isNotFound,
  StatusError,
} from "../../src/api/status-error.ts";
import { TransportError } from "../../src/api/transport.ts";
import type { Pod, ReplicaSet } from "../../src/api/types.ts";
import type { ConfigFlags } from "../../src/client/config/rest-config.ts";
import { loadRestConfig } from "../../src/client/config/load-rest-config.ts";
import { connect, type Connection, type ConnectOptions } from "../../src/client/connect.ts";
import { discover, type DiscoveredKind, findKind } from "../../src/client/api/discovery.ts";
import type { WatchFrame, WatchStream } from "../../src/client/api/lister-watcher.ts";
import { ReadOnlyError } from "../../src/client/http/read-only.ts";
import type { Client } from "../../src/client/api/verbs.ts";
import { realHost } from "../../src/platform/host.ts";
import { seededRandom } from "../../src/platform/random.ts";
import { realTimeline } from "../../src/platform/real-timeline.ts";
import { virtualTimeline, type VirtualTimeline } from "../../src/platform/virtual-timeline.ts";
import { TraceBus } from "../../src/trace/bus.ts";
import type { WriteEvent } from "../../src/trace/events.ts";
import { clusterMissing, startCluster, type Cluster } from "../support/cluster.ts";

interface ConfigMap extends StoredObject {
  readonly data?: Readonly<Record<string, string>>;
}
const ConfigMaps: Kind<ConfigMap> = kindOf<ConfigMap>({
  group: "",
  version: "v1",
  kind: "ConfigMap",
  plural: "configmaps",
  namespaced: true,
});

const caught = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => "no error",
    (e: unknown) => e,
  );
const timeline = realTimeline();
const writes: WriteEvent[] = [];
const bus = new TraceBus({ now: () => timeline.now() });
bus.listen((event) => {
  if (event.stage === "write") writes.push(event);
});

async function connectWith(flags: ConfigFlags, options: Partial<ConnectOptions> = {}): Promise<Connection> {
  const host = { ...realHost(), env: {} };
  return connect(await loadRestConfig(host, flags), { host, timeline, bus, qps: 0, ...options });
}

/** Reads frames until one fits, for a few chunks at most. */
async function until<T>(
  stream: WatchStream<T>,
  fits: (frame: WatchFrame<T>) => boolean,
): Promise<readonly WatchFrame<T>[]> {
  const seen: WatchFrame<T>[] = [];
  while (!seen.some(fits)) {
    const frames = await stream.next();
    if (frames === undefined) throw new Error(`the watch has ended after ${seen.length} frames`);
    seen.push(...frames);
  }
  return seen;
}

describe.skipIf(clusterMissing !== undefined)("against a real kube-apiserver", () => {
  let cluster: Cluster;
  let connection: Connection;
  let client: Client;
  const namespace = "shop";

  beforeAll(async () => {
    cluster = await startCluster();
    await cluster.createNamespace(namespace);
    connection = await connectWith({ kubeconfig: cluster.kubeconfig });
    ({ client } = connection);
  });
  afterAll(async () => {
    connection.close();
    await cluster.stop();
  });

  const pod = (name: string): CreateInput<Pod> => ({
    metadata: { name, namespace, labels: { app: "web" } },
    spec: { containers: [{ name: "c", image: "i" }] },
  });
  const replicaSet = (name: string): CreateInput<ReplicaSet> => ({
    metadata: { name, namespace },
    spec: {
      replicas: 2,
      selector: { matchLabels: { app: name } },
      template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: "c", image: "i" }] } },
    },
  });
  const configMap = (name: string, data: Record<string, string> = {}): CreateInput<ConfigMap> => ({
    metadata: { name, namespace },
    data,
  });

  describe("credentials", () => {
    test("a token", async () => expect(await client.raw("/readyz")).toBe("ok"));

    test("a client certificate", async () => {
      const byCertificate = await connectWith({ kubeconfig: cluster.certKubeconfig });
      expect(await byCertificate.client.raw("/readyz")).toBe("ok");
      byCertificate.close();
    });

    test("a wrong token is a StatusError with code 401", async () => {
      const wrong = await connectWith({ kubeconfig: cluster.kubeconfig, token: "wrong" });
      const error = await caught(wrong.client.list(Pods));
      expect(error).toBeInstanceOf(StatusError);
      expect((error as StatusError).code).toBe(401);
      wrong.close();
    });

    test("impersonation with two groups: the server sees both", async () => {
      const as = await connectWith({ kubeconfig: cluster.kubeconfig, as: "jane", asGroup: ["one", "two"], asUid: "7" });
      const Reviews = kindOf({
        group: "authentication.k8s.io",
        version: "v1",
        kind: "SelfSubjectReview",
        plural: "selfsubjectreviews",
        namespaced: false,
      });
      const review = (await as.client.review<unknown>(Reviews, {})) as {
        readonly status: { readonly userInfo: { username: string; uid: string; groups: string[] } };
      };
      expect(review.status.userInfo.username).toBe("jane");
      expect(review.status.userInfo.uid).toBe("7");
      expect(review.status.userInfo.groups).toEqual(expect.arrayContaining(["one", "two"]));
      expect(isForbidden(await caught(as.client.list(Pods)))).toBe(true);
      as.close();
    });

    test("--insecure-skip-tls-verify, and a server name in the certificate", async () => {
      const insecure = await connectWith({ kubeconfig: cluster.kubeconfig, insecureSkipTlsVerify: true });
      expect(await insecure.client.raw("/readyz")).toBe("ok");
      const named = await connectWith({ kubeconfig: cluster.kubeconfig, tlsServerName: "kubernetes.default.svc" });
      expect(await named.client.raw("/readyz")).toBe("ok");
      const wrong = await connectWith({ kubeconfig: cluster.kubeconfig, tlsServerName: "elsewhere.test" });
      expect(await caught(wrong.client.raw("/readyz"))).toMatchObject({ failure: "certificate" });
      for (const one of [insecure, named, wrong]) one.close();
    });
  });

  describe("verbs", () => {
    test("create, get, update and a conflict; a deletion returns the object", async () => {
      const created = await client.create(ConfigMaps, configMap("verbs", { a: "1" }));
      expect(await client.get(ConfigMaps, created.metadata as { namespace: string; name: string })).toEqual(created);
      const updated = await client.update(ConfigMaps, { ...created, data: { a: "2" } }, { basedOn: created });
      expect(updated.data).toEqual({ a: "2" });
      expect(writes.at(-1)).toMatchObject({
        verb: "update",
        key: "shop/verbs",
        before: created.metadata.resourceVersion,
        resourceVersion: updated.metadata.resourceVersion,
        status: 200,
        changes: [{ path: ".data.a", before: "1", after: "2" }],
      });
      expect(isConflict(await caught(client.update(ConfigMaps, { ...created, data: {} })))).toBe(true);
      expect(isAlreadyExists(await caught(client.create(ConfigMaps, configMap("verbs"))))).toBe(true);
      await client.delete(ConfigMaps, { namespace, name: "verbs" });
      expect(writes.at(-1)).toMatchObject({ verb: "delete", uid: created.metadata.uid, deletes: true });
      expect(isNotFound(await caught(client.get(ConfigMaps, { namespace, name: "verbs" })))).toBe(true);
    });

    test("an item of a list, which has no kind, can be updated", async () => {
      await client.create(ConfigMaps, configMap("listed"));
      const { items } = await client.list(ConfigMaps, { namespace, fieldSelector: "metadata.name=listed" });
      const [item] = items as [ConfigMap];
      expect(item.kind).toBeUndefined();
      expect((await client.update(ConfigMaps, { ...item, data: { b: "1" } })).data).toEqual({ b: "1" });
    });

    test("writes that need only metadata get a response with metadata only, and report the same events", async () => {
      const eventsOf = async (options: { readonly metadataSuffices?: true }): Promise<unknown> => {
        const from = writes.length;
        const name = `suffices-${Object.keys(options).length}`;
        const finalizers = ["example.com/held"];
        const held = { ...configMap(name, { a: "1" }), metadata: { name, namespace, finalizers } };
        const made: StoredObject = await client.create(
          ConfigMaps,
          held,
          options as { readonly metadataSuffices: true },
        );
        const deleted = (await client.delete(ConfigMaps, { namespace, name }, options)) as StoredObject;
        const freed = { type: "merge", body: { metadata: { finalizers: null } } } as const;
        const last = await client.patch(ConfigMaps, { namespace, name }, freed, { ...options, basedOn: deleted });
        await client.create(ConfigMaps, configMap(name));
        const status = (await client.delete(ConfigMaps, { namespace, name }, options)) as { readonly kind: string };
        const twice = await caught(client.delete(ConfigMaps, { namespace, name }, options));
        expect(isNotFound(twice)).toBe(true);
        const whole = options.metadataSuffices === undefined;
        const shown = whole ? "ConfigMap" : "PartialObjectMetadata";
        expect([made.kind, deleted.kind, last.kind, status.kind]).toEqual([shown, shown, shown, "Status"]);
        expect("data" in made).toBe(whole);
        expect(made.metadata.uid).not.toBe("");
        return writes
          .slice(from)
          .map(({ verb, status: code, deletes, uid, resourceVersion, before, changes, error }) => ({
            verb,
            code,
            deletes,
            changes,
            present: [uid, resourceVersion, before].map((value) => value !== ""),
            error: error?.replace(name, "NAME"),
          }));
      };
      expect(await eventsOf({ metadataSuffices: true })).toEqual(await eventsOf({}));
    });

    test("an invalid object is an Invalid error", async () => {
      expect(isInvalid(await caught(client.create(Pods, { ...pod("BAD_NAME") })))).toBe(true);
    });

    test("the four patches", async () => {
      const at = { namespace, name: "patched" };
      await client.create(ConfigMaps, configMap("patched", { a: "1", b: "1" }));
      await client.patch(ConfigMaps, at, { type: "json", body: [{ op: "replace", path: "/data/a", value: "2" }] });
      await client.patch(ConfigMaps, at, { type: "merge", body: { data: { b: null, c: "3" } } });
      await client.patch(ConfigMaps, at, { type: "strategic", body: { metadata: { labels: { x: "y" } } } });
      const applied = await client.patch(
        ConfigMaps,
        at,
        { type: "apply", body: { metadata: at, data: { c: "4" } }, force: true },
        { fieldManager: "tester" },
      );
      expect(applied.data).toEqual({ a: "2", c: "4" });
      expect(applied.metadata.labels).toEqual({ x: "y" });
      expect(applied.metadata.managedFields?.some((one) => one.manager === "tester" && one.operation === "Apply")).toBe(
        true,
      );
      const refused = client.patch(ConfigMaps, at, { type: "apply", body: { metadata: at, data: { a: "9" } } });
      expect(isConflict(await caught(refused))).toBe(true);
    });

    test("a dry run stores nothing", async () => {
      await client.create(ConfigMaps, configMap("dry"), { dryRun: true });
      expect(isNotFound(await caught(client.get(ConfigMaps, { namespace, name: "dry" })))).toBe(true);
    });

    test("a status update changes nothing else", async () => {
      const created = await client.create(ReplicaSets, replicaSet("status"));
      const changed = { ...created, spec: { ...created.spec, replicas: 9 }, status: { replicas: 1 } } as ReplicaSet;
      const updated = await client.updateStatus(ReplicaSets, changed, { basedOn: created });
      expect(updated.status?.replicas).toBe(1);
      expect(updated.spec?.replicas).toBe(2);
      expect(writes.at(-1)).toMatchObject({
        subresource: "status",
        changes: [{ path: ".status.replicas", before: 0, after: 1 }],
      });
    });

    test("scale", async () => {
      await client.create(ReplicaSets, replicaSet("scaled"));
      const at = { namespace, name: "scaled" };
      const scale = await client.getScale(ReplicaSets, at);
      expect(scale.spec.replicas).toBe(2);
      expect((await client.updateScale(ReplicaSets, at, { ...scale, spec: { replicas: 5 } })).spec.replicas).toBe(5);
      expect((await client.get(ReplicaSets, at)).spec?.replicas).toBe(5);
    });

    test("preconditions of a deletion", async () => {
      const created = await client.create(ConfigMaps, configMap("guarded"));
      const at = { namespace, name: "guarded" };
      const other = { preconditions: { uid: "00000000-0000-0000-0000-000000000000" } };
      expect(isConflict(await caught(client.delete(ConfigMaps, at, other)))).toBe(true);
      const { uid, resourceVersion } = created.metadata;
      await client.delete(ConfigMaps, at, { preconditions: { uid, resourceVersion } });
      expect(isNotFound(await caught(client.get(ConfigMaps, at)))).toBe(true);
    });

    test("propagation: foreground waits, background returns a Status", async () => {
      await client.create(ReplicaSets, replicaSet("foreground"));
      const at = { namespace, name: "foreground" };
      await client.delete(ReplicaSets, at, { propagationPolicy: "Foreground" });
      expect(writes.at(-1)).toMatchObject({ deletes: false });
      expect((await client.get(ReplicaSets, at)).metadata.finalizers).toEqual(["foregroundDeletion"]);
      await client.create(ReplicaSets, replicaSet("background"));
      await client.delete(ReplicaSets, { namespace, name: "background" }, { propagationPolicy: "Background" });
      expect(writes.at(-1)).toMatchObject({ deletes: true });
    });

    test("removing the last finalizer deletes, and the event says so", async () => {
      const created = await client.create(ConfigMaps, {
        metadata: { name: "held", namespace, finalizers: ["test.example/hold"] },
      });
      const at = { namespace, name: "held" };
      await client.delete(ConfigMaps, at);
      expect(writes.at(-1)).toMatchObject({ verb: "delete", deletes: false });
      await client.patch(ConfigMaps, at, { type: "merge", body: { metadata: { finalizers: null } } });
      expect(writes.at(-1)).toMatchObject({ verb: "patch", deletes: true, uid: created.metadata.uid });
    });

    test("deleteCollection by label", async () => {
      for (const name of ["c1", "c2", "c3"]) {
        await client.create(ConfigMaps, {
          metadata: { name, namespace, labels: { group: name === "c3" ? "b" : "a" } },
        });
      }
      await client.deleteCollection(ConfigMaps, { namespace, labelSelector: "group=a" });
      const left = await client.list(ConfigMaps, { namespace, labelSelector: "group" });
      expect(left.items.map((item) => item.metadata.name)).toEqual(["c3"]);
    });

    test("binding and eviction of a pod", async () => {
      await client.create(Pods, pod("bound"));
      const at = { namespace, name: "bound" };
      await client.bind(at, "node-1");
      expect((await client.get(Pods, at)).spec?.nodeName).toBe("node-1");
      expect(writes.at(-1)).toMatchObject({ verb: "create", subresource: "binding", key: "shop/bound" });
      await client.evict(at, { gracePeriodSeconds: 0, dryRun: true });
      expect((await client.get(Pods, at)).metadata.deletionTimestamp).toBeUndefined();
      await client.evict(at);
      expect((await client.get(Pods, at)).metadata.deletionTimestamp).toBeDefined();
    });

    test("a deletion with a grace period is not a deletion yet", async () => {
      await client.create(Pods, pod("graceful"));
      const at = { namespace, name: "graceful" };
      await client.bind(at, "node-1");
      await client.delete(Pods, at);
      expect(writes.at(-1)).toMatchObject({ verb: "delete", deletes: false });
    });
  });

  describe("read-only", () => {
    test("permits reads and self reviews, and refuses everything else", async () => {
      const reader = await connectWith({ kubeconfig: cluster.kubeconfig }, { readOnly: true });
      expect((await reader.client.list(Namespaces)).items.length).toBeGreaterThan(0);
      expect(await caught(reader.client.create(ConfigMaps, configMap("never")))).toBeInstanceOf(ReadOnlyError);
      expect(await caught(reader.client.deleteCollection(ConfigMaps, { namespace }))).toBeInstanceOf(ReadOnlyError);
      reader.close();
    });

    test("with validation the server returns the result of each write, and stores nothing", async () => {
      await client.create(ConfigMaps, configMap("kept"));
      const at = { namespace, name: "kept" };
      const validating = await connectWith({ kubeconfig: cluster.kubeconfig }, { readOnly: "validate" });
      await validating.client.patch(ConfigMaps, at, { type: "merge", body: { data: { a: "1" } } });
      // These requests have options in the body, so a dryRun only in the query would be lost.
      await validating.client.delete(ConfigMaps, at, { propagationPolicy: "Background" });
      await validating.client.deleteCollection(ConfigMaps, { namespace });
      expect((await client.get(ConfigMaps, at)).data).toBeUndefined();
      validating.close();
    });
  });

  describe("lists and watches", () => {
    test("pages return all objects once, at one version", async () => {
      for (let i = 0; i < 7; i++)
        await client.create(ConfigMaps, { metadata: { name: `page-${i}`, namespace, labels: { page: "" } } });
      const maps = client.listerWatcher(ConfigMaps, { namespace, labelSelector: "page" });
      const names: string[] = [];
      const versions = new Set<string>();
      let continueToken = "";
      do {
        const page = await maps.list({ limit: 3, continueToken }, new AbortController().signal);
        names.push(...page.items.map((item) => item.metadata.name));
        versions.add(page.resourceVersion);
        expect(page.bytes).toBeGreaterThan(100);
        ({ continueToken } = page);
      } while (continueToken !== "");
      expect(names).toEqual(Array.from({ length: 7 }, (_, i) => `page-${i}`));
      expect(versions.size).toBe(1);
    });

    test("a watch reports changes after its version, in order", async () => {
      const maps = client.listerWatcher(ConfigMaps, { namespace, fieldSelector: "metadata.name=watched" });
      const signal = new AbortController();
      const { resourceVersion } = await maps.list({}, signal.signal);
      const stream = await maps.watch({ resourceVersion }, signal.signal);
      const created = await client.create(ConfigMaps, configMap("watched", { text: "é€😀\u2028\n" }));
      await client.update(ConfigMaps, { ...created, data: { text: "2" } });
      await client.delete(ConfigMaps, { namespace, name: "watched" });
      const frames = await until(stream, ({ type }) => type === "DELETED");
      expect(frames.map(({ type }) => type)).toEqual(["ADDED", "MODIFIED", "DELETED"]);
      expect(frames[0]?.object).toEqual(created);
      expect(stream.bytes).toBeGreaterThan(500);
      const next = caught(stream.next());
      signal.abort("enough");
      expect(await next).toBe("enough");
    });

    test("a watch that the server ends by its timeout ends properly", async () => {
      const maps = client.listerWatcher(ConfigMaps, { namespace });
      const { resourceVersion } = await maps.list({}, new AbortController().signal);
      const stream = await maps.watch({ resourceVersion, timeoutSeconds: 1 }, new AbortController().signal);
      let frames = await stream.next();
      while (frames !== undefined) frames = await stream.next();
      expect(frames).toBeUndefined();
    });

    test("a WatchList: the existing objects, then the bookmark that ends them", async () => {
      const maps = client.listerWatcher(ConfigMaps, { namespace, labelSelector: "page" });
      const stream = await maps.watch({ resourceVersion: "", sendInitialEvents: true }, new AbortController().signal);
      const frames = await until(stream, ({ type }) => type === "BOOKMARK");
      expect(frames.filter(({ type }) => type === "ADDED")).toHaveLength(7);
      const last = frames.at(-1) as WatchFrame<ConfigMap> & { readonly type: "BOOKMARK" };
      expect(last.object.metadata.annotations?.["k8s.io/initial-events-end"]).toBe("true");
      stream.cancel();
    });

    test("an invalid continue token is refused, and an expired version is a 410 in both ways", async () => {
      const maps = client.listerWatcher(ConfigMaps, { namespace });
      const signal = new AbortController().signal;
      const { continueToken } = await maps.list({ limit: 1 }, signal);
      expect((await caught(maps.list({ limit: 1, continueToken: "nonsense" }, signal))) as StatusError).toMatchObject({
        code: 400,
      });
      await compact();
      expect(isExpired(await caught(maps.list({ limit: 1, continueToken }, signal)))).toBe(true);
      const stream = await maps.watch({ resourceVersion: "1" }, signal);
      const frames = await stream.next();
      expect(frames?.[0]).toMatchObject({ type: "ERROR", object: { code: 410, reason: "Expired" } });
      stream.cancel();
    });

    /** Compacts etcd to the current revision, and restarts the server to clear its watch cache. */
    async function compact(): Promise<void> {
      const post = async (path: string, body: unknown): Promise<{ header?: { revision?: string } }> => {
        const response = await fetch(`http://127.0.0.1:${cluster.port + 1}/v3/kv/${path}`, {
          method: "POST",
          body: JSON.stringify(body),
        });
        return (await response.json()) as { header?: { revision?: string } };
      };
      for (let i = 0; i < 3; i++) await client.create(ConfigMaps, configMap(`filler-${i}`));
      const { header } = await post("range", { key: btoa("/none") });
      await post("compaction", { revision: header?.revision, physical: true });
      await cluster.restartApiServer();
    }
  });

  test("discovery finds the kinds of kubectl api-resources", async () => {
    const { kinds, unavailable } = await discover(client);
    expect(unavailable).toEqual([]);
    const preferred = kinds.filter((kind) => kind.preferred);
    const { stdout } = await cluster.kubectl(["api-resources", "--no-headers", "-o", "name"]);
    const theirs = stdout.split("\n").filter((line) => line !== "");
    expect(
      new Set(preferred.map((kind) => (kind.group === "" ? kind.plural : `${kind.plural}.${kind.group}`))),
    ).toEqual(new Set(theirs));
    for (const [type, kind] of [
      ["po", "Pod"],
      ["rs", "ReplicaSet"],
      ["deploy", "Deployment"],
      ["leases", "Lease"],
      ["csr", "CertificateSigningRequest"],
    ] as const) {
      expect(findKind(kinds, type)?.kind).toBe(kind);
    }
  });

  test("aggregated discovery has the same kinds as discovery per group version", async () => {
    const { kinds } = await discover(client);
    const old: Client = {
      ...client,
      raw: (path, options) => client.raw(path, options?.signal ? { signal: options.signal } : {}),
    };
    const theirs = await discover(old);
    expect(theirs.kinds.length).toBeGreaterThan(60);
    const facts = (all: readonly DiscoveredKind[]): unknown[] =>
      all
        .map((kind) => ({ ...kind, verbs: [...kind.verbs].sort(), categories: [...kind.categories].sort() }))
        .sort((a, b) => (pathOf(a, {}) < pathOf(b, {}) ? -1 : 1));
    expect(facts(kinds)).toEqual(facts(theirs.kinds));
  });

  test("getMetadata and a metadata ListerWatcher read only metadata", async () => {
    const made = await client.create(ConfigMaps, { ...configMap("meta"), data: { much: "text" } });
    const { namespace = "", name, uid } = made.metadata;
    const got = await client.getMetadata(ConfigMaps, { namespace, name });
    expect([got.kind, got.metadata.uid, Object.keys(got).sort()]).toEqual([
      "PartialObjectMetadata",
      uid,
      ["apiVersion", "kind", "metadata"],
    ]);
    const listerWatcher = client.metadataListerWatcher(ConfigMaps, { namespace });
    const signal = AbortSignal.timeout(120_000);
    const page = await listerWatcher.list({}, signal);
    expect(page.items.every((item) => !("data" in item))).toBe(true);
    expect(page.items.map(({ metadata }) => metadata.uid)).toContain(uid);
    const watch = await listerWatcher.watch({ resourceVersion: page.resourceVersion }, signal);
    await client.delete(ConfigMaps, { namespace, name });
    const [frame] = (await watch.next()) ?? [];
    watch.cancel();
    expect([frame?.type, frame !== undefined && "data" in frame.object]).toEqual(["DELETED", false]);
  });

  test("three hundred creates at once all succeed", async () => {
    const all = await Promise.all(
      Array.from({ length: 300 }, (_, i) => client.create(ConfigMaps, configMap(`many-${i}`))),
    );
    expect(new Set(all.map(({ metadata }) => metadata.uid)).size).toBe(300);
  });

  test("the watchdog notices a suspended server, at the first contact and later, and a killed one at once", async () => {
    // A virtual clock: on a busy machine a normal response may take as long as the silence that the watchdog looks for.
    const clock = virtualTimeline(Date.now(), seededRandom(1));
    const known = await connectWith({ kubeconfig: cluster.kubeconfig }, { timeline: clock });
    const maps = known.client.listerWatcher(ConfigMaps, { namespace: "default" });
    const { resourceVersion } = await maps.list({}, new AbortController().signal);
    const silent = await maps.watch({ resourceVersion }, new AbortController().signal);
    const watching = await client.listerWatcher(ConfigMaps).watch({ resourceVersion }, new AbortController().signal);
    await cluster.stopProcess("kube-apiserver");
    let slow = 0;
    const stranger = await connectWith(
      { kubeconfig: cluster.kubeconfig },
      { timeline: clock, onSlow: () => slow++, limits: { connectMs: 20_000, handshakeMs: 200 } },
    );
    const unmet = caught(stranger.client.raw("/readyz"));
    const waiting = Promise.all([caught(drain(silent)), caught(known.client.raw("/readyz"))]);
    await pass(clock, 1900);
    expect(slow).toBe(0);
    await pass(clock, 200);
    expect(slow).toBe(1);
    expect(await within(unmet)).toMatchObject({
      failure: "timeout",
      message: expect.stringContaining("does not respond to the TLS handshake"),
    });
    await pass(clock, 80_000);
    expect(await Promise.race([waiting, Bun.sleep(100)])).toBeUndefined();
    await pass(clock, 20_000);
    for (const error of (await within(waiting)) as unknown[]) expect(error).toMatchObject({ failure: "timeout" });
    cluster.continueProcess("kube-apiserver");
    const gone = caught(drain(watching));
    await cluster.killApiServer();
    expect(await gone).toBeInstanceOf(TransportError);
    expect(await caught(client.create(ConfigMaps, configMap("late")))).toMatchObject({ failure: "unreachable" });
    expect(writes.at(-1)).toMatchObject({ status: 0, verb: "create" });
    for (const one of [known, stranger]) one.close();
  });

  /** Advances a connection's clock. */
  async function pass(clock: VirtualTimeline, ms: number): Promise<void> {
    clock.after(ms, "test", () => undefined);
    await clock.runUntil({ ms });
  }

  /** The promise's result, or `it still waits` after two minutes. */
  function within(promise: Promise<unknown>): Promise<unknown> {
    return Promise.race([promise, Bun.sleep(120_000).then(() => "it still waits")]);
  }

  async function drain(stream: WatchStream<unknown>): Promise<void> {
    let frames = await stream.next();
    while (frames !== undefined) frames = await stream.next();
  }
});
