/** Owners of pods. */
import { activePods, at, bind, removePod, scale, setPodState } from "../../acts.ts";
import { costAnnotation, podNamed, replicaSet } from "../../objects.ts";
import type { Script } from "../../play.ts";
import type { Stage } from "../../stage.ts";

const relabel = (stage: Stage, name: string, labels: Readonly<Record<string, string | null>>): Promise<unknown> =>
  stage.patch("pods", name, { metadata: { labels } });

export const ownership: readonly Script[] = [
  {
    name: "orphans are adopted before pods are made",
    steps: [
      {
        name: "2 orphans",
        async act(stage) {
          await stage.create("pods", podNamed("orphan-1", { app: "web" }));
          await stage.create("pods", podNamed("orphan-2", { app: "web", more: "yes" }));
        },
      },
      {
        name: "a ReplicaSet of 4",
        order: true,
        act: (stage) => stage.create("replicasets", replicaSet("web", { replicas: 4 })),
      },
    ],
  },
  {
    name: "an orphan that comes later is adopted, and one pod is too many",
    steps: [
      { name: "2", act: (stage) => stage.create("replicasets", replicaSet("web", { replicas: 2 })) },
      {
        name: "they run",
        async act(stage) {
          for (const pod of await activePods(stage, "web")) {
            await bind(stage, pod, "one");
            await setPodState(stage, pod, { ready: true });
          }
        },
      },
      {
        name: "an orphan comes",
        order: true,
        act: (stage) => stage.create("pods", podNamed("orphan", { app: "web" })),
      },
    ],
  },
  {
    name: "orphans that ended, or are of another owner, are left alone",
    steps: [
      {
        name: "pods come, of which one ends",
        async act(stage) {
          await stage.create("pods", podNamed("ended", { app: "web" }));
          await stage.patch("pods", "ended/status", { status: { phase: "Succeeded" } });
          const ref = {
            apiVersion: "v1",
            kind: "ConfigMap",
            name: "other",
            uid: "7f2b1c9e-0000-4000-8000-000000000002",
          };
          const ownerReferences = [{ ...ref, controller: true }];
          await stage.create("pods", podNamed("owned", { app: "web" }, { metadata: { ownerReferences } }));
          await stage.create(
            "pods",
            podNamed("has-other-owner", { app: "web" }, { metadata: { ownerReferences: [ref] } }),
          );
        },
      },
      { name: "a ReplicaSet of 2", act: (stage) => stage.create("replicasets", replicaSet("web", { replicas: 2 })) },
    ],
  },
  {
    name: "a pod that is relabelled is released and replaced, and adopted again when its labels come back",
    steps: [
      { name: "2", act: (stage) => stage.create("replicasets", replicaSet("web", { replicas: 2 })) },
      {
        name: "one is relabelled",
        order: true,
        async act(stage) {
          const pod = at(await activePods(stage, "web"), 0);
          await stage.patch("pods", pod.metadata.name, {
            metadata: { labels: { app: "aside" }, annotations: { [costAnnotation]: "5" } },
          });
        },
      },
      {
        name: "its labels come back",
        order: true,
        async act(stage) {
          const [pod] = await stage.pods(({ metadata }) => metadata.labels?.["app"] === "aside");
          await relabel(stage, pod?.metadata.name ?? "", { app: "web" });
        },
      },
    ],
  },
  {
    name: "a pod goes over from one ReplicaSet to another by its labels",
    steps: [
      {
        name: "2 and 2",
        async act(stage) {
          await stage.create("replicasets", replicaSet("web", { replicas: 2 }));
          await stage.create("replicasets", replicaSet("shop", { replicas: 2 }));
        },
      },
      {
        name: "one goes over",
        async act(stage) {
          const pod = at(await activePods(stage, "web"), 0);
          await bind(stage, pod, "one");
          await stage.patch("pods", pod.metadata.name, {
            metadata: { labels: { app: "shop" }, annotations: { [costAnnotation]: "5" } },
          });
        },
      },
    ],
  },
  {
    name: "two ReplicaSets with one selector: each keeps to its own pods",
    steps: [
      {
        name: "the first",
        act: (stage) =>
          stage.create(
            "replicasets",
            replicaSet("one", { replicas: 2, labels: { app: "same" }, selector: { matchLabels: { app: "same" } } }),
          ),
      },
      {
        name: "the second",
        act: (stage) =>
          stage.create(
            "replicasets",
            replicaSet("two", { replicas: 3, labels: { app: "same" }, selector: { matchLabels: { app: "same" } } }),
          ),
      },
      {
        name: "one pod of each goes",
        async act(stage) {
          for (const name of ["one", "two"]) await removePod(stage, at(await activePods(stage, name), 0));
        },
      },
      { name: "the first down to none", act: (stage) => scale(stage, "one", 0) },
    ],
  },
  {
    name: "pods of a ReplicaSet that is gone are not adopted by its successor",
    steps: [
      { name: "2", act: (stage) => stage.create("replicasets", replicaSet("web", { replicas: 2 })) },
      {
        name: "it goes in the background, and nobody collects",
        act: (stage) => stage.remove("replicasets", "web", { propagationPolicy: "Background" }),
      },
      { name: "a successor of 2", act: (stage) => stage.create("replicasets", replicaSet("web", { replicas: 2 })) },
      {
        name: "one of the old pods loses its owner",
        async act(stage) {
          const pods = await stage.pods();
          const uid = (await stage.get("replicasets", "web"))["metadata"] as { uid: string };
          const old = pods.filter(({ metadata }) => metadata.ownerReferences?.[0]?.uid !== uid.uid);
          await stage.patch("pods", at(old, 0).metadata.name, {
            metadata: { ownerReferences: null, annotations: { [costAnnotation]: "5" } },
          });
        },
      },
    ],
  },
  {
    name: "another selector comes with a ReplicaSet made anew, and leaves the old pods behind",
    steps: [
      { name: "2", act: (stage) => stage.create("replicasets", replicaSet("web", { replicas: 2 })) },
      {
        name: "it is made anew with a selector of expressions",
        async act(stage) {
          await stage.remove("replicasets", "web", { propagationPolicy: "Background" });
          const matchExpressions = [
            { key: "app", operator: "In", values: ["web", "shop"] },
            { key: "tier", operator: "Exists" },
            { key: "canary", operator: "DoesNotExist" },
          ];
          await stage.create(
            "replicasets",
            replicaSet("web", { replicas: 3, labels: { app: "web", tier: "front" }, selector: { matchExpressions } }),
          );
        },
      },
      {
        name: "an orphan that it selects",
        act: (stage) =>
          stage.create(
            "pods",
            podNamed("orphan", { app: "shop", tier: "" }, { metadata: { annotations: { [costAnnotation]: "5" } } }),
          ),
      },
      {
        name: "an orphan that it does not",
        act: (stage) => stage.create("pods", podNamed("canary", { app: "shop", tier: "", canary: "" })),
      },
    ],
  },
  {
    name: "a pod loses its owner reference by hand and is adopted again",
    steps: [
      { name: "2", act: (stage) => stage.create("replicasets", replicaSet("web", { replicas: 2 })) },
      {
        name: "one loses it",
        async act(stage) {
          const pod = at(await activePods(stage, "web"), 0);
          await stage.patch("pods", pod.metadata.name, { metadata: { ownerReferences: null } });
        },
      },
    ],
  },
];
