import { describe, expect, test } from "bun:test";
import type { Pod, PodSpec } from "../../../src/api/types.ts";
import { isUpToDate, pinnedTo, podsFor, targetNodeOf } from "../../../src/controllers/daemonset/new-pod.ts";
import { daemonTolerations } from "../../../src/api/node-fit/daemon-tolerations.ts";
import { daemonSetOf, pendingPod, pinned, podOn } from "./objects.ts";

const generationOf = (text: string): object => ({
  annotations: { "deprecated.daemonset.template.generation": text },
});

describe("a new pod", () => {
  const pod = podsFor(daemonSetOf({ meta: generationOf("3") }), "abc")("node-1");

  test("has the template's labels, the hash, the template generation, and the set as its controller", () => {
    expect(pod.metadata).toEqual({
      generateName: "agent-",
      namespace: "shop",
      labels: { app: "agent", "pod-template-generation": "3", "controller-revision-hash": "abc" },
      ownerReferences: [
        {
          apiVersion: "apps/v1",
          kind: "DaemonSet",
          name: "agent",
          uid: "uid-agent",
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    });
  });

  test("is pinned to its node but not bound, and tolerates the taints for its node's conditions", () => {
    expect(pod.spec?.nodeName).toBeUndefined();
    expect(pod.spec?.affinity).toEqual((pinned("node-1") as PodSpec).affinity as object);
    expect(pod.spec?.tolerations).toEqual([
      { key: "node.kubernetes.io/not-ready", operator: "Exists", effect: "NoExecute" },
      { key: "node.kubernetes.io/unreachable", operator: "Exists", effect: "NoExecute" },
      { key: "node.kubernetes.io/disk-pressure", operator: "Exists", effect: "NoSchedule" },
      { key: "node.kubernetes.io/memory-pressure", operator: "Exists", effect: "NoSchedule" },
      { key: "node.kubernetes.io/pid-pressure", operator: "Exists", effect: "NoSchedule" },
      { key: "node.kubernetes.io/unschedulable", operator: "Exists", effect: "NoSchedule" },
    ]);
  });

  test("on the host network tolerates an unavailable network", () => {
    const added = daemonTolerations({ hostNetwork: true }).at(-1);
    expect(added).toEqual({ key: "node.kubernetes.io/network-unavailable", operator: "Exists", effect: "NoSchedule" });
    expect(daemonTolerations({}).length).toBe(6);
  });

  test("keeps the template's tolerations in their places, and makes a temporary one permanent", () => {
    const timed = {
      key: "node.kubernetes.io/not-ready",
      operator: "Exists",
      effect: "NoExecute",
      tolerationSeconds: 30,
    };
    const other = { key: "dedicated", operator: "Exists" };
    const { tolerationSeconds: _, ...forEver } = timed;
    const tolerations = daemonTolerations({ tolerations: [timed, other] });
    expect(tolerations.slice(0, 2)).toEqual([forEver, other]);
    expect(tolerations.length).toBe(7);
  });

  test("adds a toleration beside a different one with the same key", () => {
    const other = { key: "node.kubernetes.io/not-ready", operator: "Exists", effect: "NoSchedule" };
    expect(daemonTolerations({ tolerations: [other] }).length).toBe(7);
  });

  test.each([
    { name: "without the annotation", meta: {} },
    { name: "with an annotation that is not a number", meta: generationOf("three") },
  ])("$name has no label of the template's generation", ({ meta }) => {
    const labels = podsFor(daemonSetOf({ meta }), "abc")("node-1").metadata.labels;
    expect(labels).toEqual({ app: "agent", "controller-revision-hash": "abc" });
  });
});

describe("the affinity of a new pod", () => {
  const required = (pinned("node-1") as { affinity: { nodeAffinity: object } }).affinity.nodeAffinity;

  test("replaces the template's required node affinity", () => {
    const other = { nodeSelectorTerms: [{ matchExpressions: [{ key: "disk", operator: "Exists" }] }] };
    const affinity = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: other } };
    expect(pinnedTo("node-1", affinity)).toEqual({ nodeAffinity: required });
  });

  test("keeps preferences and the affinity to pods unchanged", () => {
    const preferred = [{ weight: 1, preference: { matchExpressions: [{ key: "disk", operator: "Exists" }] } }];
    const podAffinity = { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: "zone" }] };
    const given = { podAffinity, nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: preferred } };
    expect(pinnedTo("node-1", given)).toEqual({
      podAffinity,
      nodeAffinity: { ...required, preferredDuringSchedulingIgnoredDuringExecution: preferred },
    });
  });
});

describe("the node of a pod", () => {
  const set = daemonSetOf();
  const fieldsOf = (...matchFields: readonly object[]): Pod => {
    const nodeAffinity = {
      requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{}, { matchFields }] },
    };
    const pod = pendingPod(set, "node-1");
    return { ...pod, spec: { containers: [], affinity: { nodeAffinity } } } as Pod;
  };

  test("is the one to which it is bound, whatever its affinity says", () => {
    expect(targetNodeOf(podOn(set, "node-1", { spec: pinned("node-2") }))).toBe("node-1");
  });

  test("is the one in its affinity while it is not bound", () => {
    expect(targetNodeOf(pendingPod(set, "node-2"))).toBe("node-2");
  });

  test.each([
    { name: "without affinity", fields: [] },
    { name: "with two names", fields: [{ key: "metadata.name", operator: "In", values: ["a", "b"] }] },
    { name: "with an excluded name", fields: [{ key: "metadata.name", operator: "NotIn", values: ["a"] }] },
    { name: "with another field", fields: [{ key: "metadata.uid", operator: "In", values: ["a"] }] },
  ])("is unknown $name", ({ fields }) => {
    expect(targetNodeOf(fieldsOf(...fields))).toBeUndefined();
  });
});

describe("whether a pod is up to date", () => {
  const counted = daemonSetOf({ meta: generationOf("3") });
  const podWith = (labels: Record<string, string>): Pod => podOn(counted, "node-1", { labels });

  test.each([
    { name: "by its hash", labels: { "controller-revision-hash": "abc" }, isCurrent: true },
    { name: "by the template generation", labels: { "pod-template-generation": "3" }, isCurrent: true },
    {
      name: "by its hash, with another generation",
      labels: { "controller-revision-hash": "abc", "pod-template-generation": "2" },
      isCurrent: true,
    },
    {
      name: "not with another hash and generation",
      labels: { "controller-revision-hash": "abd", "pod-template-generation": "2" },
      isCurrent: false,
    },
    { name: "not without either", labels: {}, isCurrent: false },
  ])("$name", ({ labels, isCurrent }) => {
    expect(isUpToDate(podWith(labels), { set: counted, hash: "abc" })).toBe(isCurrent);
  });

  test("not by a generation if the set has none", () => {
    const pod = podWith({ "pod-template-generation": "3" });
    expect(isUpToDate(pod, { set: daemonSetOf(), hash: "abc" })).toBe(false);
  });
});
