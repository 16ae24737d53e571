/** LimitRanges: their effect on new and updated containers, pods and claims. */
import { type Case, del, get, patch, paths, pod, post, settle, type Step, type Table } from "../case.ts";

type Json = Readonly<Record<string, unknown>>;

const { pods, limitranges, persistentvolumeclaims: claims } = paths;

const limited = (...limits: readonly Json[]): Step[] => [
  post(limitranges, { metadata: { name: "l" }, spec: { limits } }),
  settle,
];

/** A container with CPU requests and limits such as `100m/1`; an empty part is omitted. */
function container(name: string, cpu: string, more: Json = {}): Json {
  const [request = "", limit = ""] = cpu.split("/");
  const requests = request === "" ? {} : { requests: { cpu: request } };
  return { name, image: "i", resources: { ...requests, ...(limit === "" ? {} : { limits: { cpu: limit } }) }, ...more };
}

const podOf = (containers: readonly Json[], more: Json = {}): unknown => pod("a", {}, { containers, ...more });
const tried = (...bodies: readonly unknown[]): Step[] => bodies.map((body) => post(pods, body, "dryRun=All"));
const two = [container("c", "300m/600m"), container("d", "300m/600m")];

const claim = (storage: string, metadata: Json = {}): unknown => ({
  metadata: { name: "a", ...metadata },
  spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage } } },
});
const resized = (cpu: string, query?: string): Step =>
  patch("strategic", `${pods}/a/resize`, { spec: { containers: [container("c", cpu)] } }, query);

const cases: readonly Case[] = [
  {
    name: "containers below the minimum, above the maximum, or both",
    steps: [
      ...limited({ type: "Container", min: { cpu: "100m" }, max: { cpu: "1" } }),
      ...tried(...["50m/1", "0.1/1", "1/1500m", "/1000m", "50m/2", ""].map((cpu) => podOf([container("c", cpu)]))),
      ...tried(podOf([container("c", "50m/1"), container("d", "60m/1")])),
      ...tried(podOf([container("c", "500m/1")], { initContainers: [container("i", "500m/2")] })),
    ],
  },
  {
    name: "containers whose limit exceeds the ratio to their request",
    steps: [
      ...limited({ type: "Container", maxLimitRequestRatio: { cpu: "2" } }),
      ...tried(...["300m/1", "500m/1", "", "1", "0/1"].map((cpu) => podOf([container("c", cpu)]))),
    ],
  },
  {
    name: "pods below the minimum or above the maximum in total",
    steps: [
      ...limited({ type: "Pod", min: { cpu: "500m" }, max: { cpu: "2" } }),
      ...tried(
        podOf(two),
        podOf([container("c", "100m/1")]),
        podOf([container("c", "")]),
        podOf(two, { initContainers: [container("i", "1/3")] }),
        podOf(two, { initContainers: [container("s", "1/1", { restartPolicy: "Always" })] }),
        podOf(two, { resources: { requests: { cpu: "1" }, limits: { cpu: "3" } } }),
        podOf([container("not a name", "1/3")]),
      ),
    ],
  },
  {
    name: "pods whose limit exceeds the ratio to their request",
    steps: [
      ...limited({ type: "Pod", maxLimitRequestRatio: { cpu: "1.5" } }),
      ...tried(podOf(two), podOf([container("c", "1/1500m")])),
    ],
  },
  {
    name: "claims below the minimum and above the maximum",
    steps: [
      ...limited({ type: "PersistentVolumeClaim", min: { storage: "2Gi" }, max: { storage: "4Gi" } }),
      ...["1Gi", "5Gi", "4Gi"].map((storage) => post(claims, claim(storage), "dryRun=All")),
    ],
  },
  {
    name: "a claim created before the LimitRange",
    steps: [
      post(claims, claim("5Gi", { finalizers: ["example.com/held"] })),
      ...limited({ type: "PersistentVolumeClaim", max: { storage: "4Gi" } }),
      patch("merge", `${claims}/a`, { metadata: { labels: { a: "b" } } }),
      del(`${claims}/a`),
      patch("merge", `${claims}/a`, { metadata: { labels: { a: "b" } } }),
    ],
  },
  {
    name: "a pod resized beyond its limits",
    steps: [
      post(pods, podOf([container("c", "100m/500m")])),
      ...limited({ type: "Container", max: { cpu: "1" } }, { type: "Pod", min: { cpu: "50m" } }),
      resized("100m/2"),
      resized("10m/1"),
      resized("100m/1"),
      patch("merge", `${pods}/a`, { metadata: { labels: { a: "b" } } }),
    ],
  },
  {
    name: "a pod resized after defaults were added",
    steps: [
      post(pods, podOf([container("c", "100m/500m")])),
      ...limited({ type: "Container", default: { memory: "1Gi" }, defaultRequest: { memory: "1Mi" } }),
      resized("200m/500m"),
      get(`${pods}/a`),
    ],
  },
  {
    name: "a pod resized while it is terminating",
    steps: [
      post(pods, pod("a", { finalizers: ["example.com/held"] }, { containers: [container("c", "100m/500m")] })),
      ...limited({ type: "Container", max: { cpu: "1" } }),
      del(`${pods}/a`),
      resized("100m/2"),
    ],
  },
];

export const limitCases: Table = { name: "limits", sideBySide: true, cases };
