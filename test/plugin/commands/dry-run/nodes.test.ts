/** `dry-run --node-down` and `--drain` as users run them, with manifests only: what is printed, and what is refused. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { dryRunCommand } from "../../../../plugin/commands/dry-run/dry-run.ts";
import { StatusError } from "../../../../src/api/status-error.ts";
import type { Kind } from "../../../../src/api/kind.ts";
import type { Client } from "../../../../src/client/api/verbs.ts";
import { namespacesOnNodes } from "../../../../plugin/commands/dry-run/node-flags.ts";
import { UserError } from "../../../../plugin/cli/user-error.ts";
import { fakeIo } from "../../../support/fake-io.ts";
import { rejection } from "../../../support/rejection.ts";

let folder: string;
let file: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "dry-run-"));
  file = join(folder, "shop.json");
  writeFileSync(file, JSON.stringify({ apiVersion: "v1", kind: "List", items: shop }));
});
afterAll(() => rmSync(folder, { recursive: true }));

const node = (name: string, status: object = {}): object => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name, labels: { place: name } },
  status,
});

function workload(kind: string, name: string, { replicas, cpu = "10m" }: { replicas?: number; cpu?: string }): object {
  const labels = { app: name };
  const containers = [{ name: "c", image: "i", resources: { requests: { cpu } } }];
  const preference = { matchExpressions: [{ key: "place", operator: "In", values: ["worker-1"] }] };
  const nodeAffinity = { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 100, preference }] };
  const affinity = name === "web" ? { affinity: { nodeAffinity } } : {};
  const volumes = name === "big" ? { volumes: [{ name: "cache", emptyDir: {} }] } : {};
  return {
    apiVersion: "apps/v1",
    kind,
    metadata: { name },
    spec: {
      ...(replicas !== undefined && { replicas }),
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers, ...volumes, ...affinity } },
    },
  };
}

/** Only the first of two nodes has room for `big`, and `web` prefers it; the pods of the other workloads are on both. */
const shop: readonly object[] = [
  node("worker-1"),
  node("worker-2", { capacity: { cpu: "1", memory: "1Gi", pods: "4" } }),
  workload("ReplicaSet", "big", { replicas: 1, cpu: "4" }),
  workload("StatefulSet", "db", { replicas: 3 }),
  workload("Deployment", "web", { replicas: 1 }),
  workload("DaemonSet", "agent", {}),
  {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "debug" },
    spec: { nodeName: "worker-1", containers: [{ name: "c", image: "i" }] },
  },
  {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "big" },
    spec: { selector: { app: "big" }, ports: [{ port: 80 }] },
  },
  {
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: { name: "db" },
    spec: { minAvailable: 3, selector: { matchLabels: { app: "db" } } },
  },
];

interface Ended {
  readonly code: number;
  readonly text: string;
}

async function dryRun(options: Readonly<Record<string, unknown>>, columns?: number): Promise<Ended> {
  const io = fakeIo(columns === undefined ? {} : { columns });
  const given = { from: "manifests", manifests: [file], ...options } as never;
  const code = await dryRunCommand.execute({ arguments: [], options: given }, io);
  return { code, text: io.outText() };
}

/** Without generated names and counts. */
const plain = (text: string): string =>
  text
    .replaceAll(/\b(\w+-[a-z0-9]{8,10})-[bcdfghjklmnpqrstvwxz2456789]{5}\b/g, "$1-…")
    .replaceAll(/\b(agent|big)-[a-z0-9]{5}\b/g, "$1-…")
    .replaceAll(/after \d+ syncs/g, "after N syncs");

/** The output from the line about the node on. */
const nodeLines = (text: string): readonly string[] => {
  const lines = plain(text).trimEnd().split("\n");
  return lines.slice(lines.findIndex((line) => line.startsWith("worker-1 ")));
};

