/** A client-go program with shared informers on the sandbox over HTTPS: with broken connections, compactions and a new sandbox. */
import { afterEach, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { peer } from "../../scripts/bench/peers.ts";
import { linesOf } from "../../scripts/bench/lines.ts";
import { readAll } from "../../src/api/transport.ts";
import { seededRandom } from "../../src/platform/random.ts";
import { realTimeline } from "../../src/platform/real-timeline.ts";
import { type SandboxHttps, type SandboxIdentity, serveSandbox } from "../../src/sandbox/https.ts";
import { createSandbox, type Sandbox } from "../../src/sandbox/sandbox.ts";
import { freePorts } from "../support/cluster.ts";

const witness = Bun.which("go") === null ? undefined : await peer("informer");

interface Dump {
  readonly objects: Readonly<Record<string, string>>;
  readonly handled: Readonly<Record<string, string>>;
  readonly told: { readonly Added: number; readonly Updated: number; readonly Deleted: number };
  readonly errors: readonly string[];
  readonly tombstones: number;
}

interface Item {
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly uid: string;
    readonly resourceVersion: string;
  };
}

/** An embedded API server that can be taken away and come back on its port. */
class Served {
  sandbox: Sandbox;
  #https: SandboxHttps;
  readonly port: number;
  readonly identity: SandboxIdentity;

  private constructor(sandbox: Sandbox, https: SandboxHttps) {
    this.sandbox = sandbox;
    this.#https = https;
    this.port = https.port;
    this.identity = https.identity;
  }

  static async start(): Promise<Served> {
    const sandbox = await newSandbox();
    return new Served(sandbox, await serveSandbox(sandbox, { port: await freePorts(1) }));
  }

  kubeconfig(): string {
    return this.#https.kubeconfig();
  }

  /** Ends all connections and accepts none until `resume`. */
  async cut(): Promise<void> {
    await this.#https.close();
  }

  async resume(): Promise<void> {
    this.#https = await serveSandbox(this.sandbox, { port: this.port, identity: this.identity });
  }

  /** Starts another sandbox without the first one's objects. */
  async replace(): Promise<void> {
    this.sandbox.stop();
    this.sandbox = await newSandbox();
  }

  async stop(): Promise<void> {
    this.sandbox.stop();
    await this.#https.close();
  }

  async write(method: "POST" | "PUT" | "DELETE", path: string, body?: unknown): Promise<void> {
    const response = await this.sandbox.transport({ actor: "test" }).send({
      method,
      path: `/api/v1/namespaces/default/${path}`,
      headers: { "content-type": "application/json" },
      ...(body !== undefined && { body: new TextEncoder().encode(JSON.stringify(body)) }),
      signal: new AbortController().signal,
    });
    const text = new TextDecoder().decode(await readAll(response.body));
    if (response.status >= 300) throw new Error(`${method} ${path}: ${text}`);
  }

  /** All objects that the informers watch, in the format of the program. */
  async state(): Promise<Readonly<Record<string, string>>> {
    const found: Record<string, string> = {};
    for (const resource of ["configmaps", "pods"]) {
      const response = await this.sandbox.transport({ actor: "test" }).send({
        method: "GET",
        path: `/api/v1/${resource}`,
        signal: new AbortController().signal,
      });
      const list = JSON.parse(new TextDecoder().decode(await readAll(response.body))) as { items: readonly Item[] };
      for (const { metadata } of list.items) {
        const { namespace, name, uid, resourceVersion } = metadata;
        found[`${resource}/${namespace}/${name}`] = `${uid} ${resourceVersion}`;
      }
    }
    return found;
  }
}

function newSandbox(): Promise<Sandbox> {
  return createSandbox({ timeline: realTimeline(), random: seededRandom(Date.now()) });
}

const cleanups: (() => Promise<unknown> | void)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** Settings of the program's requests. */
interface Way {
  readonly name: string;
  readonly watchList: boolean;
  /** The only accepted media type; empty: protobuf preferred to JSON. */
  readonly accept: string;
}

const ways: readonly Way[] = [
  { name: "by WatchList, its default", watchList: true, accept: "" },
  { name: "by list and watch", watchList: false, accept: "" },
  { name: "by WatchList, only in protobuf", watchList: true, accept: "application/vnd.kubernetes.protobuf" },
  { name: "by list and watch, only in protobuf", watchList: false, accept: "application/vnd.kubernetes.protobuf" },
];

