import type { Want, Got } from "../../diagnosis/look.ts";
import { isForbidden } from "../../api/status-error.ts";
import { findSecondOwner } from "../second-owner.ts";
import type { ReaderOptions } from "./options.ts";

/** Who reconciles objects of a kind that a controller of ours is for, where that one is seen to be active. */
export async function readReconciler(
  { transport, client, controllers }: ReaderOptions,
  { kind, namespace }: Want & { readonly is: "reconciler" },
): Promise<Got> {
  const own = controllers.find(({ for: of }) => of?.kind === kind.kind && of.group === kind.group);
  if (own === undefined) return { is: "reconciler", reconciler: undefined };
  try {
    const found = await findSecondOwner(transport, client, own, namespace === "" ? undefined : namespace);
    // What left no trace may be running all the same: nothing is claimed then.
    const isActive = found.is === "active";
    return { is: "reconciler", reconciler: isActive ? { who: found.who, isActive } : undefined };
  } catch (error) {
    if (isForbidden(error)) return { is: "reconciler", reconciler: undefined };
    throw error;
  }
}