describe("dry-run --node-down", () => {
  test("reports what moves, what cannot and why, what waits, is lost and stays, and what is short in the end", async () => {
    const { code, text } = await dryRun({ nodeDown: ["worker-1"] });
    expect(plain(text)).toStartWith("applied Node worker-1 fell silent\n");
    expect(nodeLines(text)).toMatchInlineSnapshot(`
      [
        "worker-1 falls silent with 6 pods on it: unreachable after 59 s, tainted NoExecute after 59 s",
        "cannot  ReplicaSet default/big: Pod big-…, deleted after 5 m 59 s: 0/2 nodes are available: 1 Insufficient cpu, 1 node(s) had untolerated taint(s); its data in emptyDir cache is lost",
        "waits   StatefulSet default/db: 2 pods, deleted after 5 m 59 s: Terminating until the node is back or somebody removes it",
        "lost    Pod default/debug, deleted after 5 m 59 s: nothing recreates it; Terminating until the node is back or somebody removes it",
        "moves   Deployment default/web: Pod web-6bcb55876b-… → worker-2, deleted after 5 m 59 s",
        "stays   DaemonSet default/agent: Pod agent-…: it tolerates the taint of its node",
        "next    once worker-1 is known to be off: kubectl taint node worker-1 node.kubernetes.io/out-of-service=nodeshutdown:NoExecute",
        "service Service default/big loses its one ready endpoint after 59 s, for good",
        "",
        "! ReplicaSet default/big: available 0 of 1: Pod big-…: 0/2 nodes are available: 1 Insufficient cpu, 1 node(s) had untolerated taint(s).",
        "! StatefulSet default/db: available 1 of 3: Pod db-1: Terminating until the node is back or somebody removes it",
        "! Pod default/debug: available 0 of 1: nothing recreates it; Terminating until the node is back or somebody removes it",
        "! Service default/big: available 0 of 1: no ready endpoint is left",
        "steady after N syncs: 2 created, 15 changed. DaemonSet default/agent: available 1 of 1. Deployment default/web: available 1 of 1",
      ]
    `);
    expect(code).toBe(4);
  });

  test("fits a narrow terminal, and prints diffs only on request", async () => {
    const { text } = await dryRun({ nodeDown: ["worker-1"] }, 80);
    expect(Math.max(...text.split("\n").map((line) => line.length))).toBeLessThanOrEqual(80);
    expect(text).not.toContain("@@");
    const all = await dryRun({ nodeDown: ["worker-1"], showGenerated: true });
    expect(all.text).toContain("+++ Node worker-1 (after)");
  });

  test("has the same answer in all formats", async () => {
    const line = "ReplicaSet default/big: Pod big-";
    for (const output of ["yaml", "markdown", "github"]) {
      const { code, text } = await dryRun({ nodeDown: ["worker-1"], output });
      expect(text).toContain(line);
      expect(code).toBe(4);
    }
    const { text } = await dryRun({ nodeDown: ["worker-1"], output: "markdown" });
    expect(text).toMatch(/\n\*\*worker-1 falls silent with \d pods on it: .*\*\*\n\n- cannot: /);
    const two = await dryRun({ nodeDown: ["worker-1", "worker-2"], output: "markdown" });
    expect(two.text).toMatch(/\n\n\*\*worker-1 [^\n]*\n\n- [^]*\n- [^\n]*\n\n\*\*worker-2 [^\n]*\n\n/);
    const junit = await dryRun({ nodeDown: ["worker-1"], output: "junit" });
    expect(junit.text).toContain('<testcase classname="--node-down" name="Node worker-1">');
    expect(junit.text).toContain("ReplicaSet default/big: available 0 of 1");
  });

  test("as JSON has a line for the node, for each pod and for each Service without endpoints", async () => {
    const { text } = await dryRun({ nodeDown: ["worker-1"], output: "json" });
    const lines = text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
    const of = (is: string): readonly Readonly<Record<string, unknown>>[] => lines.filter((line) => line["is"] === is);
    const nodes = of("node");
    expect(nodes).toMatchObject([{ v: 1, node: "worker-1", how: "falls silent" }]);
    expect(of("fate")).toHaveLength(nodes[0]?.["pods"] as number);
    expect(of("fate").find(({ fate }) => fate === "cannot move")).toMatchObject({
      workload: { group: "apps", kind: "ReplicaSet", key: "default/big" },
      emptyDirs: ["cache"],
      why: expect.stringContaining("1 Insufficient cpu"),
    });
    expect(of("outage")).toMatchObject([{ service: "default/big", endpoints: 1 }]);
    expect(of("end")).toMatchObject([{ available: "found", exitCode: 4 }]);
  });

  test("is subject to --fail-on like anything else", async () => {
    expect((await dryRun({ nodeDown: ["worker-1"], failOn: ["dangling"] })).code).toBe(0);
    expect((await dryRun({ nodeDown: ["worker-1"], failOn: ["unavailable"] })).code).toBe(4);
    // Everything on the second node could also run on the first, except the StatefulSet's pods.
    const { code } = await dryRun({ nodeDown: ["node/worker-2"], failOn: ["delete", "held"] });
    expect(code).toBe(0);
  });

  test("comes after the manifests: their effects are not a change", async () => {
    const { text } = await dryRun({ nodeDown: ["worker-1"], scale: ["deploy/web=2"] });
    expect(text).not.toContain("+ Deployment");
    expect(text).not.toContain("Deployment default/web created");
  });

  test("of a node without pods says so, and something would change: the node", async () => {
    const { code, text } = await dryRun({ manifests: undefined, nodeDown: ["node-2"] });
    expect(text).toContain("node-2 falls silent with no pods on it: unreachable after ");
    expect(code).toBe(1);
  });
});

