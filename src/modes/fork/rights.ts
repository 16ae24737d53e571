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

/** How long an answer is cached: a new role binding takes effect after this time. */
const freshMs = 60_000;

interface Answer {
  readonly at: number;
  readonly decision: Promise<Decision>;
}

/** The rights of the user, found by one SelfSubjectAccessReview per verb, resource and namespace, and cached for a minute. */
export class UserRights {
  readonly #client: Client;
  readonly #now: () => number;
  readonly #answers = new Map<string, Answer>();
  #user: Promise<string> | undefined;

  constructor(client: Client, now: () => number) {
    this.#client = client;
    this.#now = now;
  }

  /** Decides whether a request is allowed. Asks first without the name, then with it if a role may grant single names. @throws StatusError, TransportError. */
  async decide(asked: ResourceAttributes): Promise<Decision> {
    const general = await this.#ask({ ...asked, name: "" });
    return general.allowed || asked.name === "" ? general : this.#ask(asked);
  }

  /** The user's name in the cluster; empty if the cluster does not tell. */
  user(): Promise<string> {
    this.#user ??= this.#client
      .review<SubjectReview>(SubjectReviews, {})
      .then(({ status }) => status?.userInfo?.username ?? "")
      .catch(() => "");
    return this.#user;
  }

  #ask(asked: ResourceAttributes): Promise<Decision> {
    const { verb, group, resource, subresource, namespace, name } = asked;
    const key = [verb, group, resource, subresource, namespace, name].join(" ");
    const known = this.#answers.get(key);
    if (known !== undefined && this.#now() - known.at < freshMs) return known.decision;
    const decision = this.#review(asked);
    this.#answers.set(key, { at: this.#now(), decision });
    // Allows another attempt after a failure.
    decision.catch(() => this.#answers.delete(key));
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
