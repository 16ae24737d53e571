/** Impersonation. Source: apiserver v0.36 endpoints/filters/impersonation. */
import { badRequest } from "../meta/refusal.ts";
import type { User } from "../context/server.ts";

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

/** The effective user of a request. @throws StatusError 400 for groups, a uid or extra without a user name. */
export function userOf(headers: Headers, user: User): User {
  const [name = "", uid = ""] = [headers[asUser], headers[asUid]];
  const groups = (headers[asGroup] ?? "").split(",").flatMap((group) => (group.trim() === "" ? [] : [group.trim()]));
  const extra = Object.keys(headers)
    .filter((header) => header.startsWith(asExtra))
    .map((header) => [decodeURIComponent(header.slice(asExtra.length)), (headers[header] ?? "").split(", ")] as const);
  if (name !== "") {
    const own = groups.includes("system:unauthenticated") || name === "system:anonymous";
    return {
      name,
      ...(uid === "" ? {} : { uid }),
      groups: own || groups.includes("system:authenticated") ? groups : [...groups, "system:authenticated"],
      ...(extra.length === 0 ? {} : { extra: Object.fromEntries(extra) }),
    };
  }
  if (uid === "" && groups.length === 0 && extra.length === 0) return user;
  const pairs = extra.map(([key, values]) => `${JSON.stringify(key)}:${goTexts(values)}`).join(", ");
  const more = extra.length === 0 ? "map[string][]string(nil)" : `map[string][]string{${pairs}}`;
  throw badRequest(
    `requested &user.DefaultInfo{Name:"", UID:${JSON.stringify(uid)}, Groups:${goTexts(groups)}, Extra:${more}} without impersonating a user name`,
  );
}
