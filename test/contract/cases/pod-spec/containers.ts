/** Containers: probes, hooks, environment variables. */
import { type Case } from "../../case.ts";
import { container, containers, pods, variables, type Json } from "./one-pod-each.ts";

const handlers: readonly Json[] = [
  {},
  { exec: {} },
  { exec: { command: [] }, httpGet: { port: 80 } },
  { httpGet: { port: "not a port", scheme: "FTP", httpHeaders: [{ name: "a b", value: "c" }] } },
  { httpGet: { port: 0 } },
  { tcpSocket: { port: 65536 } },
  { tcpSocket: { port: "UPPER--" } },
];

export const probes: readonly Case[] = [
  containers(
    "probe handlers",
    ...handlers.map((livenessProbe) => ({ livenessProbe })),
    { livenessProbe: { grpc: { port: 0 }, tcpSocket: { port: 80 } } },
    { livenessProbe: { grpc: { port: 70000 } } },
  ),
  containers(
    "probe times and thresholds",
    {
      livenessProbe: {
        exec: { command: ["c"] },
        initialDelaySeconds: -1,
        timeoutSeconds: -1,
        periodSeconds: -1,
        successThreshold: 2,
        failureThreshold: -1,
        terminationGracePeriodSeconds: 0,
      },
    },
    { readinessProbe: { exec: { command: ["c"] }, successThreshold: 2, terminationGracePeriodSeconds: 1 } },
    { startupProbe: { exec: { command: ["c"] }, successThreshold: 2, terminationGracePeriodSeconds: -1 } },
  ),
  containers(
    "lifecycle hooks",
    ...handlers.map((postStart) => ({ lifecycle: { postStart } })),
    { lifecycle: { preStop: { sleep: { seconds: 31 } }, postStart: { sleep: { seconds: -1 } } } },
    { lifecycle: { preStop: { sleep: { seconds: 0 }, exec: { command: ["c"] } } } },
    { lifecycle: {} },
  ),
  pods(
    "probes and hooks of init containers",
    {
      initContainers: [
        { name: "i", image: "i", lifecycle: {}, livenessProbe: {}, readinessProbe: {}, startupProbe: {} },
      ],
    },
    {
      initContainers: [
        { name: "i", image: "i", restartPolicy: "Always", lifecycle: { preStop: {} }, startupProbe: {} },
      ],
    },
  ),
];

export const environment: readonly Case[] = [
  containers(
    "names of environment variables",
    { env: [{ name: "" }, { name: "a=b" }, { name: "ä" }, { name: "1 2" }] },
    { envFrom: [{ prefix: "a=", configMapRef: { name: "m" } }] },
  ),
  containers(
    "sources of environment variables",
    { env: [{ name: "A", valueFrom: {} }] },
    { env: [{ name: "A", value: "b", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }] },
    { env: [{ name: "A", valueFrom: { configMapKeyRef: {}, secretKeyRef: { name: "A_b", key: "a b" } } }] },
    { envFrom: [{}, { configMapRef: {}, secretRef: { name: "A_b" } }, { secretRef: { name: "" } }] },
  ),
  variables(
    "fieldRef",
    { fieldRef: { apiVersion: "v2", fieldPath: "metadata.name" } },
    { fieldRef: { fieldPath: "" } },
    { fieldRef: { fieldPath: "metadata.labels" } },
    { fieldRef: { fieldPath: "metadata.labels['a b']" } },
    { fieldRef: { fieldPath: "metadata.annotations['A/b']" } },
    { fieldRef: { fieldPath: "metadata.name['a']" } },
    { fieldRef: { fieldPath: "spec.host" } },
    { fieldRef: { fieldPath: "status.phase" } },
    { fieldRef: { fieldPath: "status.startTime" } },
  ),
  variables(
    "resourceFieldRef",
    { resourceFieldRef: {} },
    { resourceFieldRef: { resource: "limits.gpu" } },
    { resourceFieldRef: { resource: "limits.cpu", divisor: "2" } },
    { resourceFieldRef: { resource: "requests.memory", divisor: "1m" } },
    { resourceFieldRef: { resource: "requests.ephemeral-storage", divisor: "2Gi" } },
    { resourceFieldRef: { resource: "limits.hugepages-2Mi", divisor: "3" } },
    { resourceFieldRef: { resource: "limits.hugepages-2Mi", divisor: "1Mi" } },
  ),
  variables(
    "variables from files",
    { fileKeyRef: {} },
    { fileKeyRef: { key: "a=b", volumeName: "A_b", path: "../a" } },
    { fileKeyRef: { key: "a", volumeName: "v", path: "a" } },
  ),
  pods("files of variables are in volumes of the same pod", {
    volumes: [{ name: "v", configMap: { name: "m" } }],
    containers: [
      { ...container, env: [{ name: "A", valueFrom: { fileKeyRef: { key: "a", volumeName: "v", path: "a" } } }] },
    ],
  }),
];
