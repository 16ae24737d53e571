/** JSON patch, merge patch, and strategic merge patch with its directives. */
import { configMap, get, patch, paths, pod, post, workload, type Step, type Table } from "../case.ts";

const { configmaps, pods, deployments, replicasets, services } = paths;

const made = post(configmaps, configMap("a", { k: "v", l: "w" }, { labels: { x: "y" } }));
const on = `${configmaps}/a`;
const oneJson = (name: string, operations: unknown): { name: string; steps: Step[] } => ({
  name: `JSON patch: ${name}`,
  steps: [made, patch("json", on, operations)],
});
const twoContainers = pod(
  "a",
  {},
  {
    containers: [
      {
        name: "c",
        image: "i",
        env: [
          { name: "A", value: "1" },
          { name: "B", value: "2" },
        ],
        ports: [{ containerPort: 80 }],
      },
      { name: "d", image: "j" },
    ],
  },
);
const onDeployment = (name: string, body: unknown): { name: string; steps: Step[] } => ({
  name: `strategic merge: ${name}`,
  steps: [
    post(deployments, {
      metadata: { name: "a", labels: { x: "y" }, finalizers: ["example.com/a"] },
      spec: {
        selector: { matchLabels: { app: "a" } },
        template: {
          metadata: { labels: { app: "a" } },
          spec: {
            containers: [
              {
                name: "c",
                image: "i",
                env: [
                  { name: "A", value: "1" },
                  { name: "B", value: "2" },
                ],
                args: ["1", "2"],
                ports: [{ containerPort: 80, name: "http" }],
              },
              { name: "d", image: "j" },
            ],
            volumes: [{ name: "v", emptyDir: {} }],
            tolerations: [{ key: "a", operator: "Exists" }],
          },
        },
      },
    }),
    patch("strategic", `${deployments}/a`, body),
  ],
});
const inSpec = (spec: unknown): unknown => ({ spec: { template: { spec } } });

