/** Unchanged kube-controller-manager and kube-scheduler behind a proxy: the reported events match the API server's audit log. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { openSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { controlPlaneBinary } from "../../scripts/control-plane.ts";
import { httpTransport } from "../../src/client/http/http-transport.ts";
import { realTimeline } from "../../src/platform/real-timeline.ts";
import { openObservedProxy, type ObservedProxy } from "../../src/proxy/observed-proxy.ts";
import { TraceBus } from "../../src/trace/bus.ts";
import type { DeltaEvent, EventHead, RequestEvent, StageEvent, WriteEvent } from "../../src/trace/events.ts";
import type { AuditEvent } from "../support/audit-log.ts";
import { type Cluster, controllersMissing, freePorts, startCluster } from "../support/cluster.ts";
import { tries } from "../support/long.ts";

/** Minimum number of their requests in the audit log. */
const leastRequests = tries(500, 10_000);
const agents = /^kube-(controller-manager|scheduler)\//;

/** A control plane process; SIGTERM ends it. */
function start(
  cluster: Cluster,
  name: "kube-controller-manager" | "kube-scheduler",
  args: readonly string[],
): Bun.Subprocess {
  const log = openSync(join(cluster.dir, `behind-${name}.log`), "w");
  return Bun.spawn([controlPlaneBinary(name) ?? "", ...args], { stdin: "ignore", stdout: log, stderr: log });
}

async function eventually(what: string, holds: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 1200; tries++) {
    if (await holds()) return;
    await Bun.sleep(100);
  }
  throw new Error(`Never: ${what}`);
}

