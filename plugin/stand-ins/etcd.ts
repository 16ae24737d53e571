/**
 * What envtest needs of an etcd: it starts, is healthy and exits on a signal. It stores nothing: the state is in the API server.
 * Source: etcd v3.6 server/etcdmain/{help,etcd}.go, server/etcdserver/api/etcdhttp/{health,version}.go.
 */
import { messageOf } from "../../src/api/error-message.ts";
import { makeFolder } from "../../src/platform/files.ts";
import { type PlainHttpServer, servePlainHttp, type TextResponse } from "../../src/platform/plain-http-server.ts";
import type { Io } from "../cli/io.ts";
import { FlagError, type GivenFlags, parseFlags } from "./flags.ts";
import { untilSignal } from "./until-signal.ts";

/** The etcd release that Kubernetes 1.36 is tested with. */
const etcdVersion = "3.6.8";

const help = `Usage:

  etcd [flags]
    Listens like an etcd, for envtest. It stores nothing: the kube-apiserver beside it keeps its state in memory.

  --data-dir 'default.etcd'
    A folder, which is created and stays empty.
  --listen-client-urls 'http://localhost:2379'
    Where to listen: http alone, /health and /version.
  --listen-peer-urls 'http://localhost:2380'
    Ignored: it has no peers.
  --advertise-client-urls 'http://localhost:2379'
    Ignored.
  --unsafe-no-fsync 'false'
    Ignored: nothing is written.
`;

const booleans = new Set(["unsafe-no-fsync", "help", "version"]);

const responses: Readonly<Record<string, TextResponse>> = {
  "/health": { status: 200, type: "text/plain; charset=utf-8", text: '{"health":"true","reason":""}' },
  "/version": {
    status: 200,
    type: "application/json",
    text: JSON.stringify({
      etcdserver: etcdVersion,
      etcdcluster: `${etcdVersion.replace(/\.\d+$/, "")}.0`,
      storage: "",
    }),
  },
};

const notFound: TextResponse = { status: 404, type: "text/plain; charset=utf-8", text: "404 page not found\n" };

/** Runs it until a signal. @returns the exit code. */
export async function runEtcd(args: readonly string[], io: Io): Promise<number> {
  const flags = parseFlags(args, (name) => (booleans.has(name) ? "boolean" : "value"));
  if (flags.boolean("help", false)) {
    io.out.write(help);
    return 0;
  }
  if (flags.boolean("version", false)) {
    io.out.write(`etcd Version: ${etcdVersion} (stand-in)\n`);
    return 0;
  }
  const folder = flags.text("data-dir");
  if (folder !== undefined) await makeFolder(folder);
  const servers = await listen(flags);
  for (const { url } of servers) io.err.line(`etcd: healthy at ${url}; it stores nothing`);
  await untilSignal(io);
  await Promise.all(servers.map((server) => server.close()));
  return 0;
}

async function listen(flags: GivenFlags): Promise<readonly PlainHttpServer[]> {
  const given = flags.list("listen-client-urls");
  const servers: PlainHttpServer[] = [];
  for (const text of given.length === 0 ? ["http://localhost:2379"] : given) {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    if (url?.protocol !== "http:")
      throw new FlagError(`--listen-client-urls: cannot serve ${text}: give a URL with http://`);
    const where = { host: url.hostname.replace(/^\[|\]$/g, ""), port: Number(url.port === "" ? 80 : url.port) };
    try {
      servers.push(await servePlainHttp({ ...where, respond: (path) => responses[path] ?? notFound }));
    } catch (error) {
      throw new FlagError(`cannot listen at ${text}: ${messageOf(error)}`, { cause: error });
    }
  }
  return servers;
}
