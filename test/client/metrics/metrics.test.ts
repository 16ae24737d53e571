import { describe, expect, test } from "bun:test";
import { StatusError } from "../../../src/api/status-error.ts";
import {
  customMetric,
  customMetricsVersion,
  externalMetric,
  type MetricsReader,
  podUsage,
} from "../../../src/client/metrics/metrics.ts";
import { rejection } from "../../support/rejection.ts";

/** A reader that returns one document or throws an error, and records the requested paths. */
function reader(document: unknown): MetricsReader & { readonly paths: string[] } {
  const paths: string[] = [];
  const raw = async (path: string): Promise<unknown> => {
    paths.push(path);
    if (document instanceof Error) throw document;
    return document;
  };
  return { paths, raw };
}

const refused = (code: number): StatusError => new StatusError(code, { code });
const timestamp = "2026-11-21T10:00:00Z";
const measuredAt = Date.UTC(2026, 10, 21, 10);

describe("usage of pods", () => {
  test("has the containers' resources and the time of the measurement", async () => {
    const containers = [{ name: "web", usage: { cpu: "250m", memory: "1Mi" } }];
    const client = reader({ items: [{ metadata: { name: "web-1" }, timestamp, window: "1m30.5s", containers }] });
    expect(await podUsage(client, { namespace: "shop", labelSelector: "app in (a,b)" })).toEqual([
      { pod: "web-1", timestamp: measuredAt, windowMs: 90_500, containers },
    ]);
    expect(client.paths).toEqual([
      "/apis/metrics.k8s.io/v1beta1/namespaces/shop/pods?labelSelector=app+in+%28a%2Cb%29",
    ]);
  });

  test("reports a missing API as client-go does", async () => {
    const messageAfter = async (code: number): Promise<string> =>
      (await rejection(podUsage(reader(refused(code)), { namespace: "shop", labelSelector: "" }))).message;
    expect(await messageAfter(404)).toBe("the server could not find the requested resource (get pods.metrics.k8s.io)");
    expect(await messageAfter(503)).toBe(
      "the server is currently unable to handle the request (get pods.metrics.k8s.io)",
    );
  });

  test("keeps the server's message if it refuses", async () => {
    const own = new StatusError(403, { kind: "Status", code: 403, message: "not you" });
    expect(await rejection(podUsage(reader(own), { namespace: "shop", labelSelector: "" }))).toBe(own);
  });
});

describe("custom metrics", () => {
  const query = { version: "v1beta2", namespace: "shop", metric: "qps", metricSelector: "" };

  test("of pods are requested for all that match a selector", async () => {
    const client = reader({
      items: [{ describedObject: { name: "a" }, timestamp, windowSeconds: 30, value: "1500m" }],
    });
    const of = { labelSelector: "app=web" };
    expect(await customMetric(client, { ...query, resource: "pods", of, metricSelector: "path=/" })).toEqual([
      { object: "a", timestamp: measuredAt, windowMs: 30_000, value: "1500m" },
    ]);
    expect(client.paths).toEqual([
      "/apis/custom.metrics.k8s.io/v1beta2/namespaces/shop/pods/*/qps?labelSelector=app%3Dweb&metricLabelSelector=path%3D%2F",
    ]);
  });

  test("of the first version have their window elsewhere, or none", async () => {
    const client = reader({ items: [{ window: 60, value: "1" }, { value: "2" }] });
    const of = { name: "web" };
    const found = await customMetric(client, { ...query, version: "v1beta1", resource: "services", of });
    expect(found.map(({ windowMs }) => windowMs)).toEqual([60_000, undefined]);
  });

  test("of a namespace have a separate path", async () => {
    const client = reader({ items: [] });
    await customMetric(client, { ...query, resource: undefined, of: "namespace" });
    expect(client.paths).toEqual(["/apis/custom.metrics.k8s.io/v1beta2/namespaces/shop/metrics/qps"]);
  });

  test.each([
    ["the preferred version", ["v1beta2", "v1beta1"], "v1beta1", "v1beta1"],
    ["a known one, where that is not known", ["v9", "v1beta2"], "v9", "v1beta2"],
  ])("are read at %s", async (_name, versions, preferred, chosen) => {
    const group = { name: "custom.metrics.k8s.io", versions: versions.map((version) => ({ version })) };
    const client = reader({ groups: [{ ...group, preferredVersion: { version: preferred } }] });
    expect(await customMetricsVersion(client)).toBe(chosen);
  });

  test("that are not served have no version", async () => {
    const none = await rejection(customMetricsVersion(reader({ groups: [] })));
    expect(none.message).toBe("no custom metrics API (custom.metrics.k8s.io) registered");
    const group = { name: "custom.metrics.k8s.io", versions: [{ version: "v9" }] };
    const unknown = await rejection(customMetricsVersion(reader({ groups: [group] })));
    expect(unknown.message).toBe("no known available metric versions found");
  });
});

test("external metrics are requested by name and by the labels of their series", async () => {
  const client = reader({ items: [{ metricName: "depth", timestamp, value: "18" }] });
  const found = await externalMetric(client, { namespace: "shop", metric: "depth", metricSelector: "queue=mail" });
  expect(found.map(({ value }) => value)).toEqual(["18"]);
  expect(client.paths).toEqual([
    "/apis/external.metrics.k8s.io/v1beta1/namespaces/shop/depth?labelSelector=queue%3Dmail",
  ]);
});
