/** Users, and what they request. Source: apiserver v0.36 pkg/authentication/user/user.go, pkg/authorization/authorizer/interfaces.go. */

/** The authenticated user of a request. */
export interface User {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** The ServiceAccount in a user name. Source: apiserver v0.36 authentication/serviceaccount/util.go SplitUsername. */
export function accountOf(user: string): { readonly namespace: string; readonly name: string } | undefined {
  const [, namespace, name] = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(user) ?? [];
  return namespace === undefined || name === undefined ? undefined : { namespace, name };
}

/** The node of a ServiceAccount whose token is bound to one, or to a pod on one. Source: the same file, NodeNameKey. */
export function accountNodeOf({ name, extra }: User): string | undefined {
  const nodes = extra?.["authentication.kubernetes.io/node-name"] ?? [];
  return accountOf(name) !== undefined && nodes.length === 1 ? nodes[0] : undefined;
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
