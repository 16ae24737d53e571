/** Preflight checks of shadow: which owners run, and whether the user may read the watched kinds. Makes only reads. */
import type { Transport } from "../../api/transport.ts";
import type { Client } from "../../client/api/verbs.ts";
import type { ControllerDefinition } from "../../controller/api/definition.ts";
import { reviewRights, type Right, type Rights } from "../preflight/rights.ts";
import { type ControllerOwner, findSecondOwners } from "../preflight/second-owner.ts";
import type { ShadowOwner } from "./shadow-options.ts";

/** The result of the preflight checks. */
export interface ShadowPreflight {
  /** The rights to list and watch every kind that the controllers watch. */
  readonly rights: Rights;
  readonly owners: readonly ControllerOwner[];
}

/** Checks rights, and if none is missing looks for owners. @throws StatusError, TransportError. */
export async function shadowPreflight(options: {
  readonly controllers: readonly ControllerDefinition[];
  readonly transport: Transport;
  readonly client: Client;
  readonly namespace: string | undefined;
}): Promise<ShadowPreflight> {
  const { controllers, transport, client, namespace } = options;
  const rights = await reviewRights(client, rightsToLook(controllers, namespace));
  // Without these rights shadow cannot watch, and the search for owners may fail too.
  if (rights.missing.length > 0) return { rights, owners: [] };
  return { rights, owners: await findSecondOwners({ transport, client, namespace }, controllers) };
}

function rightsToLook(controllers: readonly ControllerDefinition[], namespace: string | undefined): readonly Right[] {
  const kinds = new Set(controllers.flatMap(({ watches }) => watches.map(({ kind }) => kind)));
  return [...kinds].flatMap(({ group, plural, namespaced }) =>
    ["list", "watch"].map((verb) => ({
      verb,
      group,
      resource: plural,
      ...(namespaced && namespace !== undefined && { namespace }),
    })),
  );
}

/** The owner to compare each controller with. If it is unknown whether one is running, one is assumed to be. */
export function shadowOwners({ owners }: ShadowPreflight): (controller: string) => ShadowOwner {
  const known = new Map(
    owners.map(({ controller, owner }) => [
      controller.name,
      // Kubelets are not compared: both sides simulate the states of pods.
      controller.upstreamComponent === "kubelet"
        ? { manager: undefined, found: false }
        : { manager: owner.who, found: owner.is !== "none found" },
    ]),
  );
  return (controller) => known.get(controller) ?? { manager: undefined, found: false };
}
