/** Server-side apply of every kind: created, extended by another manager, taken over by force, given up; and kinds with two versions. */
import { apply, type Case, get, patch, paths, post, type Table } from "../case.ts";
import { loadApiData } from "../../../src/api/wire/load.ts";
import { resourceRegistryOf } from "../../../src/sandbox/registry/resource.ts";
import { clusterExamples } from "../wild/cluster.ts";
import { coreExamples } from "../wild/core.ts";
import type { Example } from "../wild/example.ts";
import { workloadExamples } from "../wild/workloads.ts";

type Json = Record<string, unknown>;

const registry = resourceRegistryOf(await loadApiData());

function caseOf({ apiVersion, plural, namespaced, body, name }: Example): Case {
  const kind = registry.find(apiVersion, plural)?.kind;
  const own = namespaced ? "a" : (name ?? "{n}").replace("{n}", "{ns}-a").replace("{i}", "77");
  const root = apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const path = `${root}${namespaced ? "/namespaces/{ns}" : ""}/${plural}/${own}`;
  const { metadata, ...rest } = body as Json & { metadata?: Json };
  const configuration = (fields: Json, labels: Json): Json => ({
    apiVersion,
    kind,
    ...fields,
    metadata: { ...metadata, name: own, labels },
  });
  return {
    name: `apply of ${apiVersion} ${plural}`,
    steps: [
      apply(path, "one", configuration(rest, { x: "1" })),
      apply(path, "two", configuration({}, { x: "2", y: "1" })),
      apply(path, "two", configuration({}, { x: "2", y: "1" }), "force=true"),
      apply(path, "one", configuration(rest, {})),
      apply(path, "two", configuration({}, {})),
    ],
  };
}

const scaler = (version: "v1" | "v2"): string =>
  `/apis/autoscaling/${version}/namespaces/{ns}/horizontalpodautoscalers/a`;
const target = { apiVersion: "apps/v1", kind: "Deployment", name: "d" };
const cpu = (percent: number): Json => ({
  type: "Resource",
  resource: { name: "cpu", target: { type: "Utilization", averageUtilization: percent } },
});
const scalerOf = (version: "v1" | "v2", spec: Json): Json => ({
  apiVersion: `autoscaling/${version}`,
  kind: "HorizontalPodAutoscaler",
  metadata: { name: "a" },
  spec,
});

const versions: readonly Case[] = [
  {
    name: "apply of two versions: the manager is one",
    steps: [
      apply(scaler("v1"), "one", scalerOf("v1", { scaleTargetRef: target, maxReplicas: 5, minReplicas: 2 })),
      apply(scaler("v2"), "one", scalerOf("v2", { scaleTargetRef: target, maxReplicas: 5 })),
      get(scaler("v2")),
    ],
  },
  {
    name: "apply of two versions: conflicts across them",
    steps: [
      apply(scaler("v1"), "one", scalerOf("v1", { scaleTargetRef: target, maxReplicas: 5 })),
      apply(scaler("v2"), "two", scalerOf("v2", { maxReplicas: 6 })),
      apply(scaler("v2"), "two", scalerOf("v2", { maxReplicas: 6 }), "force=true"),
      get(scaler("v1")),
    ],
  },
  {
    name: "apply of two versions: metrics that one of them has otherwise",
    steps: [
      apply(
        scaler("v1"),
        "one",
        scalerOf("v1", { scaleTargetRef: target, maxReplicas: 5, targetCPUUtilizationPercentage: 50 }),
      ),
      apply(scaler("v2"), "two", scalerOf("v2", { metrics: [cpu(60)] })),
      apply(scaler("v2"), "two", scalerOf("v2", { metrics: [cpu(60)] }), "force=true"),
      apply(scaler("v1"), "one", scalerOf("v1", { scaleTargetRef: target, maxReplicas: 5 })),
      get(scaler("v2")),
    ],
  },
  {
    name: "apply of two versions: updates by one",
    steps: [
      post(
        "/apis/autoscaling/v2/namespaces/{ns}/horizontalpodautoscalers",
        scalerOf("v2", { scaleTargetRef: target, maxReplicas: 5 }),
        "fieldManager=maker",
      ),
      apply(scaler("v1"), "one", scalerOf("v1", { maxReplicas: 7 })),
      apply(scaler("v1"), "one", scalerOf("v1", { maxReplicas: 7 }), "force=true"),
      patch("merge", scaler("v2"), { spec: { maxReplicas: 8 } }, "fieldManager=three"),
      get(scaler("v1")),
    ],
  },
  {
    name: "apply of Events of two groups",
    steps: [
      post(
        paths.events,
        { metadata: { name: "a" }, involvedObject: { kind: "Pod", name: "p", namespace: "{ns}" }, reason: "R" },
        "fieldManager=maker",
      ),
      apply("/apis/events.k8s.io/v1/namespaces/{ns}/events/a", "one", {
        apiVersion: "events.k8s.io/v1",
        kind: "Event",
        metadata: { name: "a", labels: { x: "1" } },
      }),
      get(`${paths.events}/a`),
      apply(`${paths.events}/a`, "two", {
        apiVersion: "v1",
        kind: "Event",
        metadata: { name: "a", labels: { x: "2" } },
      }),
      get(`${paths.events}/a`),
    ],
  },
];

/** The ports of Services are random; Events have their own cases above. */
const leftOut = new Set(["v1 events", "v1 services"]);

export const appliedKinds: Table = {
  name: "apply-kinds",
  cases: [
    ...[...coreExamples, ...workloadExamples, ...clusterExamples]
      .filter(
        ({ apiVersion, plural }) =>
          registry.find(apiVersion, plural)?.verbs.has("patch") && !leftOut.has(`${apiVersion} ${plural}`),
      )
      .map(caseOf),
    ...versions,
  ],
};
