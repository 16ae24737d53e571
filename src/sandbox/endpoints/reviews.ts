/** Reviews: kinds that are only asked, never stored. Source: kubernetes v1.36 pkg/registry/{authorization,authentication}. */
import { formatTime } from "../../api/time.ts";
import { decide, hasRole, notEvaluated, rulesOf, type Attributes } from "./authorization.ts";
import { manageCreate } from "../managedfields/managed-fields.ts";
import { at, isFields, textOf, type ApiObject, type Fields } from "../meta/object.ts";
import { checkReview } from "./review-errors.ts";
import type { RequestScope, Server, User } from "../context/server.ts";
import { bodyJson, matchNamespace, objectOf } from "./body.ts";

type Review = (review: ApiObject, scope: RequestScope) => object;

const reviews: Readonly<Record<string, Review>> = {
  SelfSubjectAccessReview: (review, { server, user }) => decide(server, user, attributesOf(review)),
  SubjectAccessReview: (review, { server }) => decide(server, subjectOf(review), attributesOf(review)),
  LocalSubjectAccessReview: (review, { server }) => decide(server, subjectOf(review), attributesOf(review)),
  SelfSubjectRulesReview: (_review, { server, user }) => ({ ...rulesOf(user), ...completeness(server, user) }),
  SelfSubjectReview: (_review, { user }) => ({ userInfo: userInfoOf(user) }),
  TokenReview: tokenStatus,
};

/** What is asked about. */
function attributesOf({ spec }: ApiObject): Attributes {
  const [resource, path] = [spec?.["resourceAttributes"], spec?.["nonResourceAttributes"]];
  if (isFields(path)) return { is: "path", verb: textOf(path["verb"]), path: textOf(path["path"]) };
  const said = (key: string): string => textOf(at(resource, key));
  return {
    is: "resource",
    verb: said("verb"),
    group: said("group"),
    resource: said("resource"),
    subresource: said("subresource"),
    namespace: said("namespace"),
    name: said("name"),
  };
}

/** The subject of a review, which is not the caller. */
function subjectOf({ spec }: ApiObject): User {
  const groups = spec?.["groups"];
  return { name: textOf(spec?.["user"]), groups: Array.isArray(groups) ? groups.map(String) : [] };
}

function completeness(server: Server, user: User): object {
  return hasRole(server, user) ? { incomplete: true, evaluationError: notEvaluated } : { incomplete: false };
}

const userInfoOf = ({ name, uid, groups, extra }: User): object => ({
  username: name,
  ...(uid === undefined ? {} : { uid }),
  groups,
  ...(extra === undefined ? {} : { extra }),
});

/** The default audiences of tokens. */
const audience = "https://kubernetes.default.svc";

function tokenStatus({ spec }: ApiObject, { server }: RequestScope): object {
  const user = server.logins.get(textOf(spec?.["token"]));
  const asked = spec?.["audiences"];
  const isForOthers = Array.isArray(asked) && asked.length > 0 && !asked.includes(audience);
  if (user === undefined || isForOthers) return { user: {}, error: "invalid bearer token" };
  return { authenticated: true, user: userInfoOf(user), audiences: [audience] };
}

/** What the server itself would write; a request cannot. Source: apiserver v0.36 registry/rest/meta.go. */
const systemFields = ["creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "selfLink", "uid"];

/** The review with its status; undefined for kinds that are no reviews. @throws StatusError */
export function reviewOf(scope: RequestScope): ApiObject | undefined {
  const { resource } = scope;
  const statusOf = reviews[resource.kind];
  if (statusOf === undefined) return undefined;
  const review = objectOf(scope, bodyJson(scope, resource.kind), resource.kind, resource.apiVersion, resource.struct);
  for (const field of systemFields) delete review.metadata[field];
  matchNamespace(scope, review.metadata);
  manageCreate({ scope, object: review, sent: review.metadata.managedFields });
  checkReview(review);
  const { kind, apiVersion, spec } = review;
  return {
    kind,
    apiVersion,
    metadata: metadataOf(review, scope),
    // What was asked about rules is not said again.
    ...(isFields(spec) ? { spec: kind === "SelfSubjectRulesReview" ? {} : spec } : {}),
    status: statusOf(review, scope) as Fields,
  };
}

function metadataOf({ kind, metadata }: ApiObject, { server }: RequestScope): ApiObject["metadata"] {
  if (kind === "SelfSubjectReview") return { creationTimestamp: formatTime(server.timeline.now()) };
  return kind === "SelfSubjectRulesReview" ? {} : metadata;
}
