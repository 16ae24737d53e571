/** Reviews: kinds that are evaluated, never stored. Source: kubernetes v1.36 pkg/registry/{authorization,authentication}. */
import { formatTime } from "../../api/time.ts";
import { requestAdmission } from "../admission/admit.ts";
import { manageCreate } from "../managedfields/managed-fields.ts";
import type { Steps } from "../meta/steps.ts";
import { at, isFields, textOf, type ApiObject, type Fields } from "../meta/object.ts";
import { checkWriteOptions } from "../options/write-options.ts";
import { checkReview } from "./review-errors.ts";
import type { Attributes, PolicyRule, User } from "../context/authorizer.ts";
import type { RequestScope } from "../context/server.ts";
import { bodyJson, matchNamespace, objectOf } from "./body.ts";

type Review = (review: ApiObject, scope: RequestScope) => object;

const reviews: Readonly<Record<string, Review>> = {
  SelfSubjectAccessReview: (review, { server, user }) => server.authorizer.decide(user, attributesOf(review)),
  SubjectAccessReview: (review, { server }) => server.authorizer.decide(subjectOf(review), attributesOf(review)),
  LocalSubjectAccessReview: (review, { server }) => server.authorizer.decide(subjectOf(review), attributesOf(review)),
  SelfSubjectRulesReview: rulesStatus,
  SelfSubjectReview: (_review, { user }) => ({ userInfo: userInfoOf(user) }),
  TokenReview: tokenStatus,
};

/** The attributes in a review. */
function attributesOf({ spec }: ApiObject): Attributes {
  const [resource, path] = [spec?.["resourceAttributes"], spec?.["nonResourceAttributes"]];
  if (isFields(path)) return { is: "path", verb: textOf(path["verb"]), path: textOf(path["path"]) };
  const field = (key: string): string => textOf(at(resource, key));
  return {
    is: "resource",
    verb: field("verb"),
    group: field("group"),
    resource: field("resource"),
    subresource: field("subresource"),
    namespace: field("namespace"),
    name: field("name"),
  };
}

/** The subject of a review that is not about the caller. */
function subjectOf({ spec }: ApiObject): User {
  const groups = spec?.["groups"];
  return { name: textOf(spec?.["user"]), groups: Array.isArray(groups) ? groups.map(String) : [] };
}

/** Source: apiserver v0.36 authorization; kubernetes v1.36 plugin/pkg/auth/authorizer/rbac/rbac.go RulesFor. */
function rulesStatus({ spec }: ApiObject, { server, user }: RequestScope): object {
  const { rules, ...completeness } = server.authorizer.rulesFor(user, textOf(spec?.["namespace"]));
  const of = (key: "resources" | "nonResourceURLs"): PolicyRule[] =>
    rules.filter(({ [key]: list = [] }) => list.length > 0);
  return {
    resourceRules: of("resources").map(({ verbs, apiGroups, resources, resourceNames }) => ({
      verbs,
      apiGroups,
      resources,
      ...(resourceNames === undefined ? {} : { resourceNames }),
    })),
    nonResourceRules: of("nonResourceURLs").map(({ verbs, nonResourceURLs }) => ({ verbs, nonResourceURLs })),
    ...completeness,
  };
}

const userInfoOf = ({ name, uid, groups, extra }: User): object => ({
  username: name,
  ...(uid === undefined ? {} : { uid }),
  groups,
  ...(extra === undefined ? {} : { extra }),
});

function tokenStatus({ spec }: ApiObject, { server }: RequestScope): object {
  const requested = spec?.["audiences"];
  const audiences = Array.isArray(requested) && requested.length > 0 ? requested.map(textOf) : server.tokens.audiences;
  const found = server.tokens.authenticate(textOf(spec?.["token"]), audiences);
  if ("user" in found) return { authenticated: true, user: userInfoOf(found.user), audiences: found.audiences };
  const unknown = "invalid bearer token";
  return { user: {}, error: found.why === undefined ? unknown : `[${unknown}, ${found.why}]` };
}

/** Fields that only the server sets. Source: apiserver v0.36 registry/rest/meta.go. */
const systemFields = ["creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "selfLink", "uid"];

/** The review with its status; undefined for other kinds. @throws StatusError */
export function* reviewOf(scope: RequestScope): Steps<ApiObject | undefined> {
  const { resource } = scope;
  const statusOf = reviews[resource.kind];
  if (statusOf === undefined) return undefined;
  checkWriteOptions(scope.query, "CreateOptions");
  const review = objectOf(scope, bodyJson(scope, resource.kind), resource.kind, resource.apiVersion, resource.struct);
  for (const field of systemFields) delete review.metadata[field];
  dropEmpty(review.metadata);
  matchNamespace(scope, review.metadata);
  manageCreate({ scope, object: review, sent: review.metadata.managedFields });
  yield* requestAdmission({ scope, object: review });
  checkReview(review);
  const { kind, apiVersion, spec } = review;
  return {
    kind,
    apiVersion,
    metadata: metadataOf(review, scope),
    // The response omits the spec of a rules review.
    ...(isFields(spec) ? { spec: kind === "SelfSubjectRulesReview" ? {} : spec } : {}),
    status: statusOf(review, scope) as Fields,
  };
}

/** Drops values that Go does not distinguish from unset ones. Empty managed fields clear them. */
function dropEmpty(metadata: ApiObject["metadata"]): void {
  for (const [key, value] of Object.entries(metadata)) {
    const isEmpty = value === "" || value === 0 || (typeof value === "object" && Object.keys(value ?? {}).length === 0);
    if (isEmpty && key !== "managedFields") delete metadata[key];
  }
}

function metadataOf({ kind, metadata }: ApiObject, { server }: RequestScope): ApiObject["metadata"] {
  if (kind === "SelfSubjectReview") return { creationTimestamp: formatTime(server.timeline.now()) };
  return kind === "SelfSubjectRulesReview" ? {} : metadata;
}