export const patches: Table = {
  name: "patches",
  cases: [
    oneJson("adds a key", [{ op: "add", path: "/data/n", value: "1" }]),
    oneJson("adds a label with an escaped key", [{ op: "add", path: "/metadata/labels/a.b~1c", value: "d" }]),
    oneJson("replaces a key", [{ op: "replace", path: "/data/k", value: "1" }]),
    oneJson("removes a key", [{ op: "remove", path: "/data/k" }]),
    oneJson("moves and copies", [
      { op: "move", from: "/data/k", path: "/data/m" },
      { op: "copy", from: "/data/l", path: "/data/n" },
    ]),
    oneJson("a test that passes", [
      { op: "test", path: "/data/k", value: "v" },
      { op: "replace", path: "/data/k", value: "1" },
    ]),
    oneJson("a test that fails", [
      { op: "test", path: "/data/k", value: "other" },
      { op: "replace", path: "/data/k", value: "1" },
    ]),
    oneJson("a test of a missing value", [{ op: "test", path: "/data/none", value: "other" }]),
    oneJson("cannot remove a missing value", [{ op: "remove", path: "/data/none" }]),
    oneJson("cannot replace a missing value", [{ op: "replace", path: "/data/none", value: "1" }]),
    oneJson("cannot add below a missing value", [{ op: "add", path: "/none/some", value: "1" }]),
    oneJson("an unknown operation", [{ op: "invent", path: "/data/k" }]),
    oneJson("not a list", { op: "add" }),
    oneJson("a wrong type", [{ op: "add", path: "/data/n", value: 5 }]),
    oneJson("an unknown field", [{ op: "add", path: "/nope", value: 5 }]),
    {
      name: "JSON patch: an unknown field, Strict",
      steps: [made, patch("json", on, [{ op: "add", path: "/nope", value: 5 }], "fieldValidation=Strict")],
    },
    oneJson("empty", []),
    oneJson("cannot change the name", [{ op: "replace", path: "/metadata/name", value: "b" }]),
    oneJson("cannot change the namespace", [{ op: "replace", path: "/metadata/namespace", value: "b" }]),
    oneJson("an old version", [{ op: "replace", path: "/metadata/resourceVersion", value: "1" }]),
    {
      name: "JSON patch: in a list",
      steps: [
        post(pods, twoContainers),
        patch("json", `${pods}/a`, [{ op: "replace", path: "/spec/containers/1/image", value: "k" }]),
      ],
    },
    {
      name: "JSON patch: beyond the end of a list",
      steps: [
        post(pods, twoContainers),
        patch("json", `${pods}/a`, [{ op: "replace", path: "/spec/containers/7/image", value: "k" }]),
      ],
    },
    {
      name: "merge patch: adds, changes and removes",
      steps: [made, patch("merge", on, { data: { k: null, l: "1", m: "2" } }), get(on)],
    },
    {
      name: "merge patch: an empty patch keeps the version",
      steps: [made, patch("merge", on, {}), patch("merge", on, { data: { k: "v" } })],
    },
    {
      name: "merge patch: replaces lists",
      steps: [
        post(pods, twoContainers),
        patch("merge", `${pods}/a`, { spec: { containers: [{ name: "c", image: "new" }] } }),
      ],
    },
    {
      name: "merge patch: with a version",
      steps: [
        made,
        patch("merge", on, { metadata: { resourceVersion: "{0.metadata.resourceVersion}" }, data: { k: "1" } }),
        patch("merge", on, { metadata: { resourceVersion: "{0.metadata.resourceVersion}" }, data: { k: "2" } }),
      ],
    },
    { name: "merge patch: another uid", steps: [made, patch("merge", on, { metadata: { uid: "other" } })] },
    { name: "merge patch: a missing object", steps: [patch("merge", on, {})] },
    { name: "merge patch: a wrong type", steps: [made, patch("merge", on, { data: "x" })] },
    { name: "merge patch: not an object", steps: [made, patch("merge", on, "[]"), patch("merge", on, "{")] },
    { name: "merge patch: an unknown field", steps: [made, patch("merge", on, { nope: 1 })] },
    {
      name: "merge patch: an unknown field, Strict",
      steps: [made, patch("merge", on, { nope: 1 }, "fieldValidation=Strict")],
    },
    {
      name: "merge patch: another kind",
      differs:
        "the real server decodes the object as the other kind and refuses what happens to be wrong with it first",
      steps: [made, patch("merge", on, { kind: "Secret" })],
    },
    {
      name: "merge patch: in a dry run",
      steps: [made, patch("merge", on, { data: { k: "1" } }, "dryRun=All"), get(on)],
    },
    {
      name: "a patch of an unknown type",
      steps: [
        made,
        { ...patch("merge", on, {}), type: "application/json" },
        { ...patch("merge", on, {}), type: "text/plain" },
      ],
    },
    { name: "force is only for apply", steps: [made, patch("merge", on, {}, "force=true")] },
    onDeployment("merges containers by name", inSpec({ containers: [{ name: "d", image: "new" }] })),
    onDeployment("adds a container in front", inSpec({ containers: [{ name: "e", image: "e" }] })),
    onDeployment("removes a container", inSpec({ containers: [{ name: "d", $patch: "delete" }] })),
    onDeployment("replaces the list", inSpec({ containers: [{ $patch: "replace" }, { name: "z", image: "z" }] })),
    onDeployment("without a merge key", inSpec({ containers: [{ image: "z" }] })),
    onDeployment("an unknown directive", inSpec({ containers: [{ name: "c", $patch: "invent" }] })),
    onDeployment("replaces a map", {
      spec: { template: { metadata: { labels: { $patch: "replace", app: "a", n: "m" } } } },
    }),
    onDeployment("deletes a map", { metadata: { labels: { $patch: "delete" } } }),
    onDeployment(
      "merges env by name",
      inSpec({
        containers: [
          {
            name: "c",
            env: [
              { name: "B", value: "3" },
              { name: "C", value: "4" },
            ],
          },
        ],
      }),
    ),
    onDeployment("replaces args", inSpec({ containers: [{ name: "c", args: ["9"] }] })),
    onDeployment(
      "sets the order of elements",
      inSpec({
        "$setElementOrder/containers": [{ name: "d" }, { name: "c" }],
        containers: [{ name: "c", image: "new" }],
      }),
    ),
    onDeployment(
      "an order that does not match",
      inSpec({ "$setElementOrder/containers": [{ name: "d" }], containers: [{ name: "c", image: "new" }] }),
    ),
    onDeployment("removes a finalizer", { metadata: { "$deleteFromPrimitiveList/finalizers": ["example.com/a"] } }),
    onDeployment("adds a finalizer", { metadata: { finalizers: ["example.com/b"] } }),
    onDeployment("retains keys", { spec: { strategy: { $retainKeys: ["type"], type: "Recreate" } } }),
    onDeployment("an invalid retainKeys", { spec: { strategy: { $retainKeys: ["rollingUpdate"], type: "Recreate" } } }),
    onDeployment("null removes a field", {
      spec: { revisionHistoryLimit: null, template: { spec: { volumes: null } } },
    }),
    onDeployment("replaces tolerations, which are atomic", inSpec({ tolerations: [{ key: "b", operator: "Exists" }] })),
    onDeployment("merges ports by number", inSpec({ containers: [{ name: "c", ports: [{ containerPort: 81 }] }] })),
    onDeployment("a wrong type", { spec: { replicas: "three" } }),
    onDeployment("a list for a map", { spec: [] }),
    onDeployment("an unknown field", { spec: { nope: 1 } }),
    onDeployment("a volume with another source", inSpec({ volumes: [{ name: "v", configMap: { name: "x" } }] })),
    {
      name: "strategic merge: a Service's ports are merged by port",
      steps: [
        post(services, {
          metadata: { name: "a" },
          spec: {
            clusterIP: "None",
            ports: [
              { port: 80, name: "a" },
              { port: 81, name: "b" },
            ],
          },
        }),
        patch("strategic", `${services}/a`, { spec: { ports: [{ port: 81, targetPort: 8081 }] } }),
      ],
    },
    {
      name: "strategic merge: ports with the same number become adjacent in any patch",
      steps: [
        post(
          pods,
          pod(
            "a",
            {},
            {
              containers: [
                {
                  name: "c",
                  image: "i",
                  ports: [
                    { containerPort: 81, protocol: "UDP" },
                    { containerPort: 80 },
                    { containerPort: 81 },
                    { containerPort: 82 },
                    { containerPort: 80, protocol: "UDP" },
                  ],
                },
              ],
            },
          ),
        ),
        patch("strategic", `${pods}/a`, { spec: { containers: [{ name: "c", ports: [] }] } }, "dryRun=All"),
        patch(
          "strategic",
          `${pods}/a`,
          { spec: { containers: [{ name: "c", ports: [{ containerPort: 82 }, { containerPort: 80, name: "p" }] }] } },
          "dryRun=All",
        ),
      ],
    },
    {
      name: "strategic merge: a status",
      steps: [
        post(replicasets, workload("a")),
        patch("strategic", `${replicasets}/a/status`, {
          status: { replicas: 1, conditions: [{ type: "ReplicaFailure", status: "True" }] },
        }),
        patch("strategic", `${replicasets}/a/status`, {
          status: { conditions: [{ type: "Other", status: "False" }] },
          spec: { replicas: 7 },
        }),
      ],
    },
    { name: "strategic merge: invalid JSON", steps: [made, patch("strategic", on, "{"), patch("strategic", on, "[]")] },
  ],
};
