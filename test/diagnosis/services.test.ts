import { expect, test } from "bun:test";
import { EndpointSlices, Pods, Services } from "../../src/api/kinds.ts";
import type { Item } from "../../src/diagnosis/diagnosis.ts";
import { answerAbout, type Json, objectOf } from "./world.ts";

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
  const answer = answerAbout(Services, service({ publishNotReadyAddresses: true }), { items });
  expect(answer).toMatchObject({
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
  const answer = answerAbout(Services, service(spec), { items: [podOf("a", true), sliceOf(["10.0.0.1"])] });
  expect(answer).toMatchObject({ is: "waiting", says });
});

test("a Service without a selector and endpoints claims no writer", () => {
  const answer = answerAbout(Services, objectOf("web", { spec: {} }), {});
  expect(answer.says).toBe("it has no endpoints, and selects no pods");
});
