import { ReplicaSets } from "../../api/kinds.ts";
import { selectorOf } from "../../api/labels.ts";
import type { ReplicaSet } from "../../api/types.ts";
import type { ControllerDefinition } from "../../controller/api/definition.ts";
import { defineReplicaController } from "./define.ts";
import { indexByOwner, ownerIndex } from "./related.ts";

/** Maintains the number of pods that a ReplicaSet specifies. */
export const replicaset: ControllerDefinition = defineReplicaController<ReplicaSet>({
  name: "replicaset",
  aliases: ["rs", "replicaset-controller"],
  purpose: "maintains the desired number of pods of a ReplicaSet",
  component: "replicaset-controller",
  source: "pkg/controller/replicaset/replica_set.go",
  indexes: { [ownerIndex]: indexByOwner },
  config: {
    kind: ReplicaSets,
    selectorOf: (object) => selectorOf(object.spec?.selector),
    checksConsistency: true,
    countsTerminating: true,
    ranksWithRelated: true,
  },
});
