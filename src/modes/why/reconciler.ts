import type { Want, Got } from "../../diagnosis/look.ts";
import { isForbidden } from "../../api/status-error.ts";
import { findSecondOwner } from "../preflight/second-owner.ts";
import type { ReaderOptions } from "./options.ts";

/** Which process reconciles objects of a kind for which we have a controller, as far as the cluster shows. */
export async function readReconciler(
  { transport, client, controllers }: ReaderOptions,
  { kind, namespace }: Want & { readonly is: "reconciler" },
): Promise<Got> {
  const own = controllers.find(({ for: of }) => of?.kind === kind.kind && of.group === kind.group);
  if (own === undefined) return { is: "reconciler", reconciler: undefined };
  try {
    const found = await findSecondOwner(
      { transport, client, namespace: namespace === "" ? undefined : namespace },
      own,
    );
    // If neither is known, nothing is claimed.
    if (found.is === "unknown") return { is: "reconciler", reconciler: undefined };
    return { is: "reconciler", reconciler: { who: found.who, isActive: found.is === "active" } };
  } catch (error) {
    if (isForbidden(error)) return { is: "reconciler", reconciler: undefined };
    throw error;
  }
}
