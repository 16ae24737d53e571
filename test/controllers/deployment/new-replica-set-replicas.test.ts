import { describe, expect, test } from "bun:test";
import { newReplicaSetReplicas } from "../../../src/controllers/deployment/new-replica-set-replicas.ts";
import { deploymentOf, setOf } from "./objects.ts";

// Source: kubernetes v1.36 pkg/controller/deployment/util/deployment_util.go NewRSNewReplicas.
describe("the new ReplicaSet of a Deployment of 4 may be", () => {
  const of = (...sizes: readonly number[]): ReturnType<typeof setOf>[] =>
    sizes.map((size, n) => setOf(`v${n}`, { size }));

  test.each([
    { name: "as large as desired where there is room", surge: 1, all: [0], current: 0, size: 4 },
    { name: "as large as the surge leaves room for", surge: 1, all: [4, 0], current: 0, size: 1 },
    { name: "no larger where there is no room", surge: 1, all: [4, 1], current: 1, size: 1 },
    { name: "no smaller where it fills all places alone", surge: 1, all: [5], current: 5, size: 5 },
    { name: "no smaller where there are more pods than places", surge: 1, all: [4, 3], current: 3, size: 3 },
  ])("$name", ({ surge, all, current, size }) => {
    expect(
      newReplicaSetReplicas(deploymentOf({ replicas: 4, strategy: [surge, 0] }), { all: of(...all), current }),
    ).toBe(size);
  });

  test("as large as desired with Recreate, whatever else there is", () => {
    expect(newReplicaSetReplicas(deploymentOf({ replicas: 4, strategy: "Recreate" }), { all: of(4), current: 0 })).toBe(
      4,
    );
  });

  test("without bounds takes no surge", () => {
    const unbound = deploymentOf({ replicas: 4, spec: { strategy: { type: "RollingUpdate" } } });
    expect(newReplicaSetReplicas(unbound, { all: of(4, 0), current: 0 })).toBe(0);
  });

  test("nothing without a strategy that is known", () => {
    const { spec: _, ...bare } = deploymentOf();
    expect(() => newReplicaSetReplicas(bare, { all: [], current: 0 })).toThrow(
      "deployment type undefined isn't supported",
    );
    const odd = deploymentOf({ spec: { strategy: { type: "BlueGreen" } } });
    expect(() => newReplicaSetReplicas(odd, { all: [], current: 0 })).toThrow(
      "deployment type BlueGreen isn't supported",
    );
  });
});
