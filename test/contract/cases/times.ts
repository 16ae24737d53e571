/** Times of creation, requested deletion and managers' writes: which requests change them and which do not. */
import { configMap, del, get, pass, patch, paths, pod, post, put, type Case, type Step, type Table } from "../case.ts";

const { configmaps, pods } = paths;

/** A second passes before each write, so that the times show which write set them. */
const timed = (name: string, ...steps: readonly Step[]): Case => ({
  name,
  ordersTimes: true,
  steps: steps.flatMap((step, index) => (index === 0 || step.method === "GET" ? [step] : [pass, step])),
});
const grace = (seconds: number): unknown => ({ gracePeriodSeconds: seconds });
const bind = post(`${pods}/a/binding`, {
  apiVersion: "v1",
  kind: "Binding",
  metadata: { name: "a" },
  target: { kind: "Node", name: "n" },
});

export const times: Table = {
  name: "times",
  cases: [
    timed(
      "the creationTimestamp is kept, whatever a client sends",
      post(configmaps, configMap("a", { a: "1" }, { creationTimestamp: "2020-01-01T00:00:00Z" })),
      put(`${configmaps}/a`, configMap("a", { a: "2" }, { creationTimestamp: "2020-01-01T00:00:00Z" })),
      get(`${configmaps}/a`),
    ),
    timed(
      "the deletionTimestamp of a pod is its first deletion plus the shortest grace period",
      post(pods, pod("a", {}, { nodeName: "n" })),
      del(`${pods}/a`, grace(40)),
      del(`${pods}/a`, grace(60)),
      del(`${pods}/a`, grace(20)),
      patch("merge", `${pods}/a`, { metadata: { labels: { x: "y" }, deletionTimestamp: "2020-01-01T00:00:00Z" } }),
      get(`${pods}/a`),
    ),
    timed(
      "an object with a finalizer keeps the time of its first deletion",
      post(configmaps, configMap("a", {}, { finalizers: ["example.com/a", "example.com/b"] })),
      del(`${configmaps}/a`),
      del(`${configmaps}/a`),
      patch("merge", `${configmaps}/a`, { metadata: { finalizers: ["example.com/a"] } }),
    ),
    timed(
      "condition times of a pod change when it is bound and when it is evicted",
      post(pods, pod("a")),
      bind,
      get(`${pods}/a`),
      post(`${pods}/a/eviction`, { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "a" } }),
      get(`${pods}/a`),
    ),
  ],
};
