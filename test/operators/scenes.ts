/** Three operators in three languages, and the scene for testing them: an object is created, changed and deleted. */
import { join } from "node:path";
import type { Program } from "../../scripts/built-programs.ts";
import { kubebuilderManager, operators, pythonPackages, vessels } from "./programs.ts";

type Json = Readonly<Record<string, unknown>>;

/** An operator and its object `default/a`. */
export interface OperatorScene {
  readonly name: string;
  readonly program: Program;
  /** `path` is the path of the program. The operator must watch at least the namespace `default`. */
  readonly command: (path: string) => readonly string[];
  readonly definition: object;
  readonly object: object;
  /** The path of the object on an API server. */
  readonly path: string;
  /** A merge patch of the spec. */
  readonly change: Json;
  /** Whether the operator has finished its work for this state of the object. */
  readonly isDone: (object: Json) => boolean;
  /** Some of its writes, such as `update Site default/a`. */
  readonly writes: readonly string[];
}

const free = { type: "object", "x-kubernetes-preserve-unknown-fields": true };

function definition(group: string, plural: string, kind: string): object {
  const version = { name: "v1", served: true, storage: true, subresources: { status: {} } };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { plural, kind },
      versions: [{ ...version, schema: { openAPIV3Schema: free } }],
    },
  };
}

function object(value: unknown): Json {
  return typeof value === "object" && value !== null ? (value as Json) : {};
}

/** Whether the controller has observed the newest spec, according to the status. */
function isObserved({ metadata, status }: Json): boolean {
  return object(status)["observedGeneration"] === object(metadata)["generation"];
}

/** Whether all handlers are done and kopf has no more progress of handlers in the status. */
function isAtRest({ spec, status }: Json): boolean {
  const reported = object(status);
  const done =
    reported["ticked"] === true && reported["watered"] !== undefined && reported["height"] === object(spec)["height"];
  return done && object(reported["kopf"])["progress"] === undefined;
}

const [manager, kube, packages] = await Promise.all([kubebuilderManager(), vessels(), pythonPackages()]);
const site = { host: "shop.example.com", port: 80, paths: ["/a"] };

/** Operators in Go with controller-runtime, in Rust with kube-rs, and in Python with kopf. */
export const operatorScenes: readonly OperatorScene[] = [
  {
    name: "controller-runtime",
    program: manager,
    command: (path) => [
      "env",
      "ENABLE_WEBHOOKS=false",
      path,
      "--health-probe-bind-address=127.0.0.1:0",
      "--leader-elect",
      "--leader-elect-namespace=default",
    ],
    definition: definition("web.example.com", "sites", "Site"),
    object: { apiVersion: "web.example.com/v1", kind: "Site", metadata: { name: "a" }, spec: site },
    path: "/apis/web.example.com/v1/namespaces/default/sites/a",
    change: { paths: ["/a", "/b"] },
    isDone: isObserved,
    writes: ["update Site default/a", "create ConfigMap default/a-pages", "update Site/status default/a"],
  },
  {
    name: "kube-rs",
    program: kube,
    command: (path) => [path, "operator", "default"],
    definition: definition("rs.example.com", "vessels", "Vessel"),
    object: { apiVersion: "rs.example.com/v1", kind: "Vessel", metadata: { name: "a" }, spec: { home: "x", crew: 2 } },
    path: "/apis/rs.example.com/v1/namespaces/default/vessels/a",
    change: { crew: 3 },
    isDone: isObserved,
    writes: ["patch Vessel default/a", "patch ConfigMap default/a", "patch Deployment default/a"],
  },
  {
    name: "kopf",
    program: packages,
    command: (path) => [
      "env",
      `PYTHONPATH=${path}`,
      "PYTHONDONTWRITEBYTECODE=1",
      "python3",
      "-m",
      "kopf",
      "run",
      "--standalone",
      "-n",
      "default",
      join(operators, "python", "shrubs.py"),
    ],
    definition: definition("kopf.example.com", "shrubs", "Shrub"),
    object: { apiVersion: "kopf.example.com/v1", kind: "Shrub", metadata: { name: "a" }, spec: { height: 1 } },
    path: "/apis/kopf.example.com/v1/namespaces/default/shrubs/a",
    change: { height: 2 },
    isDone: isAtRest,
    writes: ["patch Shrub default/a", "patch Shrub/status default/a"],
  },
];
