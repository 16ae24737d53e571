/** What `proxy` costs a process: its first list and watch, a request's time, the delay of a watch event, and memory. */
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Cluster } from "../../test/support/cluster.ts";
import { type Child, start } from "./child.ts";
import type { ApiServer } from "./api-server.ts";
import { figure, median, type Result } from "./figures.ts";
import { linesOf } from "./lines.ts";
import { firehoseKubeconfig } from "./firehose.ts";
import type { Program } from "./peers.ts";

export interface ProxyOptions {
  readonly rounds: number;
  /** With 10,000 pods. */
  readonly cluster: Cluster;
  /** `dist/kubectl-reconcile`. */
  readonly program: string;
  /** A saved PodList. */
  readonly pods: string;
  readonly dir: string;
  readonly clientGo: Program;
  readonly firehose: Program;
  /** The number of watch events over which memory has to stay flat. */
  readonly events: number;
}

/** Events a second. */
const rate = 5000;
const listed = 1000;
/** Requests per round, on one connection, one after the other. */
const requests = 1000;
/** How long a proxy may take to write its kubeconfig. */
const longestMs = 30_000;

/** First sync, requests, and the watch, each directly and through the proxy. */
export async function proxyFigures(options: ProxyOptions): Promise<readonly Result[]> {
  return [...(await syncs(options)), await requestTimes(options), ...(await watches(options))];
}

/** A running `proxy`, its kubeconfig and how to reach it. */
interface Proxy {
  readonly child: Child;
  readonly kubeconfig: string;
  readonly apiServer: ApiServer;
}

async function withProxy<T>(
  { program, dir }: ProxyOptions,
  behind: string,
  use: (proxy: Proxy) => Promise<T>,
): Promise<T> {
  const kubeconfig = join(dir, "proxy.kubeconfig");
  rmSync(kubeconfig, { force: true });
  const command = [program, "proxy", "--kubeconfig", behind, "--write-kubeconfig", kubeconfig];
  const child = start(command, { stdout: "ignored" });
  try {
    const until = performance.now() + longestMs;
    while (!(await Bun.file(kubeconfig).exists())) {
      if (performance.now() > until) throw new Error(`${command.join(" ")} wrote no kubeconfig`);
      await Bun.sleep(20);
    }
    return await use({ child, kubeconfig, apiServer: apiServerOf(kubeconfig) });
  } finally {
    await child.stop();
  }
}

function apiServerOf(kubeconfig: string): ApiServer {
  const { clusters, users } = Bun.YAML.parse(readFileSync(kubeconfig, "utf8")) as {
    readonly clusters: readonly { readonly cluster: Readonly<Record<string, string>> }[];
    readonly users: readonly { readonly user: Readonly<Record<string, string>> }[];
  };
  const { server = "", "certificate-authority-data": ca = "" } = clusters[0]?.cluster ?? {};
  return { url: server, ca: Buffer.from(ca, "base64").toString(), token: users[0]?.user["token"] ?? "" };
}

async function syncs(options: ProxyOptions): Promise<readonly Result[]> {
  const { clientGo, cluster, rounds } = options;
  const title = (encoding: string): string => `client-go's first sync of 10,000 pods in ${encoding}, beside direct`;
  if (clientGo.is === "missing")
    return ["JSON", "protobuf"].map((encoding) => ({ name: title(encoding), why: clientGo.why }));
  const synced = async (kubeconfig: string, encoding: string): Promise<number> => {
    const command = [clientGo.path, "-mode", "sync", ...(encoding === "protobuf" ? ["-proto"] : [])];
    const child = start(command, { env: { KUBECONFIG: kubeconfig } });
    try {
      const { objects, ms = NaN } = await child.line("sync");
      if (objects !== 10_000) throw new Error(`client-go has ${objects} pods`);
      return ms;
    } finally {
      await child.stop();
    }
  };
  return withProxy(options, cluster.kubeconfig, async (proxy) => {
    const results: Result[] = [];
    for (const encoding of ["JSON", "protobuf"]) {
      const [ours, peer]: [number[], number[]] = [[], []];
      for (let round = 0; round < rounds; round++) {
        peer.push(await synced(cluster.kubeconfig, encoding));
        ours.push(await synced(proxy.kubeconfig, encoding));
      }
      results.push(figure(title(encoding), "ms", { is: "at most", ratio: 1.25 }, { ours, peer }));
    }
    return results;
  });
}

async function requestTimes(options: ProxyOptions): Promise<Result> {
  const { cluster, rounds } = options;
  return withProxy(options, cluster.kubeconfig, async ({ apiServer }) => {
    const [ours, peer]: [number[], number[]] = [[], []];
    for (let round = 0; round < rounds; round++) {
      peer.push(await requestMs(cluster));
      ours.push(await requestMs(apiServer));
    }
    return figure("a GET's time, the 50th percentile, beside direct", "ms", { is: "within", more: 1 }, { ours, peer });
  });
}

