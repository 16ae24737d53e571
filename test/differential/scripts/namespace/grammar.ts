/** Random scripts: a namespace is filled, deleted, and emptied step by step, sometimes while other changes happen. */
import { below, type Random, seededRandom } from "../../../../src/platform/random.ts";
import type { ResourceName } from "../../kinds.ts";
import { podNamed, replicaSet } from "../../objects.ts";
import type { Script, Step } from "../../suite.ts";
import type { Stage } from "../../stage.ts";
import {
  configMap,
  deleteNamespace,
  finalizeByHand,
  isLetGo,
  letAllGo,
  letGo,
  placedPod,
  tolerant,
  wake,
} from "./acts.ts";

const finalizers = ["example.com/hold", "example.com/also", "example.org/z"];

interface Scene {
  readonly random: Random;
  count: number;
  /** Whether the spec has a finalizer in addition to `kubernetes`. */
  other: boolean;
}

function pick<T>(items: readonly T[], random: Random): T {
  return items[below(random, items.length)] as T;
}

/** Draws finalizers, more often than not none. */
function drawnFinalizers(random: Random): { finalizers?: readonly string[] } {
  if (random.next() < 0.6) return {};
  const drawn = finalizers.filter(() => random.next() < 0.5);
  return drawn.length === 0 ? {} : { finalizers: drawn };
}

type Make = (name: string, metadata: object, stage: Stage) => Promise<unknown>;

const makes: Readonly<Record<string, Make>> = {
  configmaps: (name, metadata, stage) => stage.create("configmaps", configMap(name, metadata)),
  secrets: (name, metadata, stage) => stage.create("secrets", { metadata: { name, ...metadata } }),
  leases: (name, metadata, stage) => stage.create("leases", { metadata: { name, ...metadata } }),
  services: (name, metadata, stage) =>
    stage.create("services", { metadata: { name, ...metadata }, spec: { ports: [{ port: 80 }] } }),
  replicasets: (name, metadata, stage) => stage.create("replicasets", replicaSet(name, { replicas: 0, own: metadata })),
  pods: (name, metadata, stage) => stage.create("pods", podNamed(name, { app: name }, { metadata })),
  "pods on a node": (name, metadata, stage) => placedPod(stage, name, 600, metadata),
};

function fill(scene: Scene): Step {
  const what = pick(Object.keys(makes), scene.random);
  const name = `${what.replaceAll(" ", "-")}-${++scene.count}`;
  const metadata = drawnFinalizers(scene.random);
  return {
    name: `create one of ${what} with ${JSON.stringify(metadata)}`,
    act: (stage) => (makes[what] as Make)(name, metadata, stage),
  };
}

function otherFinalizer(scene: Scene): Step {
  scene.other = true;
  return {
    name: "add a finalizer to the spec",
    act: (stage) => finalizeByHand(stage, ["example.com/a", "kubernetes"]),
  };
}

const kindsHeld: readonly ResourceName[] = ["configmaps", "secrets", "leases", "services", "replicasets", "pods"];

/** Changes by other clients while the namespace is deleted. Each also patches the namespace, so that the controller syncs it soon. */
function meanwhile(scene: Scene): Step {
  const { random } = scene;
  const touch = `after ${++scene.count}`;
  const touched = (name: string, act: (stage: Stage) => Promise<unknown>): Step => ({
    name,
    async act(stage) {
      await wake(stage, touch);
      await tolerant(act(stage));
    },
  });
  switch (below(random, 5)) {
    case 0:
      return touched("modify a condition", (stage) => {
        const conditions = [{ type: "NamespaceContentRemaining", status: "Unknown", reason: "ByHand" }];
        return stage.patch("namespaces", `${stage.namespace}/status`, { status: { conditions } });
      });
    case 1:
      return touched("remove the conditions", (stage) =>
        stage.patch("namespaces", `${stage.namespace}/status`, { status: { conditions: null } }),
      );
    default: {
      const kind = pick(kindsHeld, random);
      return touched(`remove finalizers and terminating pods of ${kind}`, (stage) => letGo(stage, kind));
    }
  }
}

/** Returns the script for a seed: about half of the steps come before the namespace is deleted. */
export function randomScript(seed: number, length: number): Script {
  const random = seededRandom(seed);
  const scene: Scene = { random, count: 0, other: false };
  const before = 1 + below(random, length - 4);
  const steps = Array.from({ length: before }, () => fill(scene));
  if (random.next() < 0.2) steps.push(otherFinalizer(scene));
  steps.push(deleteNamespace);
  const after = 1 + below(random, 3);
  for (let n = 0; n < after; n++) steps.push(meanwhile(scene));
  steps.push({
    name: "remove all finalizers and terminating pods",
    async act(stage) {
      await wake(stage, "in the end");
      await letAllGo(stage);
    },
    until: isLetGo,
  });
  if (scene.other) {
    steps.push({
      name: "remove the other finalizer from the spec",
      act: (stage) => tolerant(finalizeByHand(stage, [])),
    });
  }
  return { name: `seed ${seed}`, steps };
}
