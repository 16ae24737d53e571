/** Reviews: kinds that are only asked, never stored. Members of `system:masters` may do everything; roles are not looked at. */
import { formatTime } from "../api/time.ts";
import { at, isFields, type ApiObject, type Fields } from "./object.ts";
import { checkReview } from "./review-errors.ts";
import { manageCreate } from "./managed/managed-fields.ts";
import type { Call, User } from "./server.ts";
import { bodyJson, objectOf } from "./verbs/body.ts";

type Answer = (review: ApiObject, user: User) => Fields;

const allowed: Answer = () => ({ allowed: true });

const answers: Readonly<Record<string, Answer>> = {
  SelfSubjectAccessReview: (_review, { groups }) => ({ allowed: groups.includes("system:masters") }),
  SubjectAccessReview: allowed,
  LocalSubjectAccessReview: allowed,
  SelfSubjectRulesReview: () => ({
    resourceRules: [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"] }],
    nonResourceRules: [{ verbs: ["*"], nonResourceURLs: ["*"] }],
    incomplete: false,
  }),
  SelfSubjectReview: (_review, user) => ({
    userInfo: {
      username: user.name,
      ...(user.uid === undefined ? {} : { uid: user.uid }),
      groups: user.groups,
      ...(user.extra === undefined ? {} : { extra: user.extra }),
    },
  }),
  TokenReview: (review) => ({
    user: {},
    ...(at(review, "spec", "token") === undefined ? { error: "no token was given" } : {}),
  }),
};

/** The answer to a review; undefined where the kind is none. @throws StatusError */
export function reviewOf(call: Call): ApiObject | undefined {
  const answer = answers[call.resource.kind];
  if (answer === undefined) return undefined;
  const { resource } = call;
  const review = objectOf(call, bodyJson(call, resource.kind), resource.kind, resource.apiVersion, resource.struct);
  manageCreate(call, review);
  checkReview(review);
  const { kind, apiVersion, spec } = review;
  return {
    kind,
    apiVersion,
    metadata:
      kind === "SelfSubjectReview" ? { creationTimestamp: formatTime(call.server.timeline.now()) } : review.metadata,
    // What was asked about rules is not said again.
    ...(isFields(spec) ? { spec: kind === "SelfSubjectRulesReview" ? {} : spec } : {}),
    status: answer(review, call.user),
  };
}
