/** Random scripts: nodes of one zone that stop and resume reporting, report any status, are added and removed, with pods on them. */
import { type Random, seededRandom } from "../../../../src/platform/random.ts";
import type { Script, Step } from "../../suite.ts";
import {
  comeBack,
  endOf,
  fallSilent,
  makeNode,
  makePod,
  nodeIs,
  type Ready,
  removeNode,
  report,
  step,
} from "./acts.ts";
import { ownName } from "../../stage.ts";

const names = ["n1", "n2", "n3"] as const;
const pressures = ["MemoryPressure", "DiskPressure", "PIDPressure", "NetworkUnavailable"] as const;

interface Scene {
  readonly random: Random;
  /** The status that each existing node has reported; Unknown if it has stopped reporting. */
  readonly there: Map<string, Ready>;
  pods: number;
}

/** Returns the script for a seed. One node is always ready, so that the zone is never fully disrupted. */
export function randomScript(seed: number, length: number): Script {
  const scene: Scene = { random: seededRandom(seed), there: new Map(), pods: 0 };
  const steps: Step[] = [step("create a node", (stage) => makeNode(stage, "always"))];
  while (steps.length < length) steps.push(moveOf(scene));
  const numbered = steps.map((each, n) => ({ ...each, name: `${n + 1}. ${each.name}` }));
  return { name: `seed ${seed}`, steps: [...numbered, endOf("always", ...names)] };
}

function oneOf<T>({ random }: Pick<Scene, "random">, items: readonly T[]): T {
  // The index is always within the array.
  return items[Math.floor(random.next() * items.length)] as T;
}

function moveOf(scene: Scene): Step {
  const node = oneOf(scene, names);
  const is = scene.there.get(node);
  if (is === undefined) return comes(scene, node);
  return oneOf(scene, is === "Unknown" ? whenSilent : whenReporting)(scene, node);
}

function comes(scene: Scene, node: string): Step {
  scene.there.set(node, "True");
  const labels = scene.random.next() < 0.5 ? { "kubernetes.io/os": "linux" } : {};
  const unschedulable = scene.random.next() < 0.3;
  return step(`create ${node}`, (stage) => makeNode(stage, node, { labels, unschedulable }), { waitMs: 2500 });
}

type Move = (scene: Scene, node: string) => Step;

const goes: Move = (scene, node) => {
  scene.there.delete(node);
  return step(`delete ${node}`, (stage) => removeNode(stage, node), { waitMs: 2500 });
};

const backs: Move = (scene, node) => {
  const ready = oneOf(scene, ["True", "False"] as const);
  return reports(scene, node, ready, (stage) => comeBack(stage, node, ready));
};

const heartbeat: Move = (scene, node) => {
  const ready = oneOf(scene, ["True", "True", "False"] as const);
  const more = Object.fromEntries(
    pressures.filter(() => scene.random.next() < 0.3).map((type) => [type, "True"] as const),
  );
  return reports(scene, node, ready, (stage) => report(stage, node, [ready, more]));
};

function reports(scene: Scene, node: string, ready: "True" | "False", act: Step["act"]): Step {
  scene.there.set(node, ready);
  const until = ready === "True" ? nodeIs(node, "True") : nodeIs(node, "False", "not-ready");
  return step(`${node} reports ${ready}`, act, { until });
}

const silence: Move = (scene, node) => {
  scene.there.set(node, "Unknown");
  return step(`${node} stops reporting`, (stage) => fallSilent(stage, node), {
    until: nodeIs(node, "Unknown", "unreachable"),
  });
};

const pod: Move = (scene, node) => {
  const name = `pod-${++scene.pods}`;
  const ready = oneOf(scene, ["True", "True", "False", "Unknown", undefined] as const);
  return step(`create a pod on ${node}`, (stage) => makePod(stage, name, node, { ready }));
};

const cordon: Move = (scene, node) => {
  const unschedulable = scene.random.next() < 0.5 ? true : null;
  return step(`${unschedulable === null ? "un" : ""}cordon ${node}`, (stage) =>
    stage.patch("nodes", ownName(stage, node), { spec: { unschedulable } }),
  );
};

const relabel: Move = (scene, node) => {
  const key = oneOf(scene, ["kubernetes.io/os", "kubernetes.io/arch", "beta.kubernetes.io/os"]);
  const value = oneOf(scene, ["a", "b", null]);
  return step(`set ${key}=${value} on ${node}`, (stage) =>
    stage.patch("nodes", ownName(stage, node), { metadata: { labels: { [key]: value } } }),
  );
};

const whenReporting: readonly Move[] = [
  silence,
  silence,
  heartbeat,
  heartbeat,
  heartbeat,
  pod,
  pod,
  cordon,
  relabel,
  goes,
];
const whenSilent: readonly Move[] = [backs, backs, pod, cordon, goes];