describe.skipIf(controllersMissing !== undefined)("kube-controller-manager and kube-scheduler behind a proxy", () => {
  let cluster: Cluster;
  let proxy: ObservedProxy;
  let ports: number;
  const events: StageEvent[] = [];
  beforeAll(async () => {
    cluster = await startCluster({ controllers: "none", scheduler: false, audit: true });
    ports = await freePorts(2);
    const timeline = realTimeline();
    const bus = new TraceBus({ now: () => timeline.now() });
    bus.listen((event) => void events.push(event));
    const transport = httpTransport({
      server: cluster.url,
      tls: { ca: cluster.ca },
      headers: { authorization: `Bearer ${cluster.token}` },
    });
    proxy = await openObservedProxy({ transport, timeline, bus });
    writeFileSync(join(cluster.dir, "behind"), proxy.kubeconfig("default"), { mode: 0o600 });
  });
  afterAll(async () => {
    await proxy.close();
    await cluster.stop();
  });

  /** Audit events of both processes, by audit id. */
  async function logged(): Promise<ReadonlyMap<string, AuditEvent>> {
    const all = (await cluster.audit()).filter(
      ({ userAgent = "", stage }) => agents.test(userAgent) && stage === "ResponseComplete",
    );
    return new Map(all.map((event) => [event.auditID, event]));
  }

  test("they do their work, each request is reported with its id, and each write as it was", async () => {
    const kubeconfig = ["--kubeconfig", join(cluster.dir, "behind"), "--bind-address=127.0.0.1"];
    const programs = [
      start(cluster, "kube-controller-manager", [
        ...kubeconfig,
        `--authentication-kubeconfig=${join(cluster.dir, "behind")}`,
        `--authorization-kubeconfig=${join(cluster.dir, "behind")}`,
        `--secure-port=${ports}`,
        `--cert-dir=${join(cluster.dir, "behind-kcm")}`,
        `--service-account-private-key-file=${join(cluster.dir, "sa.key")}`,
        `--root-ca-file=${join(cluster.dir, "ca.crt")}`,
        "--use-service-account-credentials=false",
        "--kube-api-qps=200",
        "--kube-api-burst=300",
      ]),
      start(cluster, "kube-scheduler", [
        ...kubeconfig,
        `--secure-port=${ports + 1}`,
        `--cert-dir=${join(cluster.dir, "behind-scheduler")}`,
        "--leader-elect=false",
      ]),
    ];
    const ready = async (name: string): Promise<number> => {
      const { body } = await cluster.request("GET", `/apis/apps/v1/namespaces/default/deployments/${name}`);
      return (body as { status?: { readyReplicas?: number } }).status?.readyReplicas ?? 0;
    };
    for (let n = 0; n < 5; n++)
      expect((await cluster.kubectl(["create", "deployment", `web-${n}`, "--image=none", "--replicas=20"])).code).toBe(
        0,
      );
    for (let n = 0; n < 5; n++) await eventually(`web-${n} has 20 pods`, async () => (await ready(`web-${n}`)) === 20);
    do {
      for (const replicas of [5, 20, 5]) {
        expect((await cluster.kubectl(["scale", "deployment", "--all", `--replicas=${replicas}`])).code).toBe(0);
        for (let n = 0; n < 5; n++)
          await eventually(`web-${n} has ${replicas} pods`, async () => (await ready(`web-${n}`)) === replicas);
      }
    } while ((await logged()).size < leastRequests);
    expect((await cluster.kubectl(["delete", "deployment", "web-0", "--cascade=foreground"])).code).toBe(0);
    for (const program of programs) program.kill("SIGTERM");
    for (const program of programs) await program.exited;
    await Bun.sleep(500);
    proxy.catchUp();

    const requests = events.filter((event): event is RequestEvent & EventHead => event.stage === "request");
    const log = await logged();
    const reported = new Map(requests.filter(({ auditId }) => auditId !== "").map((event) => [event.auditId, event]));
    // The audit policy leaves out health checks and discovery, and nothing else.
    const resources = requests.filter(({ of, auditId }) => of !== undefined && auditId !== "");
    expect([...log.keys()].filter((id) => !reported.has(id))).toEqual([]);
    expect(resources.filter(({ auditId }) => !log.has(auditId)).map(({ verb, uri }) => `${verb} ${uri}`)).toEqual([]);
    expect(log.size).toBeGreaterThanOrEqual(leastRequests);
    const differing = [...log].filter(([id, { verb, responseStatus }]) => {
      const event = reported.get(id);
      return event?.verb !== verb || event.status !== responseStatus?.code;
    });
    expect(
      differing.map(([id, event]) => [
        event.verb,
        event.requestURI,
        event.responseStatus?.code,
        reported.get(id)?.verb,
        reported.get(id)?.status,
      ]),
    ).toEqual([]);

    const writes = events.filter((event): event is WriteEvent & EventHead => event.stage === "write");
    const made = [...log.values()].filter(
      ({ verb, objectRef }) =>
        /create|update|patch|delete/.test(verb) &&
        !/^(authentication|authorization)\.k8s\.io$/.test(objectRef?.apiGroup ?? "") &&
        objectRef?.subresource !== "token",
    );
    const count = (all: readonly string[]): Record<string, number> =>
      all.reduce<Record<string, number>>((sums, one) => ({ ...sums, [one]: (sums[one] ?? 0) + 1 }), {});
    expect(count(writes.map(({ verb, of, status }) => `${verb} ${of.kind} ${status}`))).toEqual(
      count(
        made.map(({ auditID }) => reported.get(auditID)).map((one) => `${one?.verb} ${one?.of?.kind} ${one?.status}`),
      ),
    );
    const deltas = events.filter((event): event is DeltaEvent & EventHead => event.stage === "delta");
    expect(deltas.filter(({ of }) => of.kind === "Pod" || of.kind === "pods").length).toBeGreaterThan(500);
    expect(events.filter(({ stage }) => stage === "unread")).toEqual([]);
    expect(requests.filter(({ error }) => error?.startsWith("cannot read") === true)).toEqual([]);
    console.log(
      `behind a proxy: ${requests.length} requests, ${log.size} in the audit log, ${writes.length} writes, ${deltas.length} deltas`,
    );
  }, 900_000);
});
