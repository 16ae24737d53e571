import { describe, expect, test } from "bun:test";
import type { StoredObject } from "../../src/api/object.ts";
import type { RewriteLoop } from "../../src/views/loops/loop.ts";
import { Loops } from "../../src/views/loops/loops.ts";
import { Events, objectOf } from "./events.ts";

interface Rewritten {
  readonly kind: string;
  readonly owner?: string;
  /** The fields at write n; undefined ones are not written. */
  readonly fields: (n: number) => object;
  readonly writer: (n: number) => string;
  /** Objects are written in turn; this one from this write on. */
  readonly from?: number;
}

function owned(kind: string, owner: string | undefined, version: number, fields: object): StoredObject {
  const ownerReferences = [{ apiVersion: "apps/v1", kind: owner ?? "", name: "a", uid: owner ?? "", controller: true }];
  const { metadata, ...rest } = objectOf(String(version), fields);
  return { ...rest, metadata: { ...metadata, uid: kind, ...(owner !== undefined && { ownerReferences }) } };
}

/** Rewrites all objects 20 times, one second apart, and calls `look` after each time. */
function rewrite(objects: readonly Rewritten[], look: (view: Loops, n: number) => void = () => undefined): Loops {
  const view = new Loops({ perMinute: 10 });
  const events = new Events(0);
  for (let n = 1; n <= 20; n++) {
    for (const { kind, owner, fields, writer, from = 0 } of objects) {
      if (n < from) continue;
      events.at = n * 1000;
      const [before, after] = [owned(kind, owner, n, fields(n - 1)), owned(kind, owner, n + 1, fields(n))];
      const of = { group: "apps", kind };
      view.accept(
        events.delta({ of, key: `shop/${kind}`, uid: kind, before, after, writer: writer(n), receivedAt: events.at }),
      );
    }
    look(view, n);
  }
  return view;
}

/** `Deployment`, `ReplicaSet < Deployment`: in the order in which the loops are reported. */
function loopTexts(view: Loops): readonly string[] {
  return (view.found() as readonly RewriteLoop[]).map(
    ({ of, followsFrom }) => of.kind + (followsFrom === undefined ? "" : ` < ${followsFrom.of.kind}`),
  );
}

const renewed = (n: number): object => ({ spec: { at: `time ${n}` } });
const status = (n: number): object => ({ status: { phase: n % 2 === 0 ? "A" : "B" } });
const kcm = (): string => "kube-controller-manager";
const op = (): string => "op";

describe("Loops of owners and their dependents", () => {
  test("a dependent's loop is shown under the owner, if another writer rewrites that", () => {
    const view = rewrite([
      { kind: "Pod", owner: "ReplicaSet", fields: status, writer: () => "kubelet" },
      { kind: "ReplicaSet", owner: "Deployment", fields: renewed, writer: kcm },
      { kind: "Deployment", fields: renewed, writer: op },
    ]);
    expect(loopTexts(view)).toEqual(["Deployment", "ReplicaSet < Deployment", "Pod < Deployment"]);
  });

  test("an owner whose status alone loops is shown under its dependent", () => {
    const view = rewrite([
      { kind: "Widget", fields: status, writer: op },
      { kind: "Deployment", owner: "Widget", fields: renewed, writer: op },
    ]);
    expect(loopTexts(view)).toEqual(["Deployment", "Widget < Deployment"]);
  });

  test("a fight over a dependent is a separate loop, whatever happens to the owner", () => {
    const view = rewrite([
      { kind: "Deployment", fields: renewed, writer: op },
      {
        kind: "ReplicaSet",
        owner: "Deployment",
        fields: (n) => ({ spec: { replicas: n % 2 } }),
        writer: (n) => (n % 2 === 0 ? "one" : "other"),
      },
    ]);
    expect(loopTexts(view).toSorted()).toEqual(["Deployment", "ReplicaSet"]);
  });

  test("a dependent that the owner's writer rewrites as well is a separate loop", () => {
    const view = rewrite([
      { kind: "Widget", fields: renewed, writer: op },
      { kind: "Deployment", owner: "Widget", fields: renewed, writer: op },
    ]);
    expect(loopTexts(view).toSorted()).toEqual(["Deployment", "Widget"]);
  });

  test("a desired state comes before a status, however fast that is", () => {
    const view = rewrite([
      { kind: "Node", fields: status, writer: kcm },
      { kind: "ConfigMap", fields: renewed, writer: op, from: 10 },
    ]);
    expect(loopTexts(view)).toEqual(["ConfigMap", "Node"]);
  });

  test("a loop is not final while its owner may turn out to be the cause", () => {
    const settled: string[] = [];
    const view = rewrite(
      [
        { kind: "ReplicaSet", owner: "Deployment", fields: renewed, writer: kcm },
        { kind: "Deployment", fields: renewed, writer: op, from: 3 },
      ],
      (now) => {
        for (const loop of now.settled()) if (loop.is === "rewritten") settled.push(loop.of.kind);
      },
    );
    expect(loopTexts(view)).toEqual(["Deployment", "ReplicaSet < Deployment"]);
    expect(new Set(settled)).toEqual(new Set(["Deployment"]));
  });

  describe("repeated changes of a dependent", () => {
    // In few large steps, as on a busy machine.
    const replicas = [0, 3, 10, 8, 0, 3, 10, 8, 0, 3, 10, 8, 0, 3, 10, 8, 0, 3, 10, 8, 0];
    const walk = (n: number): object => ({ spec: { replicas: replicas[n] } });
    const set: Rewritten = { kind: "ReplicaSet", owner: "Deployment", fields: walk, writer: kcm };
    /** A new image every four seconds, with status writes in between. */
    const rollouts = (n: number): object => ({ spec: { image: `web:${Math.floor(n / 4)}` }, status: { updated: n } });

    test("are not a loop if they follow requests to its owner: rollouts and rollbacks", () => {
      expect(loopTexts(rewrite([set, { kind: "Deployment", fields: rollouts, writer: op }]))).toEqual([]);
    });

    test("are a loop if nothing is requested of the owner", () => {
      const quiet = (n: number): object => ({ status: { updated: n } });
      expect(loopTexts(rewrite([set, { kind: "Deployment", fields: quiet, writer: kcm }]))).toEqual(["ReplicaSet"]);
    });

    test("follow from the owner's loop, in whichever order they are examined", () => {
      const fought: Rewritten = { kind: "Deployment", fields: (n) => ({ spec: { replicas: n % 2 } }), writer: op };
      expect(loopTexts(rewrite([set, fought]))).toEqual(["Deployment", "ReplicaSet < Deployment"]);
    });

    test("are a loop if two writers undo each other's changes, whatever is requested of the owner", () => {
      const rivals = (n: number): string => (n % 2 === 0 ? "tool" : "kube-controller-manager");
      const fought: Rewritten = { ...set, fields: (n) => ({ spec: { replicas: n % 2 } }), writer: rivals };
      expect(loopTexts(rewrite([fought, { kind: "Deployment", fields: rollouts, writer: op }]))).toEqual([
        "ReplicaSet",
      ]);
    });
  });
});