/** Starts the program; `dump` returns the contents of its caches. */
function startWitness(kubeconfig: string, { watchList, accept }: Way): { readonly dump: () => Promise<Dump> } {
  if (witness?.is !== "there") throw new Error(`no witness: ${witness?.why ?? "Go is not installed"}`);
  const folder = mkdtempSync(join(tmpdir(), "informer-"));
  const file = join(folder, "kubeconfig");
  writeFileSync(file, kubeconfig, { mode: 0o600 });
  const child = Bun.spawn([witness.path], {
    env: { ...process.env, KUBECONFIG: file, KUBE_FEATURE_WatchListClient: String(watchList), ACCEPT: accept },
    stdin: "pipe",
    stdout: "pipe",
    stderr: "ignore",
  });
  cleanups.push(async () => {
    child.kill("SIGKILL");
    await child.exited;
    rmSync(folder, { recursive: true });
  });
  const lines = linesOf(child.stdout);
  return {
    async dump() {
      await child.stdin.write("dump\n");
      await child.stdin.flush();
      const { value } = await lines.next();
      if (typeof value !== "string") throw new Error(`the witness ended with ${await child.exited}`);
      return JSON.parse(value) as Dump;
    },
  };
}

/** Polls until the caches equal the server's state, for half a minute at most; returns the last dump in either case. */
async function settled(served: Served, dump: () => Promise<Dump>): Promise<Dump> {
  const state = JSON.stringify(sorted(await served.state()));
  for (let tries = 0; ; tries++) {
    const seen = await dump();
    const equal = JSON.stringify(sorted(seen.objects)) === state && JSON.stringify(sorted(seen.handled)) === state;
    if (equal || tries === 300) return seen;
    await Bun.sleep(100);
  }
}

const sorted = (object: Readonly<Record<string, string>>): object =>
  Object.fromEntries(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1)));

const map = (name: string, value: string): object => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name },
  data: { value },
});
const pod = (name: string): object => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name },
  spec: { containers: [{ name: "main", image: "i" }] },
});

async function churn(served: Served, from: number, count: number): Promise<void> {
  for (let i = from; i < from + count; i++) {
    await served.write("POST", "configmaps", map(`m${i}`, "first"));
    await served.write("PUT", `configmaps/m${i}`, map(`m${i}`, "second"));
    if (i % 3 === 0) await served.write("DELETE", `configmaps/m${i}`);
    if (i % 5 === 0) await served.write("POST", "pods", pod(`p${i}`));
  }
}

async function expectEqual(served: Served, dump: () => Promise<Dump>): Promise<Dump> {
  const seen = await settled(served, dump);
  expect(sorted(seen.objects)).toEqual(sorted(await served.state()));
  expect(sorted(seen.handled)).toEqual(sorted(seen.objects));
  return seen;
}

for (const way of ways) {
  describe.skipIf(witness?.is !== "there")(`client-go's shared informers on the sandbox, ${way.name}`, () => {
    test("have the sandbox's objects, after the first sync and after changes", async () => {
      const served = await Served.start();
      cleanups.push(() => served.stop());
      await churn(served, 0, 20);
      const { dump } = startWitness(served.kubeconfig(), way);
      await expectEqual(served, dump);
      await churn(served, 20, 20);
      const seen = await expectEqual(served, dump);
      expect(seen.errors).toEqual([]);
      expect(seen.told.Deleted).toBeGreaterThan(0);
    });

    test("list again if their history has been compacted meanwhile", async () => {
      const served = await Served.start();
      cleanups.push(() => served.stop());
      const { dump } = startWitness(served.kubeconfig(), way);
      await churn(served, 0, 10);
      await expectEqual(served, dump);
      await served.cut();
      await churn(served, 10, 10);
      await served.write("DELETE", "configmaps/m1");
      served.sandbox.compact();
      await served.resume();
      // No watch had the deletion: only a new list shows it.
      expect((await expectEqual(served, dump)).tombstones).toBeGreaterThan(0);
      await churn(served, 20, 5);
      await expectEqual(served, dump);
    });

    // The media type does not matter for the other tests.
    if (way.accept !== "") return;

    test("continue after a broken connection where they were", async () => {
      const served = await Served.start();
      cleanups.push(() => served.stop());
      const { dump } = startWitness(served.kubeconfig(), way);
      await churn(served, 0, 10);
      await expectEqual(served, dump);
      await served.cut();
      await churn(served, 10, 10);
      await served.resume();
      const seen = await expectEqual(served, dump);
      expect(seen.tombstones).toBe(0);
    });

    test("discard the objects of the previous sandbox when another one starts on its port with its identity", async () => {
      const served = await Served.start();
      cleanups.push(() => served.stop());
      const { dump } = startWitness(served.kubeconfig(), way);
      await churn(served, 0, 30);
      await expectEqual(served, dump);
      await served.cut();
      await served.replace();
      await churn(served, 28, 3);
      await served.resume();
      const seen = await expectEqual(served, dump);
      expect(Object.keys(seen.objects)).not.toContain("configmaps/default/m1");
      await churn(served, 40, 5);
      await expectEqual(served, dump);
    });
  });
}
