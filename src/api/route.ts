/** Parsing the path of a request. Source: apiserver v0.36 endpoints/request/requestinfo.go. */

export type Route =
  | {
      readonly is: "resource";
      readonly apiVersion: string;
      readonly namespace: string;
      readonly plural: string;
      readonly name: string;
      readonly subresource: string;
    }
  /** `/api`, `/apis`, `/apis/apps`, `/apis/apps/v1`. */
  | { readonly is: "discovery"; readonly parts: readonly string[] }
  | { readonly is: "other"; readonly path: string };

/** Paths under a namespace that are about the namespace itself. */
const ofNamespace = new Set(["status", "finalize"]);

const wrongEscape = /%(?![0-9a-f]{2})/i;

/** The path without escapes: an escaped slash is an ordinary one, and invalid UTF-8 becomes U+FFFD. @throws URIError */
export function unescapedPath(path: string): string {
  if (!path.includes("%")) return path;
  if (wrongEscape.test(path)) throw new URIError(path);
  return path.replaceAll(/(?:%..)+/g, (escapes) => {
    const bytes = escapes.slice(1).split("%");
    return new TextDecoder().decode(Uint8Array.from(bytes, (hex) => Number.parseInt(hex, 16)));
  });
}

/** @throws URIError for an invalidly escaped path. */
export function routeOf(path: string): Route {
  const parts = unescapedPath(path).split("/").slice(1);
  if (parts.at(-1) === "") parts.pop();
  const [root] = parts;
  if (root !== "api" && root !== "apis") return { is: "other", path };
  const head = root === "api" ? 2 : 3;
  if (parts.length <= head) return { is: "discovery", parts };
  const apiVersion = root === "api" ? (parts[1] as string) : `${parts[1]}/${parts[2]}`;
  const rest = parts.slice(head);
  let namespace = "";
  if (
    rest[0] === "namespaces" &&
    rest.length > 2 &&
    !(apiVersion === "v1" && rest.length === 3 && ofNamespace.has(rest[2] ?? ""))
  ) {
    namespace = rest[1] as string;
    rest.splice(0, 2);
  }
  const [plural = "", name = "", ...subresource] = rest;
  // What follows `proxy` is a path of another server.
  const own = subresource[0] === "proxy" ? "proxy" : subresource.join("/");
  return { is: "resource", apiVersion, namespace, plural, name, subresource: own };
}

/** The path with the query, encoded: `/api/v1/pods?limit=500`. */
export function uriOf({
  path,
  query,
}: {
  readonly path: string;
  readonly query: readonly (readonly [name: string, value: string])[];
}): string {
  const search = new URLSearchParams(query.map(([name, value]): [string, string] => [name, value])).toString();
  return search === "" ? path : `${path}?${search}`;
}
