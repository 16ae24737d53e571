/** Users, and what they request. Source: apiserver v0.36 pkg/authentication/user/user.go, pkg/authorization/authorizer/interfaces.go. */

/** The authenticated user of a request. */
export interface User {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** What is authorized: a verb on a resource or on a path. */
export type Attributes =
  | {
      readonly is: "resource";
      readonly verb: string;
      readonly group: string;
      readonly resource: string;
      readonly subresource: string;
      readonly namespace: string;
      readonly name: string;
    }
  | { readonly is: "path"; readonly verb: string; readonly path: string };
