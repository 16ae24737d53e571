/** Controllers of nodes and their pods that have lost a behavior. */
import { type Mutant, noPatches, skipsDeletions, withClient } from "./mutants.ts";

export const nodeMutants: readonly Mutant[] = [
  {
    controller: "node-lifecycle",
    does: "taints no node",
    shownBy: "patch nodes",
    mutation: withClient(noPatches),
  },
];

export const leftPodMutants: readonly Mutant[] = [
  {
    controller: "pod-garbage-collector",
    does: "deletes no pod",
    shownBy: "delete pods",
    mutation: skipsDeletions,
  },
  {
    controller: "pod-garbage-collector",
    does: "marks no pod as failed",
    shownBy: "patch pods/status",
    mutation: withClient(noPatches),
  },
];
