import { expect, test } from "bun:test";
import { EndpointSlices, Pods, Services } from "../../src/api/kinds.ts";
import type { Item } from "../../src/diagnosis/diagnosis.ts";
import { diagnose, type Json, objectOf } from "./world.ts";

const labels = { app: "web" };
const podOf = (name: string, ready: boolean): Item => ({
  kind: Pods,
  object: objectOf(name, {
    meta: { labels },
    spec: { nodeName: "n", containers: [{ name: "c" }] },
    status: { phase: "Running", conditions: [{ type: "Ready", status: ready ? "True" : "False" }] },
  }),
});
const sliceOf = (addresses: readonly string[], ports: readonly Json[] = []): Item => ({
  kind: EndpointSlices,
  object: objectOf("web-x", {
    meta: { labels: { "kubernetes.io/service-name": "web" } },
    endpoints: addresses.map((address) => ({ addresses: [address], conditions: { ready: true } })),
    ports,
  }),
});
const service = (spec: Json): ReturnType<typeof objectOf> => objectOf("web", { spec: { selector: labels, ...spec } });

test("a Service that publishes pods that are not ready does not call them ready", () => {
  const items = [podOf("a", false), podOf("b", true), sliceOf(["10.0.0.1", "10.0.0.2"])];
  const diagnosis = diagnose(Services, service({ publishNotReadyAddresses: true }), { items });
  expect(diagnosis).toMatchObject({
    is: "well",
    says: "2 endpoints, and 1 of 2 pods are ready (publishNotReadyAddresses)",
  });
});

test.each([
  {
    lacks: "a port",
    spec: {
      ports: [
        { port: 80, targetPort: "http" },
        { name: "b", port: 81 },
      ],
    },
    says: "1 of 2 ports leads nowhere; 1 of 1 pod is ready",
  },
  {
    lacks: "a load balancer",
    spec: { type: "LoadBalancer" },
    says: "it has no load balancer yet; 1 of 1 pod is ready",
  },
])("a Service without $lacks says that first", ({ spec, says }) => {
  const diagnosis = diagnose(Services, service(spec), { items: [podOf("a", true), sliceOf(["10.0.0.1"])] });
  expect(diagnosis).toMatchObject({ is: "waiting", says });
});

test("a port that only some pods have is noted", () => {
  const half = (name: string, address: string, port: number | undefined): Item => {
    const { kind, object } = sliceOf([address], [{ name: "web", ...(port !== undefined && { port }) }]);
    return { kind, object: { ...object, metadata: { ...object.metadata, name, uid: name } } };
  };
  const items = [
    podOf("a", true),
    podOf("b", true),
    half("web-x", "10.0.0.1", 8080),
    half("web-y", "10.0.0.2", undefined),
  ];
  const diagnosis = diagnose(Services, service({ ports: [{ name: "web", port: 80, targetPort: "http" }] }), { items });
  expect(diagnosis).toMatchObject({
    is: "well",
    says: "2 of 2 pods are ready",
    notes: ["port 80 leads to 1 of 2 ready pods: 1 pod has no port named http"],
  });
});

test("a Service without a selector and endpoints claims no writer", () => {
  const diagnosis = diagnose(Services, objectOf("web", { spec: {} }), {});
  expect(diagnosis.says).toBe("it has no endpoints, and selects no pods");
});
