/**
 * Runs `trace -- manager` next to a copy of the same operator that works on a real kube-apiserver: nothing reaches the cluster, and both
 * react to each change in the same way. Checked with the audit log, and with the resulting objects in the fork.
 *
 * The copy is suspended while ours handles a change: what it has done already, ours need not do. A change is handled when a later one of
 * another object is: an operator has one worker, and its queue is first in, first out.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { type Program, startProgram } from "../e2e/support/program.ts";
import { type ApiSide, realSide } from "../support/api-side.ts";
import type { AuditEvent } from "../support/audit-log.ts";
import { clusterMissing } from "../support/cluster.ts";
import { tries } from "../support/long.ts";
import { seededRandom } from "../../src/platform/random.ts";
import { operatorScenes } from "./scenes.ts";

type Json = Readonly<Record<string, unknown>>;

/** A change by another client, and its effects. */
interface Episode {
  readonly what: string;
  readonly site: string;
  /** Positions in the audit log and in our standard output. */
  readonly from: number;
  readonly ourFrom: number;
  /** The resulting objects, reduced to the fields that the operator writes. */
  there: readonly unknown[];
  here: readonly unknown[];
}

interface OurWrite {
  readonly stage: string;
  readonly verb: string;
  readonly key: string;
  readonly of: { readonly kind: string };
  readonly subresource?: string;
  readonly status: number;
}

const sites = "/apis/web.example.com/v1/namespaces/default/sites";
const maps = "/api/v1/namespaces/default/configmaps";
const scene = operatorScenes.find(({ name }) => name === "controller-runtime");
const program = scene?.program;
const missing = clusterMissing ?? (program?.is === "there" ? undefined : program?.why);
/** How long both must be quiet after that, in ms. */
const quietMs = 400;
const mostSites = 6;
/** Sites whose changes show that all earlier ones are handled: the second, that what they have triggered is, too. */
const probes = ["probe-1", "probe-2", "probe-3"] as const;

