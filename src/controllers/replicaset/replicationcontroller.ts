import { ReplicationControllers } from "../../api/kinds.ts";
import { selectorOfLabels } from "../../api/labels.ts";
import type { ReplicationController } from "../../api/types.ts";
import type { ControllerDefinition } from "../../controller/api/definition.ts";
import { defineReplicaController } from "./define.ts";

/** Maintains the number of pods that a ReplicationController specifies. */
export const replicationcontroller: ControllerDefinition = defineReplicaController<ReplicationController>({
  name: "replicationcontroller",
  aliases: ["rc", "replicationcontroller-controller", "replication-controller"],
  purpose: "maintains the desired number of pods of a ReplicationController",
  component: "replication-controller",
  source: "pkg/controller/replication/replication_controller.go",
  config: {
    kind: ReplicationControllers,
    selectorOf: ({ spec }) => (spec?.selector === undefined ? "nothing" : selectorOfLabels(spec.selector)),
    checksConsistency: false,
    countsTerminating: false,
    ranksWithRelated: false,
  },
});
