/** Updates: rolling updates, partitions, OnDelete, stuck updates, and rollbacks. */
import { setPodState } from "../../acts.ts";
import type { Script, Step } from "../../play.ts";
import {
  allEnd,
  allReady,
  create,
  deleted,
  ends,
  image,
  partition,
  podsThat,
  patch,
  ready,
  replicas,
  revisionsOn,
  spec,
  toPod,
  unready,
} from "./acts.ts";

const three: readonly Step[] = [create(), ready("db-0"), ready("db-1"), ready("db-2")];
const onDelete = { updateStrategy: { type: "OnDelete", rollingUpdate: null } };
/** Without a partition: the API server adds no default if the type is given. */
const plain = { updateStrategy: { type: "RollingUpdate" } };

const available = (pod: string): Step =>
  toPod(`${pod} is ready from now on`, pod, (stage, found) =>
    setPodState(stage, found, { ready: true, readyForMs: -5000 }),
  );

/** Revisions trigger no sync. */
const touched = (count: number): Step =>
  patch(`label the set (${count})`, { metadata: { labels: { touched: String(count) } } });

export const updating: readonly Script[] = [
  {
    name: "a rolling update begins with the last pod",
    steps: [...three, image(2), ends("db-2"), ready("db-2"), ends("db-1"), ready("db-1"), ends("db-0"), ready("db-0")],
  },
  {
    name: "the template changes again during a rolling update",
    steps: [
      ...three,
      image(2),
      ends("db-2"),
      image(3),
      ready("db-2"),
      ends("db-2"),
      ready("db-2"),
      ends("db-1"),
      image(1),
      ready("db-1"),
      ends("db-1"),
      ready("db-1"),
      ends("db-2"),
      ready("db-2"),
    ],
  },
  {
    name: "a rolling update of a Parallel set updates one pod at a time",
    steps: [
      create({ parallel: true }),
      allReady,
      image(2),
      ends("db-2"),
      ready("db-2"),
      ends("db-1"),
      replicas(4, { order: false }),
      ready("db-1"),
      ready("db-3"),
      ends("db-0"),
      ready("db-0"),
    ],
  },
  {
    name: "pods below the partition are not updated",
    steps: [
      create({ replicas: 4, spec: { updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 2 } } } }),
      ready("db-0"),
      ready("db-1"),
      ready("db-2"),
      ready("db-3"),
      image(2),
      ends("db-3"),
      ready("db-3"),
      ends("db-2"),
      ready("db-2"),
      // Below the partition, lost pods are created again as they were.
      deleted("db-0"),
      ends("db-0"),
      ready("db-0"),
      partition(1),
      ends("db-1"),
      ready("db-1"),
      partition(3),
      image(3),
      ends("db-3"),
      ready("db-3"),
      partition(0),
      ends("db-2"),
      ready("db-2"),
    ],
  },
  {
    name: "a partition beyond the replicas, with a start ordinal",
    steps: [
      create({ replicas: 2, spec: { ordinals: { start: 2 } } }),
      ready("db-2"),
      ready("db-3"),
      partition(5),
      image(2),
      deleted("db-3"),
      ends("db-3"),
      ready("db-3"),
      partition(1),
      ends("db-3"),
      ready("db-3"),
    ],
  },
  {
    name: "without a partition, as many pods as are current are created with the current revision",
    steps: [
      create({ parallel: true, replicas: 3, spec: plain }),
      allReady,
      image(2),
      ends("db-2"),
      ready("db-2"),
      spec("scale to 0 during the update", { replicas: 0 }, { order: false }),
      allEnd,
      replicas(2, { order: false }),
    ],
  },
  {
    name: "OnDelete updates pods only when they are deleted",
    steps: [
      create({ replicas: 2, spec: onDelete }),
      ready("db-0"),
      ready("db-1"),
      image(2),
      deleted("db-0"),
      ends("db-0"),
      ready("db-0"),
      deleted("db-1"),
      ends("db-1"),
      ready("db-1"),
      image(1),
      spec("set RollingUpdate", plain),
      ends("db-1"),
      ready("db-1"),
    ],
  },
  {
    name: "a stuck update remains stuck after the template is corrected",
    steps: [
      ...three,
      image(2),
      ends("db-2"),
      image(1),
      deleted("db-2"),
      ready("db-2"),
      unready("db-1"),
      image(3),
      ready("db-1"),
    ],
  },
  {
    name: "a pod that is not ready delays an update",
    steps: [
      ...three,
      unready("db-1"),
      image(2),
      ready("db-1"),
      ends("db-2"),
      unready("db-0"),
      ready("db-2"),
      ready("db-0"),
    ],
  },
  {
    name: "minReadySeconds delays an update until they have passed",
    steps: [
      create({ replicas: 2, spec: { minReadySeconds: 3 } }),
      ready("db-0"),
      ready("db-1"),
      image(2),
      ends("db-1"),
      { ...available("db-1"), until: async (stage) => (await podsThat(stage, "going")).length === 1 },
      ends("db-0"),
    ],
  },
  {
    name: "revisions of earlier templates become the latest again",
    steps: [
      create({ replicas: 1 }),
      ready("db-0"),
      image(2),
      ends("db-0"),
      ready("db-0"),
      image(1),
      ends("db-0"),
      ready("db-0"),
      image(2),
      image(2, { name: "set image 2 again" }),
    ],
  },
  {
    name: "the number of revisions is limited",
    steps: [
      create({ replicas: 1, spec: { revisionHistoryLimit: 2, ...onDelete } }),
      ready("db-0"),
      ...[2, 3, 4, 5].map((version) => image(version)),
      spec("set revisionHistoryLimit 0", { revisionHistoryLimit: 0 }),
      spec("set RollingUpdate and revisionHistoryLimit -1", { ...plain, revisionHistoryLimit: -1 }),
      ...[6, 7].map((version) => image(version)),
      spec("set revisionHistoryLimit 1", { revisionHistoryLimit: 1 }),
    ],
  },
  {
    name: "templates with all sorts of fields have upstream's hash",
    steps: [
      create({
        replicas: 1,
        labels: { app: "db", "10": "ten", "9": "nine" },
        metadata: { annotations: { note: "<of the set> & its revisions" } },
        podMetadata: {
          annotations: { note: "a < b && c > d", "10": "ten", "9": "nine", text: 'line\n\u2028\ttab "quoted" ä 😀' },
        },
        podSpec: {
          containers: [
            {
              name: "main",
              image: "main",
              command: ["sh", "-c", "test 1 -lt 2 && echo '<ok>' > /dev/null"],
              env: [
                { name: "EMPTY", value: "" },
                { name: "POD", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
              ],
              resources: { requests: { cpu: "1000m", memory: "1024Ki" }, limits: { cpu: "2" } },
              ports: [{ containerPort: 80 }],
              readinessProbe: { httpGet: { path: "/ready", port: "http" } },
              securityContext: {},
            },
          ],
          initContainers: [{ name: "first", image: "first:latest", restartPolicy: "Always" }],
          tolerations: [{ operator: "Exists" }],
          affinity: { podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [] } },
          volumes: [
            { name: "tmp", emptyDir: {} },
            { name: "config", configMap: { name: "config", items: [] } },
            {
              name: "scratch",
              ephemeral: {
                volumeClaimTemplate: {
                  spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1G" } } },
                },
              },
            },
          ],
          terminationGracePeriodSeconds: 0,
          runtimeClassName: null,
          topologySpreadConstraints: [
            {
              maxSkew: 1,
              topologyKey: "zone",
              whenUnsatisfiable: "ScheduleAnyway",
              labelSelector: { matchLabels: { app: "db" } },
            },
          ],
        },
      }),
      patch("change labels and annotations of the set", {
        metadata: { annotations: { note: null, more: "1" }, labels: { a: "b" } },
      }),
      image(2),
    ],
  },
  {
    name: "revisions are modified and deleted by hand",
    steps: [
      create({ replicas: 1 }),
      ready("db-0"),
      image(2),
      {
        name: "delete all revisions",
        async act(stage) {
          for (const { metadata } of await revisionsOn(stage)) await stage.remove("controllerrevisions", metadata.name);
        },
      },
      touched(1),
      {
        name: "set the number of the latest revision to 0",
        async act(stage) {
          const latest = (await revisionsOn(stage)).at(-1);
          if (latest !== undefined) await stage.patch("controllerrevisions", latest.metadata.name, { revision: 0 });
        },
      },
      touched(2),
      image(1),
    ],
  },
  {
    name: "an existing revision with the name of a new one is counted as a collision",
    steps: [
      create({ replicas: 0 }),
      {
        name: "replace its revision with another one of the same name",
        async act(stage) {
          const [own] = await revisionsOn(stage);
          const { name } = own?.metadata ?? { name: "" };
          await stage.remove("controllerrevisions", name);
          await stage.create("controllerrevisions", { metadata: { name }, data: { other: true }, revision: 7 });
        },
      },
      touched(1),
      image(2),
    ],
  },
];
