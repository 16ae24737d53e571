/** The rights that a process used: what a Role must grant to let it do the same again. */
import { groupOf } from "../../api/kind.ts";
import type { RequestEvent, StageEvent, WriteEvent } from "../../trace/events.ts";

/** A right, in the terms of RBAC. */
export interface UsedRight {
  /** Empty for all namespaces, and for cluster-scoped resources. */
  readonly namespace: string;
  readonly group: string;
  /** `deployments/status`. */
  readonly resource: string;
  readonly verb: string;
}

/** The rights of a process, derived from its requests. */
export interface Rights {
  readonly used: readonly UsedRight[];
  /** Non-resource paths with their verbs, without those that everyone may read. */
  readonly paths: readonly { readonly path: string; readonly verb: string }[];
  /** Rights whose every request was refused with 403. */
  readonly refused: readonly UsedRight[];
}

/** What requests have revealed about a kind. */
interface Resource {
  readonly plural: string;
  /** At least one request was within a namespace. */
  readonly inNamespaces: boolean;
}

/** Source: apiserver's bootstrap roles system:discovery, system:public-info-viewer (plugin/pkg/auth/authorizer/rbac/bootstrappolicy/policy.go). */
const forEveryone = /^\/(api|apis|openapi|version|healthz|livez|readyz)(\/|$)/;

/** Collects the rights from stage events. */
export class RightsFold {
  readonly #used = new Map<string, UsedRight>();
  readonly #refused = new Map<string, UsedRight>();
  readonly #paths = new Map<string, { readonly path: string; readonly verb: string }>();
  readonly #resources = new Map<string, Resource>();

  /** Adds the rights that a request or write needed. */
  accept(event: StageEvent): void {
    if (event.stage === "write") this.#blockedOwners(event);
    if (event.stage !== "request" || event.status === 0 || event.status === 401) return;
    this.#learnResource(event);
    const right = rightOf(event);
    if (right === undefined) this.#path(event);
    else if (event.status === 403) this.#refused.set(nameOf(right), right);
    else {
      this.#used.set(nameOf(right), right);
      const creating = { ...right, verb: "create" };
      if (alsoNeedsCreate(event)) this.#used.set(nameOf(creating), creating);
    }
    if (event.as !== undefined) this.#impersonation(event.as);
  }

  /**
   * An owner reference that holds up the owner's deletion needs the right to update the owner's finalizers, on clusters that enforce it.
   * Source: kubernetes v1.36 plugin/pkg/admission/gc/gc_admission.go.
   */
  #blockedOwners({ agent, status, key, detail }: WriteEvent): void {
    if (agent === undefined || status < 200 || status >= 300) return;
    for (const { apiVersion, kind } of detail?.blockedOwners ?? []) {
      const group = groupOf(apiVersion);
      const owner = this.#resources.get(`${group} ${kind}`);
      if (owner === undefined) continue;
      const namespace = owner.inNamespaces ? namespaceOf(key) : "";
      const right = { namespace, group, resource: `${owner.plural}/finalizers`, verb: "update" };
      this.#used.set(nameOf(right), right);
    }
  }

  #path({ uri, verb, status }: RequestEvent): void {
    const path = uri.split("?")[0] ?? "";
    if (status < 400 && !forEveryone.test(path)) this.#paths.set(`${verb} ${path}`, { path, verb });
  }

  #learnResource({ of, resource, key }: RequestEvent): void {
    if (of === undefined || resource === undefined) return;
    const name = `${of.group} ${of.kind}`;
    const inNamespaces = key.includes("/") || this.#resources.get(name)?.inNamespaces === true;
    this.#resources.set(name, { plural: resource, inNamespaces });
  }

  /** RBAC grants impersonation of service accounts on `serviceaccounts`, of anyone else on `users`. */
  #impersonation(as: string): void {
    const account = /^system:serviceaccount:([^:]+):/.exec(as);
    const resource = account === null ? "users" : "serviceaccounts";
    const right = { namespace: account?.[1] ?? "", group: "", resource, verb: "impersonate" };
    this.#used.set(nameOf(right), right);
  }

  get rights(): Rights {
    const refused = [...this.#refused].filter(([name]) => !this.#used.has(name)).map(([, right]) => right);
    return { used: [...this.#used.values()], paths: [...this.#paths.values()], refused };
  }
}

/**
 * Whether a request with another verb needed the right to create as well: an apply or update of a missing object, and exec, attach and
 * port-forward by WebSocket. Source: apiserver v0.36 endpoints/handlers/patch.go, update.go withAuthorization; kubernetes v1.36
 * pkg/registry/core/pod/rest/subresources.go.
 */
function alsoNeedsCreate({ verb, status }: RequestEvent): boolean {
  return status === 201 ? verb === "patch" || verb === "update" : status === 101 && verb === "get";
}

function rightOf({ of, resource, subresource, verb, key }: RequestEvent): UsedRight | undefined {
  if (of === undefined || resource === undefined) return undefined;
  // A request for the object "namespaces/x" has x as its RBAC namespace; here it has none, so that a ClusterRole grants it.
  return {
    namespace: namespaceOf(key),
    group: of.group,
    resource: subresource === undefined ? resource : `${resource}/${subresource}`,
    verb,
  };
}

function nameOf({ namespace, group, resource, verb }: UsedRight): string {
  return [namespace, group, resource, verb].join(" ");
}

function namespaceOf(key: string): string {
  return key.includes("/") ? (key.split("/")[0] ?? "") : "";
}
