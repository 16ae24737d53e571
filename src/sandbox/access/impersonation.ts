/**
 * Impersonation: which user a request acts as, and whether that is allowed. Constrained modes are tried before the one with the verb
 * `impersonate`; the first mode's error is reported. Source: apiserver v0.36 endpoints/filters/impersonation.
 */
import type { StatusError } from "../../api/status-error.ts";
import { subdomainProblems } from "../../api/label-names.ts";
import { unescaped } from "../../platform/unescaped.ts";
import { denialFor, privilegedGroup, type Attributes, type Authorizer, type User } from "../context/authorizer.ts";
import { accountNodeOf, accountOf } from "../meta/access.ts";
import { denial } from "../meta/denial.ts";
import { badRequest } from "../meta/refusal.ts";

type Headers = Readonly<Record<string, string>>;

const [asUser, asGroup, asUid, asExtra] = [
  "impersonate-user",
  "impersonate-group",
  "impersonate-uid",
  "impersonate-extra-",
];

/** A list as Go prints it with %#v. */
const goTexts = (texts: readonly string[]): string =>
  texts.length === 0 ? "[]string(nil)" : `[]string{${texts.map((text) => JSON.stringify(text)).join(", ")}}`;

/** The user in a request's headers; undefined if it does not impersonate. @throws StatusError 400 without a user name. */
export function wantedUser(headers: Headers): User | undefined {
  const [name = "", uid = ""] = [headers[asUser], headers[asUid]];
  const groups = (headers[asGroup] ?? "").split(",").flatMap((group) => (group.trim() === "" ? [] : [group.trim()]));
  const extra = Object.keys(headers)
    .filter((header) => header.startsWith(asExtra))
    .map((header) => [unescaped(header.slice(asExtra.length)), (headers[header] ?? "").split(", ")] as const);
  if (name === "" && uid === "" && groups.length === 0 && extra.length === 0) return undefined;
  if (name !== "") {
    return {
      name,
      groups,
      ...(uid === "" ? {} : { uid }),
      ...(extra.length === 0 ? {} : { extra: Object.fromEntries(extra) }),
    };
  }
  const pairs = extra.map(([key, values]) => `${JSON.stringify(key)}:${goTexts(values)}`).join(", ");
  const more = extra.length === 0 ? "map[string][]string(nil)" : `map[string][]string{${pairs}}`;
  throw badRequest(
    `requested &user.DefaultInfo{Name:"", UID:${JSON.stringify(uid)}, Groups:${goTexts(groups)}, Extra:${more}} without impersonating a user name`,
  );
}

interface Mode {
  /** `impersonate:serviceaccount`; `impersonate` without constraints. */
  readonly verb: string;
  /** An additional permission that the user needs: the request's own verb in this mode. Undefined without constraints. */
  readonly on: string | undefined;
  readonly applies: (wanted: User, requestor: User) => boolean;
}

const constrained = (mode: string, applies: Mode["applies"]): Mode => ({
  verb: `impersonate:${mode}`,
  on: `impersonate-on:${mode}:`,
  applies,
});

const modes: readonly Mode[] = [
  constrained("associated-node", (wanted, requestor) => {
    const node = nodeOf(wanted.name);
    return hasOnlyName(wanted) && node !== undefined && node === accountNodeOf(requestor);
  }),
  constrained("arbitrary-node", (wanted) => hasOnlyName(wanted) && nodeOf(wanted.name) !== undefined),
  constrained("serviceaccount", (wanted) => hasOnlyName(wanted) && accountOf(wanted.name) !== undefined),
  constrained("user-info", (wanted) => nodeOf(wanted.name) === undefined && accountOf(wanted.name) === undefined),
  { verb: "impersonate", on: undefined, applies: () => true },
];

const hasOnlyName = ({ uid, groups, extra }: User): boolean =>
  uid === undefined && groups.length === 0 && extra === undefined;

/** A request of one user to act as another. */
export interface Impersonation {
  readonly authorizer: Authorizer;
  readonly requestor: User;
  readonly wanted: User;
  /** The attributes of the request itself. */
  readonly attributes: Attributes;
}

