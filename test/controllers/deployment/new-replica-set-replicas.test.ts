import { describe, expect, test } from "bun:test";
import { newReplicaSetReplicas } from "../../../src/controllers/deployment/new-replica-set-replicas.ts";
import { deploymentOf, setOf } from "./objects.ts";

// Source: kubernetes v1.36 pkg/controller/deployment/util/deployment_util.go NewRSNewReplicas.
describe("the new ReplicaSet of a Deployment of 4 can be", () => {
  const of = (...sizes: readonly number[]): ReturnType<typeof setOf>[] =>
    sizes.map((size, n) => setOf(`v${n}`, { size }));

  test.each([
    { name: "as large as desired if there is room", surge: 1, all: [0], current: 0, size: 4 },
    { name: "as large as the surge permits", surge: 1, all: [4, 0], current: 0, size: 1 },
    { name: "no larger without room", surge: 1, all: [4, 1], current: 1, size: 1 },
    { name: "no smaller if it uses all room itself", surge: 1, all: [5], current: 5, size: 5 },
    { name: "no smaller if there are more pods than room", surge: 1, all: [4, 3], current: 3, size: 3 },
  ])("$name", ({ surge, all, current, size }) => {
    expect(
      newReplicaSetReplicas(deploymentOf({ replicas: 4, strategy: [surge, 0] }), { all: of(...all), current }),
    ).toBe(size);
  });

  test("as large as desired with Recreate, whatever else exists", () => {
    expect(newReplicaSetReplicas(deploymentOf({ replicas: 4, strategy: "Recreate" }), { all: of(4), current: 0 })).toBe(
      4,
    );
  });

  test("without a surge if it has no bounds", () => {
    const unbound = deploymentOf({ replicas: 4, spec: { strategy: { type: "RollingUpdate" } } });
    expect(newReplicaSetReplicas(unbound, { all: of(4, 0), current: 0 })).toBe(0);
  });

  test("nothing with an unknown strategy", () => {
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
