/** Verbs on small objects, and the errors common to all kinds. */
import { configMap, del, get, patch, paths, pod, post, put, watching, workload, type Table } from "../case.ts";

const { configmaps, pods, replicasets, secrets, leases, events } = paths;

export const basics: Table = {
  name: "basics",
  cases: [
    {
      name: "creates a ConfigMap and returns it",
      steps: [post(configmaps, configMap("a", { k: "v" })), get(`${configmaps}/a`)],
    },
    { name: "creates an empty ConfigMap", steps: [post(configmaps, configMap("a"))] },
    { name: "generates a name", steps: [post(configmaps, { metadata: { generateName: "x-" } })] },
    {
      name: "rejects an existing name",
      steps: [post(configmaps, configMap("a")), post(configmaps, configMap("a"))],
    },
    { name: "rejects an invalid name", steps: [post(configmaps, configMap("A_b"))] },
    { name: "rejects an object without a name", steps: [post(configmaps, { metadata: {} })] },
    { name: "rejects a name of 254 bytes", steps: [post(configmaps, configMap("a".repeat(254)))] },
    {
      name: "rejects a namespace other than the path's",
      steps: [post(configmaps, { metadata: { name: "a", namespace: "other" } })],
    },
    {
      name: "rejects a missing namespace",
      steps: [post("/api/v1/namespaces/nowhere/configmaps", configMap("a"))],
    },
    {
      name: "rejects a resourceVersion on create",
      steps: [post(configmaps, { metadata: { name: "a", resourceVersion: "5" } })],
    },
    {
      name: "rejects another kind",
      steps: [post(configmaps, { kind: "Secret", apiVersion: "v1", metadata: { name: "a" } })],
    },
    {
      name: "rejects another version",
      steps: [post(configmaps, { kind: "ConfigMap", apiVersion: "v2", metadata: { name: "a" } })],
    },
    {
      name: "rejects an unknown kind",
      steps: [post(configmaps, { kind: "Foo", apiVersion: "v1", metadata: { name: "a" } })],
    },
    { name: "rejects truncated JSON", steps: [post(configmaps, '{"metadata":')] },
    { name: "rejects invalid JSON", steps: [post(configmaps, "hello")] },
    { name: "rejects an empty body", steps: [post(configmaps, "")] },
    { name: "rejects a list as an object", steps: [post(configmaps, "[]")] },
    { name: "rejects a string as an object", steps: [post(configmaps, '"x"')] },
    { name: "rejects a wrong type in data", steps: [post(configmaps, { metadata: { name: "a" }, data: { k: 1 } })] },
    { name: "rejects data that is a list", steps: [post(configmaps, { metadata: { name: "a" }, data: [] })] },
    { name: "rejects a wrong type in metadata", steps: [post(configmaps, { metadata: { name: 5 } })] },
    { name: "rejects labels of a wrong type", steps: [post(configmaps, { metadata: { name: "a", labels: "x" } })] },
    {
      name: "rejects a wrong type in a pod's spec",
      steps: [post(pods, { metadata: { name: "a" }, spec: { hostNetwork: "yes", containers: [] } })],
    },
    {
      name: "rejects a wrong type in a container",
      steps: [post(pods, { metadata: { name: "a" }, spec: { containers: [{ name: "c", image: 5 }] } })],
    },
    {
      name: "warns of unknown fields by default",
      steps: [post(configmaps, { metadata: { name: "a" }, foo: 1, data: {} })],
    },
    {
      name: "ignores unknown fields with fieldValidation Ignore",
      steps: [post(configmaps, { metadata: { name: "a" }, foo: 1 }, "fieldValidation=Ignore")],
    },
    {
      name: "rejects unknown fields with fieldValidation Strict",
      steps: [post(configmaps, { metadata: { name: "a", bar: 2 }, foo: 1 }, "fieldValidation=Strict")],
    },
    {
      name: "rejects an invalid fieldValidation",
      steps: [post(configmaps, configMap("a"), "fieldValidation=Sometimes")],
    },
    {
      name: "warns of nested unknown fields",
      steps: [post(pods, pod("a", {}, { containers: [{ name: "c", image: "i", foo: 1 }] }))],
    },
    {
      name: "stores nothing in a dry run",
      steps: [post(configmaps, configMap("a"), "dryRun=All"), get(`${configmaps}/a`)],
    },
    {
      name: "rejects a resourceVersion of a new object, except in a dry run",
      steps: [
        post(configmaps, { metadata: { name: "a", resourceVersion: "7" } }),
        post(configmaps, { metadata: { name: "a", resourceVersion: "7" } }, "dryRun=All"),
      ],
    },
    { name: "rejects an invalid dryRun", steps: [post(configmaps, configMap("a"), "dryRun=Some")] },
    {
      name: "rejects a field manager that is too long",
      steps: [post(configmaps, configMap("a"), `fieldManager=${"x".repeat(129)}`)],
    },
    {
      name: "does not find a missing object",
      steps: [get(`${configmaps}/nope`), del(`${configmaps}/nope`), get(`${replicasets}/nope`)],
    },
    {
      name: "does not find a resource that is not served",
      steps: [get("/api/v1/namespaces/{ns}/nopes"), get("/apis/nope/v1/things"), get("/apis/apps/v9/deployments")],
    },
    { name: "does not find a path outside the API", steps: [get("/nope"), get("/api/v2"), get("/apis/nope")] },
    {
      name: "does not allow verbs that a path does not have",
      steps: [
        put(configmaps, configMap("a")),
        patch("merge", configmaps, {}),
        post(`${configmaps}/a`, configMap("a")),
        post("/api/v1/configmaps", configMap("a")),
        del("/api/v1/namespaces"),
      ],
    },
    {
      name: "replaces an object",
      steps: [
        post(configmaps, configMap("a", { k: "v" })),
        put(`${configmaps}/a`, configMap("a", { k: "w" })),
        get(`${configmaps}/a`),
      ],
    },
    {
      name: "replaces an object only with its current version",
      steps: [
        post(configmaps, configMap("a", { k: "v" })),
        put(`${configmaps}/a`, {
          metadata: { name: "a", resourceVersion: "{0.metadata.resourceVersion}" },
          data: { k: "w" },
        }),
        put(`${configmaps}/a`, {
          metadata: { name: "a", resourceVersion: "{0.metadata.resourceVersion}" },
          data: { k: "x" },
        }),
      ],
    },
    {
      name: "an update without a change keeps the version",
      steps: [post(configmaps, configMap("a", { k: "v" })), put(`${configmaps}/a`, configMap("a", { k: "v" }))],
    },
    {
      name: "rejects an update with another uid",
      steps: [post(configmaps, configMap("a")), put(`${configmaps}/a`, { metadata: { name: "a", uid: "other" } })],
    },
    {
      name: "rejects an update with another name",
      steps: [post(configmaps, configMap("a")), put(`${configmaps}/a`, configMap("b"))],
    },
    {
      name: "rejects an update with another namespace",
      steps: [post(configmaps, configMap("a")), put(`${configmaps}/a`, { metadata: { name: "a", namespace: "b" } })],
    },
    { name: "rejects an update of a missing object", steps: [put(`${configmaps}/a`, configMap("a"))] },
    {
      name: "rejects a version that is not a number",
      steps: [
        post(configmaps, configMap("a")),
        put(`${configmaps}/a`, { metadata: { name: "a", resourceVersion: "abc" } }),
      ],
    },
    {
      name: "keeps creationTimestamp and uid in an update",
      steps: [
        post(configmaps, configMap("a")),
        put(`${configmaps}/a`, {
          metadata: { name: "a", creationTimestamp: "2020-01-01T00:00:00Z", labels: { x: "y" } },
        }),
      ],
    },
    {
      name: "a Lease is created by a PUT, and then updated only with its version",
      steps: [
        put(`${leases}/a`, { metadata: { name: "a" }, spec: { holderIdentity: "me" } }),
        put(`${leases}/a`, { metadata: { name: "a" }, spec: { holderIdentity: "you" } }),
      ],
    },
    {
      name: "a Lease with times in microseconds",
      steps: [
        post(leases, {
          metadata: { name: "a" },
          spec: {
            holderIdentity: "me",
            leaseDurationSeconds: 15,
            acquireTime: "2026-01-02T03:04:05.123456Z",
            renewTime: "2026-01-02T03:04:05Z",
            leaseTransitions: 0,
          },
        }),
      ],
    },
    {
      name: "deletes a ConfigMap and returns a Status",
      steps: [post(configmaps, configMap("a")), del(`${configmaps}/a`), get(`${configmaps}/a`)],
    },
    {
      name: "deletes a pod without a node immediately",
      steps: [post(pods, pod("a")), del(`${pods}/a`), get(`${pods}/a`)],
    },
    {
      name: "deletes only the given uid",
      steps: [
        post(configmaps, configMap("a")),
        del(`${configmaps}/a`, { preconditions: { uid: "other" } }),
        del(`${configmaps}/a`, { preconditions: { uid: "{0.metadata.uid}" } }),
      ],
    },
    {
      name: "deletes only the given version",
      steps: [
        post(configmaps, configMap("a")),
        del(`${configmaps}/a`, { preconditions: { resourceVersion: "1" } }),
        del(`${configmaps}/a`, { preconditions: { resourceVersion: "{0.metadata.resourceVersion}" } }),
      ],
    },
    {
      name: "rejects an invalid propagation policy",
      steps: [
        post(configmaps, configMap("a")),
        del(`${configmaps}/a`, { propagationPolicy: "Sometimes" }),
        del(`${configmaps}/a`, { propagationPolicy: "Orphan", orphanDependents: true }),
      ],
    },
    {
      name: "rejects delete options of another kind",
      steps: [
        post(configmaps, configMap("a")),
        del(`${configmaps}/a`, { kind: "Pod", apiVersion: "v1" }),
        del(`${configmaps}/a`, "{"),
      ],
    },
    {
      name: "a dry run of a deletion deletes nothing",
      steps: [
        post(configmaps, configMap("a")),
        del(`${configmaps}/a`, undefined, "dryRun=All"),
        get(`${configmaps}/a`),
      ],
    },
    { name: "lists nothing", steps: [get(configmaps)] },
    {
      name: "lists sorted by name",
      steps: [
        post(configmaps, configMap("b")),
        post(configmaps, configMap("a")),
        post(configmaps, configMap("a-b")),
        get(configmaps),
      ],
    },
    {
      name: "sends a watch all changes since a version",
      steps: [
        post(configmaps, configMap("a")),
        patch("merge", `${configmaps}/a`, { data: { k: "v" } }),
        del(`${configmaps}/a`),
        watching(configmaps, 2, "resourceVersion={0.metadata.resourceVersion}"),
      ],
    },
    {
      name: "a Secret gets its type, and stringData is stored in data",
      steps: [
        post(secrets, { metadata: { name: "a" }, stringData: { k: "v" }, data: { l: "dg==" } }),
        get(`${secrets}/a`),
      ],
    },
    {
      name: "rejects a Secret with invalid base64",
      steps: [post(secrets, { metadata: { name: "a" }, data: { l: "???" } })],
    },
    {
      name: "an Event is stored unchanged",
      steps: [
        post(events, {
          metadata: { name: "a" },
          involvedObject: { kind: "Pod", namespace: "{ns}", name: "p" },
          reason: "Started",
          message: "m",
          type: "Normal",
          count: 1,
          firstTimestamp: "2026-01-02T03:04:05Z",
          lastTimestamp: "2026-01-02T03:04:05Z",
          source: { component: "kubelet" },
        }),
      ],
    },
    {
      name: "rejects an Event about another namespace",
      steps: [
        post(events, {
          metadata: { name: "a" },
          involvedObject: { kind: "Pod", namespace: "other", name: "p" },
          reason: "r",
        }),
      ],
    },
    { name: "a ReplicaSet with its defaults", steps: [post(replicasets, workload("a")), get(`${replicasets}/a`)] },
  ],
};
