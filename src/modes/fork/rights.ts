/** Checks the rights of the cluster's user when a request needs them. */
import type { Kind } from "../../api/kind.ts";
import type { StoredObject } from "../../api/object.ts";
import type { Client } from "../../client/api/verbs.ts";
import type { Attributes, Decision } from "../../sandbox/context/authorizer.ts";

interface AccessReview extends StoredObject {
  readonly spec: unknown;
  readonly status?: { readonly allowed?: boolean; readonly reason?: string; readonly evaluationError?: string };
}

const AccessReviews: Kind<AccessReview> = {
  group: "authorization.k8s.io",
  version: "v1",
  kind: "SelfSubjectAccessReview",
  plural: "selfsubjectaccessreviews",
  namespaced: false,
};

interface SubjectReview {
  readonly status?: { readonly userInfo?: { readonly username?: string } };
}

const SubjectReviews: Kind = {
  group: "authentication.k8s.io",
  version: "v1",
  kind: "SelfSubjectReview",
  plural: "selfsubjectreviews",
  namespaced: false,
};

type ResourceAttributes = Attributes & { readonly is: "resource" };

/** How long a decision is cached: a new role binding takes effect after this time. */
const freshMs = 60_000;

interface CachedDecision {
  readonly at: number;
  readonly decision: Promise<Decision>;
}

/** The rights of the user, found by one SelfSubjectAccessReview per verb, resource and namespace, and cached for a minute. */
export class UserRights {
  readonly #client: Client;
  readonly #now: () => number;
  readonly #decisions = new Map<string, CachedDecision>();
  #user: Promise<string> | undefined;

  constructor(client: Client, now: () => number) {
    this.#client = client;
    this.#now = now;
  }

  /** Decides whether a request is allowed. Checks first without the name, then with it if a role may grant single names. @throws StatusError, TransportError. */
  async decide(attributes: ResourceAttributes): Promise<Decision> {
    const general = await this.#decisionFor({ ...attributes, name: "" });
    return general.allowed || attributes.name === "" ? general : this.#decisionFor(attributes);
  }

  /** The user's name in the cluster; empty if the cluster does not report it. */
  user(): Promise<string> {
    this.#user ??= this.#client
      .review<SubjectReview>(SubjectReviews, {})
      .then(({ status }) => status?.userInfo?.username ?? "")
      .catch(() => "");
    return this.#user;
  }

  #decisionFor(attributes: ResourceAttributes): Promise<Decision> {
    const { verb, group, resource, subresource, namespace, name } = attributes;
    const key = [verb, group, resource, subresource, namespace, name].join(" ");
    const known = this.#decisions.get(key);
    if (known !== undefined && this.#now() - known.at < freshMs) return known.decision;
    const decision = this.#review(attributes);
    this.#decisions.set(key, { at: this.#now(), decision });
    // Allows another attempt after a failure.
    decision.catch(() => this.#decisions.delete(key));
    return decision;
  }

  async #review({ verb, group, resource, subresource, namespace, name }: ResourceAttributes): Promise<Decision> {
    const resourceAttributes = { verb, group, resource, subresource, namespace, name };
    const { status } = await this.#client.review<Pick<AccessReview, "spec" | "status">>(AccessReviews, {
      spec: { resourceAttributes },
    });
    const { allowed, reason, evaluationError } = status ?? {};
    return {
      allowed: allowed === true,
      ...(reason !== undefined && { reason }),
      ...(evaluationError !== undefined && { evaluationError }),
    };
  }
}