describe.skipIf(missing !== undefined)("an operator beside its copy on the cluster", () => {
  let side: ApiSide;
  let copy: Bun.Subprocess;
  let lastPort = 8000;
  const command = scene?.command(program?.is === "there" ? program.path : "") ?? [];
  beforeAll(async () => {
    side = await realSide();
    await send("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", scene?.definition);
    await until("the kind is served", async () => (await side.send("GET", sites)).status === 200);
    copy = Bun.spawn([...command], {
      env: { ...process.env, KUBECONFIG: side.kubeconfig },
      stdin: "ignore",
      stdout: "ignore",
      stderr: "ignore",
    });
    for (const name of probes) {
      const spec = { host: `${name}.example.com`, port: lastPort, paths: ["/"] };
      await send("POST", sites, { apiVersion: "web.example.com/v1", kind: "Site", metadata: { name }, spec });
    }
  }, 120_000);
  afterAll(async () => {
    copy.kill("SIGKILL");
    await copy.exited;
    await side.stop();
  });

  async function send(method: string, path: string, body?: object): Promise<void> {
    const response = await side.send(method, path, body);
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  }

  async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
    for (let look = 0; look < 600; look++) {
      if (await holds()) return;
      await Bun.sleep(100);
    }
    throw new Error(`not within a minute: ${what}`);
  }

  /** Makes a random change of a site, which is created if it does not exist. */
  async function change(random: () => number): Promise<Pick<Episode, "what" | "site">> {
    const site = `s${Math.floor(random() * mostSites)}`;
    const found = await side.send("GET", `${sites}/${site}`);
    const pages = Array.from(
      { length: 1 + Math.floor(random() * 4) },
      (_, index) => `/${index}${Math.floor(random() * 9)}`,
    );
    const spec = { host: `${site}.example.com`, port: 80 + Math.floor(random() * 9), paths: pages };
    const pick = random();
    if (found.status === 404) {
      await send("POST", sites, { apiVersion: "web.example.com/v1", kind: "Site", metadata: { name: site }, spec });
      return { what: "made", site };
    }
    if (pick < 0.5) await send("PATCH", `${sites}/${site}`, { spec });
    else if (pick < 0.65) await send("PATCH", `${maps}/${site}-pages`, { data: { extra: "by hand" } });
    else if (pick < 0.8) await send("DELETE", `${maps}/${site}-pages`);
    else if (pick < 0.9)
      await send("PATCH", `${sites}/${site}`, { metadata: { annotations: { note: String(random()) } } });
    else await send("DELETE", `${sites}/${site}`);
    return { what: `changed at ${pick.toFixed(2)}`, site };
  }

  /** Changes a probe, and waits until each of these has handled that. `request` reads what an operator has written. */
  async function probed(probe: string, ...operators: readonly ApiSide["send"][]): Promise<void> {
    const port = ++lastPort;
    await send("PATCH", `${sites}/${probe}`, { spec: { port } });
    for (const request of operators) {
      await until(`the site ${probe} is served on port ${port}`, async () => {
        const { status } = (await (await request("GET", `${sites}/${probe}`)).json()) as { status?: { url?: string } };
        return status?.url?.endsWith(`:${port}`) === true;
      });
    }
  }

  /** Waits until neither the working operator nor ours has written for a while. */
  async function rest(trace: Program): Promise<void> {
    let seen = "";
    await until("both rest", async () => {
      const now = `${(await side.audit()).filter(isAtWork).length} ${trace.stdout.split('"stage":"write"').length}`;
      const rests = now === seen;
      seen = now;
      if (!rests) await Bun.sleep(quietMs);
      return rests;
    });
  }

  /**
   * Waits until the fork shows the site as it was changed, for 5 s at most. It holds that back behind a write of the copy which ours has not
   * made, and ours has then not seen it yet.
   */
  async function shown(site: string, fork: ApiSide["send"]): Promise<void> {
    const specOf = async (request: ApiSide["send"]): Promise<unknown> =>
      ((await (await request("GET", `${sites}/${site}`)).json()) as { readonly spec?: unknown }).spec;
    for (let look = 0; look < 50; look++) {
      const [there, here] = await Promise.all([specOf((...args) => side.send(...args)), specOf(fork)]);
      if (Bun.deepEquals(there, here)) return;
      await Bun.sleep(100);
    }
  }

  test("nothing is written to the cluster, and 95 of 100 episodes are equal", async () => {
    const config = join(side.dir, "proxy");
    const before = (await side.audit()).length;
    // The test reads the objects of the fork through the operator's proxy.
    const kept = ["sh", "-c", `cp "$KUBECONFIG" '${config}' && exec "$@"`, "sh", ...command];
    await using trace = startProgram(["trace", "-n", "default", "-o", "json", "--", ...kept], {
      kubeconfig: side.kubeconfig,
    });
    await trace.says(/"stage":"watch"[^\n]*"kind":"Site"/);
    const fork = proxyOf(await Bun.file(config).text());
    const seeded = seededRandom(3);
    const episodes: Episode[] = [];
    const changes = tries(25, 100);
    for (let n = 0; n < changes; n++) {
      const [from, ourFrom] = [(await side.audit()).length, trace.stdout.length];
      copy.kill("SIGSTOP");
      const changed = await change(() => seeded.next());
      // A site that ours has written follows the cluster again once the copy has written it: a probe is used once per change.
      await probed(probes[0], fork);
      await probed(probes[1], fork);
      copy.kill("SIGCONT");
      await probed(probes[2], (...args) => side.send(...args), fork);
      await shown(changed.site, fork);
      await rest(trace);
      const [there, here] = await Promise.all([
        objects(changed.site, (...args) => side.send(...args)),
        objects(changed.site, fork),
      ]);
      episodes.push({ ...changed, from, ourFrom, there, here });
    }
    const audit = await side.audit();
    const { stdout } = trace;
    trace.signal("SIGINT");
    const { code } = await trace.end();
    expect(code).toBe(0);

    const ours = audit.slice(before).filter(({ userAgent = "" }) => userAgent.startsWith("kubectl-reconcile"));
    expect(ours.length).toBeGreaterThan(5);
    expect(ours.filter(isWrite)).toEqual([]);

    const differing: unknown[] = [];
    let writes = 0;
    for (const [index, { what, site, from, ourFrom, there, here }] of episodes.entries()) {
      const next = episodes[index + 1];
      const theirs = audit.slice(from, next?.from).filter(isAtWork).map(auditText);
      const mine = writesIn(stdout.slice(ourFrom, next?.ourFrom));
      const actual = { what: `${what} ${site}`, writes: distinct(mine, site), objects: here };
      const meant = { what: `${what} ${site}`, writes: distinct(theirs, site), objects: there };
      writes += meant.writes.length;
      if (!Bun.deepEquals(actual, meant)) differing.push({ actual, meant });
    }
    console.log(`beside a copy: ${changes} episodes, ${writes} writes of the copy, ${differing.length} differ`);
    expect(writes).toBeGreaterThan(changes);
    if (differing.length > changes * 0.05) expect(differing).toEqual([]);
  }, 600_000);
});

