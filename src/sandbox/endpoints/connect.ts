/**
 * Connections to pods, Services and nodes, before they are opened: their options, and admission.
 * Source: apiserver v0.36 endpoints/handlers/rest.go ConnectResource, getRequestOptions; apimachinery v0.36 runtime/conversion.go,
 * apis/meta/v1/conversion.go.
 */
import { goQuoted } from "../../api/go-text.ts";
import { connectAdmission } from "../admission/admit.ts";
import type { RequestScope } from "../context/server.ts";
import type { ApiObject, Fields } from "../meta/object.ts";
import { badRequest } from "../meta/refusal.ts";
import type { Steps } from "../meta/steps.ts";
import { unescapedPath } from "../../api/route.ts";

/**
 * Calls webhooks and policies for a connection; `path` is that of the request.
 * @throws StatusError 400 for a dry run and for unreadable options, and errors of admission.
 */
export function* admitConnection(scope: RequestScope, path: string): Steps<void> {
  if (scope.query.some(([name]) => name === "dryRun")) throw badRequest("dryRun is not supported");
  const { subresource, served } = scope;
  const kind = served.subresources.get(subresource)?.kind ?? "";
  // Connect options have no metadata: it is only here because admission expects it of every object.
  const object: ApiObject = { kind, apiVersion: "v1", metadata: {}, ...fieldsOf(scope, path) };
  yield* connectAdmission(scope, object);
}

function fieldsOf(scope: RequestScope, path: string): Fields {
  switch (scope.subresource) {
    case "exec":
      return { ...streams(scope), command: valuesOf(scope, "command") ?? null };
    case "attach":
      return streams(scope);
    case "portforward":
      return portsOf(scope);
    default:
      return pathOf(scope, path);
  }
}

/** The values of a parameter; undefined if there are none. */
function valuesOf({ query }: RequestScope, name: string): string[] | undefined {
  const values = query.filter(([key]) => key === name).map(([, value]) => value);
  return values.length === 0 ? undefined : values;
}

function streams(scope: RequestScope): Fields {
  const fields: Fields = {};
  for (const name of ["stdin", "stdout", "stderr", "tty"]) {
    const [value] = valuesOf(scope, name) ?? [];
    // Everything else is true, including an empty value.
    if (value !== undefined && value !== "0" && value.toLowerCase() !== "false") fields[name] = true;
  }
  const [container = ""] = valuesOf(scope, "container") ?? [];
  return container === "" ? fields : { ...fields, container };
}

const mostPort = 65_535;

/** @throws StatusError 400, in the words of Go's ParseUint. */
function portsOf(scope: RequestScope): Fields {
  const values = valuesOf(scope, "ports");
  if (values === undefined) return {};
  const ports = values
    .flatMap((value) => value.split(","))
    .map((text) => {
      const wrong = !/^\d+$/.test(text) ? "invalid syntax" : Number(text) > mostPort ? "value out of range" : undefined;
      if (wrong === undefined) return Number(text);
      throw badRequest(`cannot convert to []int32: strconv.ParseUint: parsing ${goQuoted(text)}: ${wrong}`);
    });
  return { ports };
}

/** The part of a path after `proxy`, with one leading slash. */
function pathOf({ namespace }: RequestScope, path: string): Fields {
  const whole = unescapedPath(path);
  // `/api/v1/nodes/NAME/proxy`, or `/api/v1/namespaces/NAMESPACE/pods/NAME/proxy`.
  const before = namespace === "" ? 5 : 7;
  const rest = whole
    .replace(/\/+$/, "")
    .split("/")
    .slice(before + 1)
    .join("/");
  const rooted = rest === "" || rest.startsWith("/") ? rest : `/${rest}`;
  const own = whole.endsWith("/") ? `${rooted}/` : rooted;
  return own === "" ? {} : { path: own };
}
