/** The strategies of flowcontrol.apiserver.k8s.io. */
import type { RESTStrategy } from "../strategy/rest-strategy.ts";
import { flowSchemaStrategy } from "./flow-schema.ts";
import { priorityLevelStrategy } from "./priority-level.ts";

/** By resource. */
export const flowStrategies: Readonly<Record<string, RESTStrategy>> = {
  "flowschemas.flowcontrol.apiserver.k8s.io": flowSchemaStrategy,
  "prioritylevelconfigurations.flowcontrol.apiserver.k8s.io": priorityLevelStrategy,
};