describe("dry-run --drain", () => {
  test("names the budgets that block pods, and the flags that kubectl drain needs", async () => {
    const { code, text } = await dryRun({ drain: ["worker-1"] });
    expect(plain(text)).toStartWith("applied Node worker-1 cordoned\n");
    expect(nodeLines(text)).toMatchInlineSnapshot(`
      [
        "worker-1 is drained with 6 pods on it",
        "cannot  ReplicaSet default/big: Pod big-…: 0/2 nodes are available: 1 Insufficient cpu, 1 node(s) were unschedulable; its data in emptyDir cache is lost",
        "held    StatefulSet default/db: 2 pods: The disruption budget db needs 3 healthy pods and has 3 currently",
        "lost    Pod default/debug: nothing recreates it",
        "moves   Deployment default/web: Pod web-6bcb55876b-… → worker-2",
        "stays   DaemonSet default/agent: Pod agent-…: kubectl drain leaves DaemonSets alone",
        "needs   kubectl drain worker-1 --ignore-daemonsets --delete-emptydir-data --force",
        "service Service default/big loses its one ready endpoint at once, for good",
        "",
        "! ReplicaSet default/big: available 0 of 1: Pod big-…: 0/2 nodes are available: 1 Insufficient cpu, 1 node(s) were unschedulable.",
        "! Pod default/debug: available 0 of 1: nothing recreates it",
        "! Service default/big: available 0 of 1: no ready endpoint is left",
        "steady after N syncs: 2 created, 5 changed, 3 deleted. DaemonSet default/agent: available 2 of 2. StatefulSet default/db: available 3 of 3. Deployment default/web: available 1 of 1",
      ]
    `);
    expect(code).toBe(4);
  });

  test("fails a job with --fail-on for a drain that does not end", async () => {
    expect((await dryRun({ drain: ["worker-1"], failOn: ["held"] })).code).toBe(1);
    expect((await dryRun({ drain: ["worker-1"], failOn: ["never-steady"] })).code).toBe(0);
  });
});

describe("a question about a node is refused", () => {
  const rows: readonly { readonly name: string; readonly options: object; readonly says: readonly string[] }[] = [
    {
      name: "that does not exist, with similar names",
      options: { nodeDown: ["worker-3"] },
      says: ["there is no node worker-3 among the manifests, nor a simulated one", "did you mean worker-1, worker-2?"],
    },
    {
      name: "that resembles no other",
      options: { drain: ["database"] },
      says: ["there is no node database among the manifests, nor a simulated one", "there are: worker-1, worker-2"],
    },
    {
      name: "for a list",
      options: { nodeDown: ["worker-1,worker-2"] },
      says: [
        "--node-down worker-1,worker-2 cannot be read",
        "repeat it for each: --node-down worker-1 --node-down worker-2",
      ],
    },
    {
      name: "for another type",
      options: { nodeDown: ["pod/web"] },
      says: ["--node-down pod/web cannot be read", "it takes the name of a node"],
    },
    {
      name: "in both ways at once",
      options: { nodeDown: ["worker-1"], drain: ["node/worker-1"] },
      says: ["--node-down and --drain name the same node, worker-1", "a silent node cannot be drained"],
    },
    {
      name: "with --server-validate",
      options: { nodeDown: ["worker-1"], serverValidate: true },
      says: ["--server-validate is for what is applied, and --node-down and --drain apply nothing", "omit one of them"],
    },
  ];
  for (const { name, options, says } of rows) {
    test(name, async () => {
      const error = (await rejection(dryRun(options as never))) as UserError;
      expect(error).toBeInstanceOf(UserError);
      expect([error.message, ...error.next]).toEqual([...says]);
    });
  }

  test("without the permissions to read its pods", async () => {
    const refuse = (plural: string): StatusError =>
      new StatusError(403, { reason: "Forbidden", message: `no ${plural}` });
    const client = (forbidden: string): Client =>
      ({
        list: ({ plural }: Kind) =>
          plural === forbidden
            ? Promise.reject(refuse(plural))
            : Promise.resolve({ items: [{ metadata: { name: "worker-1" } }] }),
      }) as unknown as Client;
    for (const plural of ["nodes", "pods"]) {
      const namespaces = namespacesOnNodes(client(plural), { nodesDown: ["worker-1"], drains: [] });
      const error = (await rejection(namespaces)) as UserError;
      expect(error.message).toBe(
        `not allowed to list ${plural} of the whole cluster: the effects of a node cannot be predicted`,
      );
    }
    expect(await namespacesOnNodes(client("nodes"), { nodesDown: [], drains: [] })).toEqual([]);
  });

  test("for a program, which runs in real time", async () => {
    const run = dryRunCommand.execute(
      { arguments: [], options: { nodeDown: ["worker-1"] }, program: ["true"] },
      fakeIo(),
    );
    const error = (await rejection(run)) as UserError;
    expect(error.message).toBe("--node-down has no effect on a program");
  });
});
