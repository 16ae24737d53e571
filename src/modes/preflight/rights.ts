/** Which rights controllers need, and which of them the user has. */
import { type Kind } from "../../api/kind.ts";
import { Events, Leases } from "../../api/kinds.ts";
import type { StoredObject } from "../../api/object.ts";
import type { Client } from "../../client/api/verbs.ts";
import type { ControllerDefinition } from "../../controller/api/definition.ts";

/** One verb on one resource, as RBAC names it. */
export interface Right {
  readonly verb: string;
  readonly group: string;
  /** `pods`, or `replicasets/status`. */
  readonly resource: string;
  /** Only for the object of this name. Unset: for all. */
  readonly name?: string;
  /** Unset: in all namespaces. */
  readonly namespace?: string;
}

/** The required rights, and those missing. */
export interface Rights {
  readonly required: readonly Right[];
  readonly missing: readonly Right[];
  /** Only one right was checked, which includes all others: every verb on every resource in all namespaces. */
  readonly byEverything?: true;
}

/** `create pods`, `update replicasets/status`; for a right in another namespace than `here`: `get leases in kube-system`. */
export function formatRight({ verb, resource, name, namespace }: Right, here: string | undefined): string {
  return `${verb} ${resource}${name === undefined ? "" : ` named ${name}`}${namespace === here ? "" : ` in ${namespace ?? "all namespaces"}`}`;
}

/** What a controller does on the API server, except Leases: what its Role must grant. */
export function permissionsOf(definition: ControllerDefinition): Omit<Right, "namespace">[] {
  const watched = definition.watches.flatMap(({ kind }) =>
    ["list", "watch"].map((verb) => ({ verb, group: kind.group, resource: kind.plural })),
  );
  const named = definition.permissions.flatMap(({ group, resource, verbs, names }) =>
    verbs.flatMap((verb) =>
      names === undefined ? [{ verb, group, resource }] : names.map((name) => ({ verb, group, resource, name })),
    ),
  );
  const verbs = definition.recordsEvents === false ? [] : ["create", "patch"];
  const events = verbs.map((verb) => ({ verb, group: Events.group, resource: Events.plural }));
  const all: Omit<Right, "namespace">[] = [...watched, ...named, ...events];
  const names = all.map(({ verb, group, resource, name = "" }) => `${verb} ${group} ${resource} ${name}`);
  return all.filter((_, index) => names.indexOf(names[index] as string) === index);
}

/** What `run` needs for these controllers: their permissions, and the Leases in their namespace. */
export function rightsToRun(
  controllers: readonly ControllerDefinition[],
  namespace: string | undefined,
  leaseNamespace: string,
): Right[] {
  const inScope = controllers
    .flatMap(permissionsOf)
    .map((right) => ({ ...right, ...(namespace !== undefined && { namespace }) }));
  const leases = ["get", "create", "update"].map((verb) => ({
    verb,
    group: Leases.group,
    resource: Leases.plural,
    namespace: leaseNamespace,
  }));
  const all = [...inScope, ...leases];
  const names = all.map((right) => JSON.stringify(right));
  return all.filter((_, index) => names.indexOf(names[index] as string) === index);
}

interface AccessReview extends StoredObject {
  readonly spec: unknown;
  readonly status?: { readonly allowed: boolean };
}

const AccessReviews: Kind<AccessReview> = {
  group: "authorization.k8s.io",
  version: "v1",
  kind: "SelfSubjectAccessReview",
  plural: "selfsubjectaccessreviews",
  namespaced: false,
};

/** For more rights than this, the one to everything is checked first: a request instead of hundreds. */
const manyRights = 30;
const everything: Right = { verb: "*", group: "*", resource: "*" };

/**
 * Checks each right with the API server. A cluster's administrator needs only one check for many rights; an authorizer that denies single
 * requests to those who may do everything is not noticed then.
 * @throws StatusError, TransportError.
 */
export async function reviewRights(client: Client, rights: readonly Right[]): Promise<Rights> {
  if (rights.length > manyRights && (await isAllowed(client, everything)))
    return { required: rights, missing: [], byEverything: true };
  const allowed = await Promise.all(rights.map((right) => isAllowed(client, right)));
  return { required: rights, missing: rights.filter((_, index) => allowed[index] !== true) };
}

async function isAllowed(client: Client, { verb, group, resource, name, namespace }: Right): Promise<boolean> {
  const [plural, subresource] = resource.split("/");
  const review = await client.review<{ spec: unknown; status?: { allowed: boolean } }>(AccessReviews, {
    spec: {
      resourceAttributes: {
        verb,
        group,
        resource: plural,
        ...(subresource !== undefined && { subresource }),
        ...(name !== undefined && { name }),
        ...(namespace !== undefined && { namespace }),
      },
    },
  });
  return review.status?.allowed === true;
}