/** The impersonated user, and the mode that allowed it. */
export interface Impersonated {
  readonly user: User;
  /** The constrained mode's verb, `impersonate:user-info`; `""` without constraints. */
  readonly constraint: string;
}

/** The user that a request acts as, including implied groups. @throws StatusError 403. */
export function impersonated(request: Impersonation): Impersonated {
  const { requestor, wanted } = request;
  let first: StatusError | undefined;
  for (const mode of modes) {
    if (!mode.applies(wanted, requestor)) continue;
    const error = errorIn(mode, request);
    if (error === undefined)
      return { user: withGroups(wanted, mode), constraint: mode.on === undefined ? "" : mode.verb };
    first ??= error;
  }
  throw first ?? new RangeError("no mode of impersonation applies");
}

/** Why the requestor may not act as the wanted user in a mode; undefined if allowed. */
function errorIn(mode: Mode, { authorizer, requestor, wanted, attributes }: Impersonation): StatusError | undefined {
  const denied = (needed: Attributes): StatusError | undefined =>
    denialFor({ user: requestor, attributes: needed }, authorizer.decide(requestor, needed));
  const onVerb = mode.on === undefined ? undefined : denied({ ...attributes, verb: `${mode.on}${attributes.verb}` });
  if (onVerb !== undefined) return onVerb;
  for (const check of checksOf(mode, wanted)) {
    const error =
      "why" in check ? denial({ user: requestor, attributes: check.attributes }, check.why) : denied(check.attributes);
    if (error !== undefined) return error;
  }
  return undefined;
}

interface Check {
  readonly attributes: Attributes;
}

interface Refused extends Check {
  readonly why: string;
}

const authentication = "authentication.k8s.io";

/**
 * The checks of a mode, in the real server's order. The real server's shortcut of one check for a whole list of groups or values is left
 * out.
 */
function* checksOf(mode: Mode, wanted: User): Generator<Check | Refused> {
  const isConstrained = mode.on !== undefined;
  const own = (resource: string, name: string): Attributes & { readonly is: "resource" } => ({
    is: "resource",
    verb: mode.verb,
    group: isConstrained ? authentication : "",
    resource,
    subresource: "",
    namespace: "",
    name,
  });
  const account = accountOf(wanted.name);
  const node = isConstrained ? nodeOf(wanted.name) : undefined;
  if (account !== undefined)
    yield { attributes: { ...own("serviceaccounts", account.name), namespace: account.namespace } };
  else if (node !== undefined) yield { attributes: own("nodes", mode.verb.endsWith(":associated-node") ? "*" : node) };
  else yield { attributes: own("users", wanted.name) };
  if (wanted.uid !== undefined) yield { attributes: { ...own("uids", wanted.uid), group: authentication } };
  if (isConstrained && wanted.groups.includes(privilegedGroup)) {
    const why = "impersonating the system:masters group is not allowed";
    yield { attributes: own("groups", privilegedGroup), why };
  }
  for (const group of wanted.groups) yield { attributes: own("groups", group) };
  for (const [key, values] of Object.entries(wanted.extra ?? {})) {
    for (const value of values)
      yield { attributes: { ...own("userextras", value), group: authentication, subresource: key } };
  }
}

const [everybody, nobody] = ["system:authenticated", "system:unauthenticated"];

/** Adds groups implied by the name: those of service accounts and nodes, and `system:authenticated` or `system:unauthenticated`. */
function withGroups(wanted: User, mode: Mode): User {
  const account = accountOf(wanted.name);
  const isNode = mode.on !== undefined && nodeOf(wanted.name) !== undefined;
  const fixed = isNode
    ? ["system:nodes"]
    : account === undefined
      ? []
      : ["system:serviceaccounts", `system:serviceaccounts:${account.namespace}`];
  const groups = wanted.groups.length === 0 ? fixed : wanted.groups;
  const last = wanted.name === "system:anonymous" || groups.includes(nobody) ? nobody : everybody;
  return { ...wanted, groups: groups.includes(last) ? groups : [...groups, last] };
}

/** The node in a user name. */
function nodeOf(user: string): string | undefined {
  const prefix = "system:node:";
  if (!user.startsWith(prefix)) return undefined;
  const name = user.slice(prefix.length);
  return subdomainProblems(name).length === 0 ? name : undefined;
}
