/** Shadow of the StatefulSet controller beside kube-controller-manager: pods by their names, claims, revisions, statuses. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { statefulset } from "../../../src/controllers/statefulset/statefulset.ts";
import { type Cluster, controllersMissing, startCluster } from "../../support/cluster.ts";
import { statefulSetNamed } from "../../differential/scripts/statefulset/acts.ts";
import { eventually } from "../../e2e/support/workload.ts";
import { stillDiffering } from "./product-verdict.ts";
import { shadowBeside, type ShadowScene } from "./support.ts";

const namespace = "shadowed";
const sets = `/apis/apps/v1/namespaces/${namespace}/statefulsets`;
const pods = `/api/v1/namespaces/${namespace}/pods`;
const merge = { "content-type": "application/merge-patch+json" };

describe.skipIf(controllersMissing !== undefined)(
  "shadow beside the StatefulSet controller of kube-controller-manager",
  () => {
    let cluster: Cluster;
    let scene: ShadowScene;
    beforeAll(async () => {
      // One request of the owner every 40 ms: its writes do not overtake what we are still to decide about.
      const kcmFlags = ["--kube-api-qps=25", "--kube-api-burst=1"];
      cluster = await startCluster({ controllers: "statefulset-controller", kcmFlags });
      await cluster.createNamespace(namespace);
      scene = await shadowBeside(cluster, [statefulset], namespace);
    });
    afterAll(async () => {
      await scene?.stop();
      await cluster?.stop();
    });

    const asked = async (method: string, path: string, body?: object): Promise<void> => {
      const heard = scene.heard();
      // Until the owner has made what is to be changed.
      await eventually(async () => {
        const { status } = await cluster.request(method, path, body, method === "PATCH" ? merge : {});
        if (status >= 400) throw new Error(`${method} ${path} was refused with ${status}`);
      }, 10_000);
      // Until what follows from it begins to be told, and has been.
      await eventually(async () => {
        if (scene.heard() === heard) throw new Error("nothing has been told");
      }, 10_000);
      await scene.quiet(1500);
    };
    const ready = async (name: string): Promise<void> => {
      const conditions = [{ type: "Ready", status: "True", lastTransitionTime: "2026-01-01T00:00:00Z" }];
      await asked("PATCH", `${pods}/${name}/status`, { status: { phase: "Running", conditions } });
    };

    test("means what the owner does, from the first pod to the last", async () => {
      await asked(
        "POST",
        sets,
        statefulSetNamed("db", { replicas: 2, claims: ["data"], retention: ["Delete", "Retain"] }),
      );
      await ready("db-0");
      await ready("db-1");
      const template = { spec: { containers: [{ name: "main", image: "main:2" }] } };
      await asked("PATCH", `${sets}/db`, { spec: { template } });
      await ready("db-1");
      await ready("db-0");
      await asked("PATCH", `${sets}/db`, { spec: { replicas: 0 } });
      await scene.quiet(4000);
      const same = scene.agreements.filter(({ is }) => is === "same");
      const did = new Set(
        same.map(
          ({ verb, of, subresource }) => `${verb} ${of.kind}${subresource === undefined ? "" : `/${subresource}`}`,
        ),
      );
      expect([...did].sort()).toEqual([
        "create ControllerRevision",
        "create PersistentVolumeClaim",
        "create Pod",
        "delete Pod",
        "update PersistentVolumeClaim",
        "update StatefulSet/status",
      ]);
      const deleted = same.filter(({ verb }) => verb === "delete").map(({ target }) => target);
      expect(new Set(deleted)).toEqual(new Set([`${namespace}/db-0`, `${namespace}/db-1`]));
      expect(stillDiffering(scene.agreements)).toEqual([]);
    });
  },
);
