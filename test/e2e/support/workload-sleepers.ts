/**
 * Objects with work left for which nothing wakes their controller, upstream either: the scene finds and touches them. Each rule names the
 * differential script in which kube-controller-manager leaves such an object alone until the next event.
 */
import type { Resource, WorkloadGround } from "./workload-ground.ts";
import { daemons } from "./workload-changes.ts";
import { keepsOldScale, type Seen } from "./workload-verdicts.ts";

/** What there is, in the namespace and of nodes. */
export interface Present {
  readonly pods: readonly Seen[];
  readonly nodes: readonly Seen[];
  readonly statefulsets: readonly Seen[];
  /** Names of claims. */
  readonly claims: ReadonlySet<string>;
}

/** The object whose change wakes the controller. */
export interface Sleeper {
  readonly resource: Resource;
  readonly name: string;
}

/** One way to be left alone. */
export interface SleeperRule {
  readonly what: string;
  /** The suite of `test/differential/scripts`, and the script in it. */
  readonly shownBy: { readonly suite: string; readonly script: string };
  readonly find: (ground: WorkloadGround, present: Present) => Promise<readonly Sleeper[]>;
}

export const sleeperRules: readonly SleeperRule[] = [
  {
    what: "the pod of a DaemonSet that is pending for a node that was deleted, or that it no longer fits",
    shownBy: {
      suite: "daemonset",
      script: "a pod that was not bound before its node was deleted is deleted with the next sync",
    },
    find: async (_, { pods, nodes }) =>
      daemons.filter((name) => podsOf(name, pods).some((pod) => isStuck(pod, nodes))).map(daemonSetNamed),
  },
  {
    what: "a node that comes back under the pod of a DaemonSet, whose status lacks it",
    shownBy: {
      suite: "daemonset",
      script: "a node comes back under its pod, which the status counts with the next sync",
    },
    async find({ list }, { pods, nodes }) {
      const uncounted = (await list("daemonsets")).filter(({ metadata: { name }, status }) => {
        const own = podsOf(name, pods);
        const counted = Number(status["desiredNumberScheduled"] ?? 0);
        return own.length > counted && own.some((pod) => isOlderThanNode(pod, nodes));
      });
      return uncounted.map(({ metadata }) => daemonSetNamed(metadata.name));
    },
  },
  {
    what: "a budget whose status has the scale from before the last one of its StatefulSet",
    shownBy: { suite: "disruption", script: "a scale alone wakes no budget, the next event of a pod does" },
    async find({ list }, present) {
      const budgets = await list("poddisruptionbudgets");
      return budgets
        .filter((budget) => keepsOldScale(budget, present))
        .flatMap(({ metadata }) => podsOf(metadata.name, present.pods).slice(0, 1))
        .map(({ metadata }) => ({ resource: "pods", name: metadata.name }));
    },
  },
  {
    what: "a StatefulSet that waited for the claim of an earlier pod, which is gone",
    shownBy: {
      suite: "statefulset",
      script:
        "a pod is not created while its claim belongs to an earlier pod, nor once that claim is gone, but at the next event",
    },
    find: async ({ run, namespace }, { statefulsets, claims }) =>
      statefulsets
        .filter(({ metadata: { name }, spec }) => {
          const ordinals = Array.from({ length: spec.replicas ?? 1 }, (_, ordinal) => ordinal);
          const isMissing = ordinals.some((ordinal) => !claims.has(`data-${name}-${ordinal}`));
          return isMissing && run.lastRules("statefulset", `${namespace}/${name}`).has("await-claim");
        })
        .map(({ metadata }) => ({ resource: "statefulsets", name: metadata.name })),
  },
];

const daemonSetNamed = (name: string): Sleeper => ({ resource: "daemonsets", name });

/** Pods have the name of their workload as a label. */
const podsOf = (name: string, pods: readonly Seen[]): readonly Seen[] =>
  pods.filter(({ metadata }) => metadata.labels?.["app"] === name);

/** The node that a DaemonSet's pod is for, from its affinity. */
const nodeOfDaemon = ({ spec }: Seen): string | undefined =>
  /"matchFields":\[\{[^}]*"values":\["([^"]+)"\]/.exec(JSON.stringify(spec))?.[1];

function isStuck(pod: Seen, nodes: readonly Seen[]): boolean {
  const meant = nodeOfDaemon(pod);
  return pod.spec.nodeName === undefined || (meant !== undefined && nodeNamed(meant, nodes) === undefined);
}

function isOlderThanNode({ spec, metadata }: Seen, nodes: readonly Seen[]): boolean {
  const node = nodeNamed(spec.nodeName, nodes);
  return node !== undefined && (node.metadata.creationTimestamp ?? "") >= (metadata.creationTimestamp ?? "");
}

const nodeNamed = (name: string | undefined, nodes: readonly Seen[]): Seen | undefined =>
  nodes.find(({ metadata }) => metadata.name === name);
