/** Random contract cases: the same seed makes the same requests. */
import { below, type Random } from "../../src/platform/random.ts";
import { type Case, configMap, del, get, patch, paths, pod, post, put, workload, type Step } from "./case.ts";

function one<T>(random: Random, values: readonly T[]): T {
  return values[below(random, values.length)] as T;
}

const names = ["a", "b", "c", "d"];
const kinds = ["configmaps", "pods", "replicasets", "deployments", "services"] as const;
type Kind = (typeof kinds)[number];

function labels(random: Random): Record<string, string> {
  return Object.fromEntries(["x", "y"].filter(() => random.next() < 0.5).map((key) => [key, one(random, ["1", "2"])]));
}

function bodyOf(random: Random, kind: Kind, name: string): Record<string, unknown> {
  const metadata: Record<string, unknown> = { labels: labels(random) };
  if (random.next() < 0.15) metadata["finalizers"] = [one(random, ["example.com/a", "example.com/b"])];
  if (random.next() < 0.1) metadata["annotations"] = { note: one(random, ["p", "q"]) };
  const body = bare(random, kind, name);
  return { ...body, metadata: { ...(body["metadata"] as object), ...metadata } };
}

function bare(random: Random, kind: Kind, name: string): Record<string, unknown> {
  switch (kind) {
    case "configmaps":
      return configMap(name, { k: one(random, ["1", "2", "3"]) }) as Record<string, unknown>;
    case "pods":
      return pod(name, {}, random.next() < 0.5 ? { nodeName: "n" } : {}) as Record<string, unknown>;
    case "replicasets":
    case "deployments":
      return workload(name, { replicas: below(random, 4) - (random.next() < 0.05 ? 4 : 0) }) as Record<string, unknown>;
    case "services":
      return { metadata: { name }, spec: { ports: [{ port: 80 + below(random, 2) }], selector: labels(random) } };
  }
}

/** An earlier step's field, which a test fills in: its version is old by then, or is not. */
function version(random: Random, step: number): string {
  return `{${Math.max(0, step - 1 - below(random, 12))}.metadata.resourceVersion}`;
}

function patchOf(random: Random, kind: Kind): readonly [type: "json" | "merge" | "strategic", body: unknown] {
  const label = one(random, ["1", "2", null]);
  const choices: (readonly ["json" | "merge" | "strategic", unknown])[] = [
    ["merge", { metadata: { labels: { x: label } } }],
    ["strategic", { metadata: { labels: { y: label }, annotations: { note: one(random, ["p", null]) } } }],
    ["merge", { metadata: { finalizers: one(random, [null, ["example.com/a"], ["example.com/a", "example.com/b"]]) } }],
    ["json", [{ op: one(random, ["add", "replace", "remove"]), path: "/metadata/labels/x", value: "1" }]],
    [
      "json",
      [
        { op: "test", path: "/metadata/labels/y", value: "1" },
        { op: "add", path: "/metadata/annotations", value: { n: "m" } },
      ],
    ],
    ["merge", {}],
  ];
  if (kind === "configmaps")
    choices.push(["merge", { data: { k: one(random, ["1", "2", null]), l: one(random, ["1", null]) } }]);
  if (kind === "replicasets" || kind === "deployments") {
    choices.push(["merge", { spec: { replicas: below(random, 5) } }]);
    choices.push([
      "strategic",
      {
        spec: {
          template: { spec: { containers: [{ name: one(random, ["c", "d"]), image: one(random, ["i", "j"]) }] } },
        },
      },
    ]);
  }
  if (kind === "pods")
    choices.push(["strategic", { spec: { containers: [{ name: "c", image: one(random, ["i", "j"]) }] } }]);
  return one(random, choices);
}

function statusOf(random: Random, kind: Kind): Step | undefined {
  const at = `${paths[kind]}/${one(random, names)}/status`;
  if (kind === "pods")
    return patch("strategic", at, { status: { phase: one(random, ["Pending", "Running", "Succeeded", "Failed"]) } });
  if (kind === "replicasets")
    return patch("merge", at, { status: { replicas: below(random, 3), readyReplicas: below(random, 2) } });
  return undefined;
}

function deletionOf(random: Random, path: string, step: number): Step {
  const options: Record<string, unknown> = {};
  if (random.next() < 0.3) options["gracePeriodSeconds"] = below(random, 3) * 10;
  if (random.next() < 0.3) options["propagationPolicy"] = one(random, ["Background", "Foreground", "Orphan"]);
  if (random.next() < 0.15) options["preconditions"] = { resourceVersion: version(random, step) };
  return del(
    path,
    Object.keys(options).length === 0 ? undefined : options,
    random.next() < 0.1 ? "dryRun=All" : undefined,
  );
}

const listQueries = [
  "",
  "labelSelector=x%3D1",
  "labelSelector=x%21%3D1%2Cy",
  "fieldSelector=metadata.name%3Da",
  "limit=2",
  "resourceVersion=0",
  "labelSelector=x+in+(1,2)&limit=1",
];

function stepOf(random: Random, step: number): Step {
  const kind = one(random, kinds);
  const name = one(random, names);
  const path = `${paths[kind]}/${name}`;
  const dice = random.next();
  if (dice < 0.28)
    return post(paths[kind], bodyOf(random, kind, name), random.next() < 0.08 ? "dryRun=All" : undefined);
  if (dice < 0.4) {
    const body = bodyOf(random, kind, name);
    const metadata = body["metadata"] as Record<string, unknown>;
    const versioned = random.next() < 0.5 ? { ...metadata, resourceVersion: version(random, step) } : metadata;
    return put(path, { ...body, metadata: versioned });
  }
  if (dice < 0.62) {
    const [type, body] = patchOf(random, kind);
    return patch(type, path, body, random.next() < 0.08 ? "dryRun=All" : undefined);
  }
  if (dice < 0.7) return statusOf(random, kind) ?? get(path);
  if (dice < 0.85) return deletionOf(random, path, step);
  if (dice < 0.88) return del(paths[kind], undefined, one(random, ["labelSelector=x%3D1", "labelSelector=y"]));
  return dice < 0.94 ? get(path) : get(paths[kind], one(random, listQueries));
}

/** A case of `length` random requests, and the final state of every kind. */
export function randomCase(random: Random, length: number, name: string): Case {
  const steps = Array.from({ length }, (_, step) => stepOf(random, step));
  return { name, steps: [...steps, ...kinds.map((kind) => get(paths[kind]))] };
}
