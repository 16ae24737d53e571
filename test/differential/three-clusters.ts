/**
 * Runs the same steps on two real clusters, one with kube-controller-manager 1.36.3 and one with our controllers, and on a sandbox with
 * ours: for what cannot run in many namespaces at once, as the suites do.
 */
import { afterAll, beforeAll } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ControllerDefinition } from "../../src/controller/api/definition.ts";
import { startEmbedded } from "../../src/modes/run/embedded.ts";
import { realRandom } from "../../src/platform/random.ts";
import { realTimeline } from "../../src/platform/real-timeline.ts";
import { newIdentity, serveSandbox } from "../../src/sandbox/https.ts";
import { effectsOf } from "../support/audit-log.ts";
import { adminOf, type Cluster, startCluster } from "../support/cluster.ts";
import { startControllers } from "../support/live-controllers.ts";

export type Server = Pick<Cluster, "request" | "createNamespace">;

export interface Side {
  readonly name: string;
  readonly server: Server;
  /** Starts the controllers, with the objects that exist by then. */
  begin(): Promise<void>;
  /** Starts them again, for those that act only at startup: they do not retry a request that has failed. */
  restart(): Promise<void>;
  /** The writes of the controllers so far, in order. Empty for a sandbox, which keeps no bodies. */
  writes(): Promise<readonly unknown[]>;
  stop(): Promise<void>;
}

export interface Acting {
  /** In the syntax of `--controllers`. */
  readonly oracle: string;
  /** Our controllers on the real cluster. A function creates them from the cluster's files in this directory. */
  readonly ours: readonly ControllerDefinition[] | ((dir: string) => readonly ControllerDefinition[]);
  /** Controllers that run inside the sandbox from its start. Unless `ours` is a function, `ours` also run there, from outside. */
  readonly inside?: readonly ControllerDefinition[];
  readonly kcmFlags?: readonly string[];
  /** Whether the writes of its tokens-controller count too: it runs in every kube-controller-manager, and fills the Secrets of tokens. */
  readonly countsTokens?: true;
}

async function oracle({ oracle: controllers, kcmFlags = [], countsTokens }: Acting): Promise<Side> {
  const cluster = await startCluster({
    audit: true,
    nodes: 0,
    scheduler: false,
    controllers,
    // Controllers that read their caches once at startup should find them filled.
    kcmFlags: ["--controller-start-interval=1s", ...kcmFlags],
  });
  await cluster.kill("kube-controller-manager");
  const begin = (): Promise<void> => cluster.start("kube-controller-manager");
  return {
    name: "kube-controller-manager",
    server: cluster,
    begin,
    async restart() {
      await cluster.kill("kube-controller-manager");
      await begin();
    },
    writes: () => writesOf(cluster, { agent: "kube-controller-manager", countsTokens }),
    stop: () => cluster.stop(),
  };
}

/** Our controllers as a side starts and ends them; `definitions` returns undefined if none run from outside. */
function controllersOn(
  kubeconfig: string,
  definitions: () => readonly ControllerDefinition[] | undefined,
): Pick<Side, "begin" | "restart" | "stop"> {
  let running: { stop(): Promise<void> } | undefined;
  const begin = async (): Promise<void> => {
    const controllers = definitions();
    if (controllers !== undefined) running = await startControllers(kubeconfig, { controllers });
  };
  const stop = async (): Promise<void> => running?.stop();
  return {
    begin,
    async restart() {
      await stop();
      await begin();
    },
    stop,
  };
}

async function real({ ours }: Acting): Promise<Side> {
  const cluster = await startCluster({ audit: true });
  const controllers = controllersOn(cluster.kubeconfig, () => (typeof ours === "function" ? ours(cluster.dir) : ours));
  return {
    name: "ours",
    server: cluster,
    ...controllers,
    writes: () => writesOf(cluster, { agent: "kubectl-reconcile", countsTokens: true }),
    async stop() {
      await controllers.stop();
      await cluster.stop();
    },
  };
}

async function sandbox({ ours, inside = [] }: Acting): Promise<Side> {
  const identity = newIdentity(Date.now());
  const { ca: serverCa, caKey: key = "" } = identity.certificate;
  const embedded = await startEmbedded({
    timeline: realTimeline(),
    random: realRandom(),
    nodes: 0,
    scheduler: false,
    kubelet: false,
    controllers: inside,
    serverCa,
    authority: { ca: serverCa, key },
  });
  const https = await serveSandbox(embedded.sandbox, { identity });
  const folder = mkdtempSync(join(tmpdir(), "sandbox-"));
  const kubeconfig = join(folder, "kubeconfig");
  writeFileSync(kubeconfig, https.kubeconfig(), { mode: 0o600 });
  const controllers = controllersOn(kubeconfig, () => (typeof ours === "function" ? undefined : ours));
  return {
    name: "sandbox",
    server: adminOf(https),
    ...controllers,
    writes: () => Promise.resolve([]),
    async stop() {
      await controllers.stop();
      await https.close();
      await embedded.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Returns a body without what is unique to each object: uids, versions, creation times, managedFields. */
function normalized(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(normalized);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => name !== "managedFields" && name !== "creationTimestamp")
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, inner]) => [name, name === "uid" || name === "resourceVersion" ? "as read" : normalized(inner)]),
  );
}

async function writesOf(
  cluster: Cluster,
  { agent, countsTokens = false }: { readonly agent: string; readonly countsTokens: boolean | undefined },
): Promise<readonly unknown[]> {
  return effectsOf(await cluster.audit())
    .filter((effect) => effect.agent === agent && !/^(events|leases)/.test(effect.resource))
    .filter(({ component }) => countsTokens || component !== "tokens-controller")
    .map(({ verb, resource, namespace, name, code, request }) => {
      const { kind, apiVersion, ...options } = (request ?? {}) as Readonly<Record<string, unknown>>;
      const body = kind === "DeleteOptions" ? options : { kind, apiVersion, ...options };
      return {
        verb,
        resource,
        namespace,
        name,
        code,
        body: verb === "delete" && request === undefined ? {} : normalized(body),
      };
    });
}

/** Reads until the condition holds, for at most a minute, and returns the last value. */
export async function eventually<T>(read: () => Promise<T>, isSo: (value: T) => boolean): Promise<T> {
  for (const until = Date.now() + 60_000; ;) {
    const value = await read();
    if (isSo(value) || Date.now() > until) return value;
    await Bun.sleep(50);
  }
}

/** The fields that are read from an object, or from a list of objects. */
export interface ResponseBody {
  readonly metadata: { readonly name: string; readonly uid: string; readonly labels?: object };
  readonly data?: Readonly<Record<string, string>>;
  readonly status?: { readonly conditions?: readonly object[] };
  readonly items: readonly ResponseBody[];
}

export async function granted(server: Server, method: string, path: string, body?: object): Promise<ResponseBody> {
  const patch = method === "PATCH" ? { "content-type": "application/merge-patch+json" } : {};
  const response = await server.request(method, path, body, patch);
  if (response.status >= 400)
    throw new Error(`${method} ${path} was refused with ${response.status}: ${JSON.stringify(response.body)}`);
  return response.body as ResponseBody;
}

/** Registers a group of tests, whose sides have their own controllers. */
export function sidesOf(acting: Acting): { readonly all: () => readonly Side[] } {
  let sides: readonly Side[] = [];
  beforeAll(async () => {
    sides = await Promise.all([oracle(acting), real(acting), sandbox(acting)]);
  }, 180_000);
  afterAll(async () => {
    await Promise.all(sides.map((side) => side.stop()));
  });
  return { all: () => sides };
}
