/** Whether a controller has observed the latest spec of an object, and its pods. */
import { type Finding, type Item, refOf } from "./diagnosis.ts";
import type { Listed, Look, Reconciler } from "./look.ts";
import { pluralize } from "../api/pluralize.ts";
import type { Pod } from "../api/types.ts";

/** A finding if no controller has observed the latest spec, or any spec at all. */
export function unseenGeneration(look: Look, item: Item): readonly Finding[] {
  const { generation, namespace = "" } = item.object.metadata;
  // Of an unknown kind only what any status may contain is read.
  const { status } = item.object as { readonly status?: { readonly observedGeneration?: number } };
  const observed = status?.observedGeneration;
  if (generation === undefined) return [];
  // Counts that a kind requires are there, as zeros, before anybody has written them.
  const isUnwritten = observed === undefined && Object.values(status ?? {}).every((value) => value === 0);
  if (observed === undefined ? !isUnwritten : observed >= generation) return [];
  const reconciler = look.reconciler(item.kind, namespace);
  const who = ownerText(reconciler);
  const why =
    observed === undefined
      ? `its status has not been written: ${who}`
      : `its controller has observed generation ${observed} of ${generation}: ${who}`;
  return [{ at: refOf(item), why }];
}

/** An object, its pods, and how many its status counts. */
interface Counted {
  readonly item: Item;
  readonly counted: number;
  readonly pods: Listed<Pod>;
}

/** A finding if the status counts more pods than exist, all of which were seen: the controller has not observed their deletion. */
export function unseenDeletions(look: Look, { item, counted, pods }: Counted): readonly Finding[] {
  const existing = pods.objects.length;
  if (pods.unseen.length > 0 || existing >= counted) return [];
  const who = ownerText(look.reconciler(item.kind, item.object.metadata.namespace ?? ""));
  const exist = existing === 0 ? "none exists" : existing === 1 ? "only 1 exists" : `only ${existing} exist`;
  return [{ at: refOf(item), why: `its status counts ${pluralize(counted, "pod")}, and ${exist}: ${who}` }];
}

function ownerText(reconciler: Reconciler | undefined): string {
  if (reconciler === undefined) return "is its controller running?";
  const { who, isActive } = reconciler;
  return isActive
    ? `${who} runs here, and may be behind`
    : `no running controller was found for it (looked for ${who})`;
}
