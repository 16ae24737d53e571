/** Field managers, and the times of their entries. */
import { configMap, get, pass, patch, paths, post, put, workload, type Case, type Step, type Table } from "../case.ts";

const { configmaps, deployments } = paths;
const on = `${configmaps}/a`;
const by = (manager: string): string => `fieldManager=${manager}`;
const made = post(configmaps, configMap("a", { a: "1", b: "1" }), by("maker"));

const timed = (name: string, ...steps: readonly Step[]): Case => ({
  name: `the time of a manager: ${name}`,
  ordersTimes: true,
  steps: steps.flatMap((step, index) => (index === 0 ? [step] : [pass, step])),
});
const merge = (manager: string, body: unknown): Step => patch("merge", on, body, by(manager));

export const managers: Table = {
  name: "managers",
  cases: [
    timed(
      "changes with each value that it writes",
      made,
      merge("m", { data: { a: "2" } }),
      merge("m", { data: { a: "3" } }),
      get(on),
    ),
    timed(
      "is kept if nothing changes, or if it only removes fields",
      made,
      merge("m", { data: { a: "2", c: "1" } }),
      merge("m", { data: { a: "2" } }),
      merge("m", { data: { c: null } }),
      get(on),
    ),
    timed(
      "is kept when another manager takes a field",
      made,
      merge("m", { data: { a: "2" } }),
      put(on, configMap("a", { a: "2", b: "2" }), by("n")),
      get(on),
    ),
    timed(
      "is separate for status and spec",
      post(deployments, workload("a"), by("m")),
      patch("merge", `${deployments}/a/status`, { status: { replicas: 1 } }, by("m")),
      patch("merge", `${deployments}/a`, { spec: { replicas: 3 } }, by("m")),
      patch("merge", `${deployments}/a/status`, { status: { replicas: 2 } }, by("m")),
    ),
  ],
};