/** The objects of a site, reduced to the fields that the operator sets; `null` for a missing object. */
async function objects(site: string, send: ApiSide["send"]): Promise<readonly unknown[]> {
  const [one, pages] = await Promise.all([send("GET", `${sites}/${site}`), send("GET", `${maps}/${site}-pages`)]);
  const [body, map] = await Promise.all([one.json() as Promise<Json>, pages.json() as Promise<Json>]);
  return [
    one.ok ? { ...decided(body), status: withoutTimes(body["status"]) } : null,
    pages.ok ? { ...decided(map), data: map["data"] } : null,
  ];
}

function decided({ metadata }: Json): Json {
  const { finalizers, labels, ownerReferences } = metadata as Json;
  const owners = (ownerReferences ?? []) as readonly Json[];
  return { finalizers, labels, owners: owners.map(({ kind, name, controller }) => [kind, name, controller]) };
}

/** The status without the transition times of conditions, which differ between the two copies. */
function withoutTimes(status: unknown): unknown {
  return JSON.parse(
    JSON.stringify(status ?? null, (name, value: unknown) => (name === "lastTransitionTime" ? undefined : value)),
  );
}

/** Sends requests to the proxy to which this kubeconfig refers. */
function proxyOf(config: string): ApiSide["send"] {
  const found = (field: string): string => new RegExp(`${field}: (\\S+)`).exec(config)?.[1] ?? "";
  return (method, path) =>
    fetch(found("server") + path, {
      method,
      headers: { authorization: `Bearer ${found("token")}`, "user-agent": "looking-on/1" },
      tls: { ca: atob(found("certificate-authority-data")) },
    });
}

function isWrite({ verb, objectRef }: AuditEvent): boolean {
  return !/^(get|list|watch)$/.test(verb) && objectRef?.resource?.startsWith("selfsubject") !== true;
}

/** Whether the event is a successful write of the working operator. */
function isAtWork(event: AuditEvent): boolean {
  const { userAgent = "", objectRef, responseStatus } = event;
  const isOperators = userAgent.startsWith("manager/") && /^(sites|configmaps)$/.test(objectRef?.resource ?? "");
  return isOperators && isWrite(event) && (responseStatus?.code ?? 0) < 300;
}

function auditText({ verb, objectRef }: AuditEvent): string {
  const kind = objectRef?.resource === "sites" ? "Site" : "ConfigMap";
  return `${verb} ${kind}${objectRef?.subresource === undefined ? "" : `/${objectRef.subresource}`} default/${objectRef?.name}`;
}

/** The writes in the output of our program, in the same form. */
function writesIn(output: string): readonly string[] {
  return output
    .split("\n")
    .filter((line) => line.startsWith("{") && line.includes('"stage":"write"'))
    .map((line) => JSON.parse(line) as OurWrite)
    .filter(
      ({ stage, of, status }) => stage === "write" && /^(Site|ConfigMap)$/.test(of.kind) && status < 300 && status > 0,
    )
    .map(
      ({ verb, of, subresource, key }) =>
        `${verb} ${of.kind}${subresource === undefined ? "" : `/${subresource}`} ${key}`,
    );
}

/**
 * The distinct writes to the changed site. A retry after a conflict with the copy repeats a write; and once the copy's state is in the
 * fork, the next reconcile writes a status that already exists, maybe only after the next change.
 */
function distinct(writes: readonly string[], site: string): readonly string[] {
  return [
    ...new Set(writes.filter((write) => write.endsWith(`/${site}`) || write.endsWith(`/${site}-pages`))),
  ].toSorted();
}
