/** Annotations that the metrics APIs are served from (docs/sandbox-annotations.md): warns about unreadable values. */
import { parseQuantity } from "../../api/quantity.ts";
import type { Attributes } from "../context/attributes.ts";
import { simulationPrefix } from "../meta/simulation.ts";

/** `cpu`, `memory.web`, `metric.requests`, `external.depth`, after the prefix. */
const quantities = /^(?:(?:cpu|memory)(?:\..+)?|(?:metric|external)\..+)$/;

/** Warns about each new or changed annotation that is not a quantity: it is ignored. */
export function warnOfMetrics({ scope, object, old }: Attributes): void {
  const { annotations } = object.metadata;
  if (annotations === undefined) return;
  for (const [name, value] of Object.entries(annotations)) {
    if (!name.startsWith(simulationPrefix) || old?.metadata.annotations?.[name] === value) continue;
    if (!quantities.test(name.slice(simulationPrefix.length)) || parseQuantity(value) !== undefined) continue;
    scope.warnings.push(
      `metadata.annotations[${name}]: ${JSON.stringify(value)} is not a quantity, such as 250m or 300Mi, and is ignored`,
    );
  }
}
