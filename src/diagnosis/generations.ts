/** Whether a controller has seen the latest spec of an object. */
import { type Finding, type Item, refOf } from "./diagnosis.ts";
import type { Look, Reconciler } from "./look.ts";

/** The latest change of the spec, if no controller has seen it; or a spec that nobody has ever looked at. */
export function unseenGeneration(look: Look, item: Item): readonly Finding[] {
  const { generation, namespace = "" } = item.object.metadata;
  // Of a kind that is not known only what every status may have is read.
  const { status } = item.object as { readonly status?: { readonly observedGeneration?: number } };
  const observed = status?.observedGeneration;
  if (generation === undefined) return [];
  const isUnwritten = observed === undefined && Object.keys(status ?? {}).length === 0;
  if (observed === undefined ? !isUnwritten : observed >= generation) return [];
  const reconciler = look.reconciler(item.kind, namespace);
  const who = ownerText(reconciler);
  const why =
    observed === undefined
      ? `nobody has written its status: ${who}`
      : `its controller has seen generation ${observed} of ${generation}: ${who}`;
  return [{ at: refOf(item), why }];
}

function ownerText(reconciler: Reconciler | undefined): string {
  if (reconciler === undefined) return "is its controller running?";
  const { who, isActive } = reconciler;
  return isActive ? `${who} runs here, and may be behind` : `nothing shows that ${who} runs here`;
}
