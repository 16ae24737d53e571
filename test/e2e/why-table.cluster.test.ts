/**
 * The diagnoses of `why` for broken and healthy objects, on a real kube-apiserver with kube-controller-manager, kube-scheduler and kwok: no
 * broken one is reported as well, no healthy one as broken. The rows are in why-table/.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { controllersMissing, type Cluster, startCluster } from "../support/cluster.ts";
import { type Diagnoser, diagnoserFor, textOf } from "./why-table/asking.ts";
import { brokenCluster, brokenNetwork, brokenStorage, brokenWidgets } from "./why-table/broken-others.ts";
import { brokenPods, brokenWorkloads } from "./why-table/broken-workloads.ts";
import { createAll, handOf, play, soon } from "./why-table/hand.ts";
import { ground, groundWithin, healthyOthers, healthyWorkloads } from "./why-table/healthy.ts";
import type { Broken, Hand, Row } from "./why-table/row.ts";

const broken: readonly Broken[] = [
  ...brokenPods,
  ...brokenWorkloads,
  ...brokenNetwork,
  ...brokenStorage,
  ...brokenCluster,
  ...brokenWidgets,
];
const healthy: readonly Row[] = [...healthyWorkloads, ...healthyOthers];
const isByHand = ({ phase }: Row): boolean => phase === "by hand";

/** Controllers need some time, and the machine may be busy. */
const patienceMs = 180_000;

test("the table has 60 broken objects and 30 healthy ones, of 15 kinds, with unique names", () => {
  expect(broken.length).toBeGreaterThanOrEqual(60);
  expect(healthy.length).toBeGreaterThanOrEqual(30);
  expect(new Set(broken.map(({ target }) => target.split("/")[0])).size).toBeGreaterThanOrEqual(15);
  const names = [...broken, ...healthy].map(({ name }) => name);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});

describe.skipIf(controllersMissing !== undefined)("why", () => {
  let cluster: Cluster;
  let hand: Hand;
  const diagnosers = new Map<string, Diagnoser>();

  beforeAll(async () => {
    // kwok will be suspended for a while: its nodes must not become unreachable.
    cluster = await startCluster({ controllers: "*", kcmFlags: ["--node-monitor-grace-period=1h"] });
    hand = handOf(cluster);
    await createAll(hand, ground, "default");
    await soon("namespaces and the CRD", async () => {
      const paths = ["table", "tight", "strict", "hooked", "leaving"].map(
        (name) => `/api/v1/namespaces/${name}/serviceaccounts/default`,
      );
      const responses = await Promise.all(
        [...paths, "/apis/example.com/v1/widgets", "/apis/example.com/v1alpha1/gizmos"].map((path) =>
          cluster.request("GET", path),
        ),
      );
      return responses.every(({ status }) => status === 200);
    });
    await createAll(hand, groundWithin, "default");
    await soon("the quota", async () => {
      const pod = { metadata: { name: "probe" }, spec: { containers: [{ name: "c", image: "i" }] } };
      const { body } = await cluster.request("POST", "/api/v1/namespaces/tight/pods?dryRun=All", pod);
      return JSON.stringify(body).includes("exceeded quota");
    });
    await play(
      hand,
      [...broken, ...healthy].filter((row) => !isByHand(row)),
    );
    for (const as of ["", "bob"]) diagnosers.set(as, await diagnoserFor(cluster.kubeconfig, as));
  });
  afterAll(async () => {
    for (const diagnoser of diagnosers.values()) diagnoser.close();
    await cluster.stop();
  });

  const diagnose = (row: Row): ReturnType<Diagnoser["diagnose"]> => {
    const diagnoser = diagnosers.get(row.as ?? "");
    if (diagnoser === undefined) throw new Error(`nobody asks as ${row.as}`);
    return diagnoser.diagnose(row);
  };

  /** Returns the first diagnosis that is right, or the last one. */
  async function diagnoseUntil(
    row: Row,
    isRight: (text: string, is: string) => boolean,
  ): Promise<{ readonly text: string; readonly is: string }> {
    for (const until = Date.now() + patienceMs; ; await Bun.sleep(300)) {
      const diagnosis = await diagnose(row);
      const [text, { is }] = [textOf(diagnosis), diagnosis];
      if (isRight(text, is) || Date.now() > until) return { text, is };
    }
  }

  const checkBroken = async (row: Broken): Promise<void> => {
    const first = await diagnose(row);
    // At no time, not even before a controller has processed it.
    if (row.cannotTell !== true) expect({ row: row.name, is: first.is }).not.toEqual({ row: row.name, is: "well" });
    const { text, is } = await diagnoseUntil(row, (each) => row.says.test(each));
    expect(text).toMatch(row.says);
    expect({ row: row.name, text, is: is === "cannot tell" }).toEqual({
      row: row.name,
      text,
      is: row.cannotTell === true,
    });
    expect({ row: row.name, is }).not.toEqual({ row: row.name, is: "well" });
    if (row.notSeen !== undefined) expect(text).toMatch(row.notSeen);
  };
  const checkHealthy = async (row: Row): Promise<void> => {
    const { text, is } = await diagnoseUntil(row, (_, each) => each === "well");
    expect({ row: row.name, text, is }).toEqual({ row: row.name, text, is: "well" });
  };

  describe("reports broken objects as broken, with the first cause", () => {
    test.each(broken.filter((row) => !isByHand(row)))("$name", checkBroken, patienceMs + 30_000);
  });
  describe("reports healthy objects as well", () => {
    test.each(healthy.filter((row) => !isByHand(row)))("$name", checkHealthy, patienceMs + 30_000);
  });

  describe("reads statuses that a kubelet would write", () => {
    beforeAll(async () => {
      await cluster.stopProcess("kwok");
      await play(hand, [...broken, ...healthy].filter(isByHand));
    });
    test.each(broken.filter(isByHand))("$name", checkBroken, patienceMs + 30_000);
    test.each(healthy.filter(isByHand))("$name", checkHealthy, patienceMs + 30_000);
  });
});
