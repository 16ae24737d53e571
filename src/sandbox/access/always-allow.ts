import type { Authorizer } from "../context/authorizer.ts";

/** Allows everything. Source: apiserver v0.36 authorization/authorizerfactory/builtin.go alwaysAllowAuthorizer. */
export const alwaysAllow: Authorizer = {
  decide: () => ({ allowed: true }),
  rulesFor: () => ({
    rules: [
      { verbs: ["*"], apiGroups: ["*"], resources: ["*"] },
      { verbs: ["*"], nonResourceURLs: ["*"] },
    ],
    incomplete: false,
  }),
};