/** The median of many GETs of one object. */
async function requestMs({ url, ca, token }: ApiServer): Promise<number> {
  const times: number[] = [];
  for (let request = 0; request < requests; request++) {
    const begun = performance.now();
    const response = await fetch(`${url}/api/v1/namespaces/default`, {
      tls: { ca },
      headers: { authorization: `Bearer ${token}`, accept: "application/json" },
    });
    await response.arrayBuffer();
    if (response.status !== 200) throw new Error(`GET of a namespace: ${response.status}`);
    times.push(performance.now() - begun);
  }
  return median(times);
}

async function watches(options: ProxyOptions): Promise<readonly Result[]> {
  const { firehose, dir, events } = options;
  if (firehose.is === "missing") return [{ name: "watch events through the proxy", why: firehose.why }];
  const tenth = events / 10;
  const withServer = async <T>(
    count: number,
    use: (kubeconfig: string, apiServer: ApiServer) => Promise<T>,
  ): Promise<T> => {
    const ca = join(dir, "proxied.crt");
    const sending = ["-n", String(listed), "-tls", ca, "-events", String(count), "-rate", String(rate)];
    const server = start([firehose.path, "-pods", options.pods, ...sending], {
      longestMs: 180_000 + (2000 * count) / rate,
    });
    try {
      const url = await server.firstLine();
      const kubeconfig = join(dir, "proxied.kubeconfig");
      await Bun.write(kubeconfig, firehoseKubeconfig(url, ca));
      return await use(kubeconfig, { url, ca: readFileSync(ca, "utf8"), token: "" });
    } finally {
      await server.stop();
    }
  };
  const direct = await withServer(tenth, (_, apiServer) => watched(apiServer, tenth, () => undefined));
  const rss: { readonly events: number; readonly mb: number }[] = [];
  const through = await withServer(events, (kubeconfig) =>
    withProxy(options, kubeconfig, ({ child, apiServer }) =>
      watched(apiServer, events, (count) => void rss.push({ events: count, mb: child.usage().rssKb / 1024 })),
    ),
  );
  const between = (from: number, to: number): number =>
    median(rss.filter(({ events: count }) => count >= from && count <= to).map(({ mb }) => mb));
  const shown = events.toLocaleString("en");
  const speed = `of ${rate.toLocaleString("en")} watch events a second`;
  return [
    figure(`carried, ${speed}`, "/s", { is: "at least", ratio: 0.98 }, { ours: [through.perSecond], peer: [rate] }),
    figure(
      `lag ${speed}, the 99th percentile, beside direct`,
      "ms",
      { is: "below", limit: 50 },
      { ours: [percentile(through.lagMs, 0.99)], peer: [percentile(direct.lagMs, 0.99)] },
    ),
    figure(
      `the proxy's resident memory after ${shown} watch events, beside after ${tenth.toLocaleString("en")}`,
      "MB",
      { is: "at most", ratio: 1.1 },
      { ours: [between(events - tenth, events)], peer: [between(tenth, 2 * tenth)] },
    ),
  ];
}

interface Watched {
  readonly perSecond: number;
  /** From the server's time of writing a chunk to our time of having received all of it. */
  readonly lagMs: readonly number[];
}

const sampleEvery = 5000;

/** Reads the events of a watch, as lines that are not parsed. */
async function watched(apiServer: ApiServer, events: number, sample: (count: number) => void): Promise<Watched> {
  const response = await fetch(`${apiServer.url}/api/v1/pods?watch=1&resourceVersion=100000`, {
    ...(apiServer.ca !== "" && { tls: { ca: apiServer.ca } }),
    headers: { authorization: `Bearer ${apiServer.token}`, accept: "application/json" },
    signal: AbortSignal.timeout(60_000 + (2000 * events) / rate),
  });
  if (response.body === null) throw new Error("A watch without a body");
  const lagMs: number[] = [];
  let [count, firstAt] = [0, 0];
  for await (const line of linesOf(response.body)) {
    const now = performance.timeOrigin + performance.now();
    if (count === 0) firstAt = now;
    if (!line.startsWith('{"type":"BOOKMARK"')) {
      count++;
      if (count % sampleEvery === 0) sample(count);
      continue;
    }
    lagMs.push(now - Number(/"name":"sent-([\d.]+)"/.exec(line)?.[1]));
    if (count >= events) return { perSecond: count / ((now - firstAt) / 1000), lagMs };
  }
  throw new Error(`The watch ended after ${count} of ${events} events`);
}

function percentile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(share * values.length)] ?? NaN;
}
