/** Owners of pods. */
import { activePods, at, bind, removePod, scale, setPodState } from "../../acts.ts";
import { costAnnotation, podNamed, replicaSet } from "../../objects.ts";
import type { Script } from "../../play.ts";
import type { Stage } from "../../stage.ts";

const relabel = (stage: Stage, name: string, labels: Readonly<Record<string, string | null>>): Promise<unknown> =>
  stage.patch("pods", name, { metadata: { labels } });

export const ownership: readonly Script[] = [
  {
    name: "orphans are adopted before pods are created",
    steps: [
      {
        name: "create 2 orphans",
        async act(stage) {
          await stage.create("pods", podNamed("orphan-1", { app: "web" }));
          await stage.create("pods", podNamed("orphan-2", { app: "web", more: "yes" }));
        },
      },
      {
        name: "create a ReplicaSet of 4",
        order: true,
        act: (stage) => stage.create("replicasets", replicaSet("web", { replicas: 4 })),
      },
    ],
  },
  {
    name: "an orphan created later is adopted, and the surplus pod is deleted",
    steps: [
      {
        name: "create a ReplicaSet of 2",
        act: (stage) => stage.create("replicasets", replicaSet("web", { replicas: 2 })),
      },
      {
        name: "all pods become ready",
        async act(stage) {
          for (const pod of await activePods(stage, "web")) {
            await bind(stage, pod, "one");
            await setPodState(stage, pod, { ready: true });
          }
        },
      },
      {
        name: "create an orphan",
        order: true,
        act: (stage) => stage.create("pods", podNamed("orphan", { app: "web" })),
      },
    ],
  },
  {
    name: "finished pods and pods of other owners are not adopted",
    steps: [
      {
        name: "create a finished pod and two with other owners",
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
      {
        name: "create a ReplicaSet of 2",
        act: (stage) => stage.create("replicasets", replicaSet("web", { replicas: 2 })),
      },
    ],
  },
  {
    name: "a relabelled pod is released and replaced, and adopted again when its labels are restored",
    steps: [
      {
        name: "create a ReplicaSet of 2",
        act: (stage) => stage.create("replicasets", replicaSet("web", { replicas: 2 })),
      },
      {
        name: "relabel a pod",
        order: true,
        async act(stage) {
          const pod = at(await activePods(stage, "web"), 0);
          await stage.patch("pods", pod.metadata.name, {
            metadata: { labels: { app: "aside" }, annotations: { [costAnnotation]: "5" } },
          });
        },
      },
      {
        name: "restore its labels",
        order: true,
        async act(stage) {
          const [pod] = await stage.pods(({ metadata }) => metadata.labels?.["app"] === "aside");
          await relabel(stage, pod?.metadata.name ?? "", { app: "web" });
        },
      },
    ],
  },
  {
    name: "a relabelled pod moves from one ReplicaSet to another",
    steps: [
      {
        name: "create two ReplicaSets of 2",
        async act(stage) {
          await stage.create("replicasets", replicaSet("web", { replicas: 2 }));
          await stage.create("replicasets", replicaSet("shop", { replicas: 2 }));
        },
      },
      {
        name: "relabel a pod of the first to match the second",
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
    name: "two ReplicaSets with the same selector each keep their own pods",
    steps: [
      {
        name: "create the first, of 2",
        act: (stage) =>
          stage.create(
            "replicasets",
            replicaSet("one", { replicas: 2, labels: { app: "same" }, selector: { matchLabels: { app: "same" } } }),
          ),
      },
      {
        name: "create the second, of 3",
        act: (stage) =>
          stage.create(
            "replicasets",
            replicaSet("two", { replicas: 3, labels: { app: "same" }, selector: { matchLabels: { app: "same" } } }),
          ),
      },
      {
        name: "delete one pod of each",
        async act(stage) {
          for (const name of ["one", "two"]) await removePod(stage, at(await activePods(stage, name), 0));
        },
      },
      { name: "scale the first to 0", act: (stage) => scale(stage, "one", 0) },
    ],
  },
  {
    name: "pods of a deleted ReplicaSet are not adopted by a new one with the same name",
    steps: [
      {
        name: "create a ReplicaSet of 2",
        act: (stage) => stage.create("replicasets", replicaSet("web", { replicas: 2 })),
      },
      {
        name: "delete it in the background, without a garbage collector",
        act: (stage) => stage.remove("replicasets", "web", { propagationPolicy: "Background" }),
      },
      {
        name: "create a new one of 2",
        act: (stage) => stage.create("replicasets", replicaSet("web", { replicas: 2 })),
      },
      {
        name: "remove the owner reference of an old pod",
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
    name: "a ReplicaSet recreated with another selector does not take the old pods",
    steps: [
      {
        name: "create a ReplicaSet of 2",
        act: (stage) => stage.create("replicasets", replicaSet("web", { replicas: 2 })),
      },
      {
        name: "recreate it with matchExpressions",
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
        name: "create an orphan that it selects",
        act: (stage) =>
          stage.create(
            "pods",
            podNamed("orphan", { app: "shop", tier: "" }, { metadata: { annotations: { [costAnnotation]: "5" } } }),
          ),
      },
      {
        name: "create an orphan that it does not select",
        act: (stage) => stage.create("pods", podNamed("canary", { app: "shop", tier: "", canary: "" })),
      },
    ],
  },
  {
    name: "a pod whose owner reference was removed is adopted again",
    steps: [
      {
        name: "create a ReplicaSet of 2",
        act: (stage) => stage.create("replicasets", replicaSet("web", { replicas: 2 })),
      },
      {
        name: "remove the owner reference of a pod",
        async act(stage) {
          const pod = at(await activePods(stage, "web"), 0);
          await stage.patch("pods", pod.metadata.name, { metadata: { ownerReferences: null } });
        },
      },
    ],
  },
];
