/** The error for what a user may not do. Source: apiserver v0.36 endpoints/handlers/responsewriters/errors.go. */
import type { StatusError } from "../../api/status-error.ts";
import type { Attributes, User } from "./access.ts";
import { qualified, refusal } from "./refusal.ts";

/** Who may not do what. */
export interface Denied {
  readonly user: User;
  readonly attributes: Attributes;
}

const htmlEscapes: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

/** 403, in the real server's words. */
export function denial(denied: Denied, reason: string | undefined): StatusError {
  const { attributes } = denied;
  const because = reason === undefined || reason === "" ? "" : `: ${reason}`;
  const message = what(denied).replaceAll(/[&<>]/g, (character) => htmlEscapes[character] ?? character);
  if (attributes.is === "path") return refusal(403, "Forbidden", `forbidden: ${message}${because}`, {});
  const { group, resource, name } = attributes;
  const object = `${qualified({ group, name: resource })}${name === "" ? "" : ` ${JSON.stringify(name)}`}`;
  return refusal(403, "Forbidden", `${object} is forbidden: ${message}${because}`, {
    ...(name === "" ? {} : { name }),
    ...(group === "" ? {} : { group }),
    kind: resource,
  });
}

function what({ user, attributes }: Denied): string {
  const who = `User ${JSON.stringify(user.name)}`;
  if (attributes.is === "path") return `${who} cannot ${attributes.verb} path ${JSON.stringify(attributes.path)}`;
  const { verb, group, resource, subresource, namespace } = attributes;
  const full = subresource === "" ? resource : `${resource}/${subresource}`;
  const scope = namespace === "" ? "at the cluster scope" : `in the namespace ${JSON.stringify(namespace)}`;
  return `${who} cannot ${verb} resource ${JSON.stringify(full)} in API group ${JSON.stringify(group)} ${scope}`;
}
