/** The types of the fields of a kubeconfig's entries. Other fields are ignored, as in kubectl. */
import { KubeconfigError } from "./kubeconfig-types.ts";
import { typeName } from "./redacted.ts";

type Shape =
  | "text"
  | "truth"
  | { readonly listOf: Shape }
  | { readonly mapOf: Shape }
  | { readonly fields: Readonly<Record<string, Shape>> };

function texts(names: string): Readonly<Record<string, Shape>> {
  return Object.fromEntries(names.split(" ").map((name) => [name, "text" as const]));
}

/** Source: client-go v0.36 tools/clientcmd/api/v1/types.go. */
const shapes: Readonly<Record<"cluster" | "user" | "context", Shape>> = {
  cluster: {
    fields: {
      ...texts("server tls-server-name certificate-authority certificate-authority-data proxy-url"),
      "insecure-skip-tls-verify": "truth",
      "disable-compression": "truth",
    },
  },
  user: {
    fields: {
      ...texts("client-certificate client-certificate-data client-key client-key-data token tokenFile"),
      ...texts("username password as as-uid"),
      "as-groups": { listOf: "text" },
      "as-user-extra": { mapOf: { listOf: "text" } },
      "auth-provider": { fields: { name: "text", config: { mapOf: "text" } } },
      exec: {
        fields: {
          ...texts("apiVersion command installHint interactiveMode"),
          provideClusterInfo: "truth",
          args: { listOf: "text" },
          env: { listOf: { fields: texts("name value") } },
        },
      },
    },
  },
  context: { fields: texts("cluster user namespace") },
};

/**
 * @throws KubeconfigError that starts with `where` and names the type of a wrong value, never the value: it may be a
 * password.
 */
export function checkEntry(entry: unknown, field: keyof typeof shapes, where: string): void {
  check(entry, shapes[field], { path: "", where });
}

interface Place {
  /** Empty for the entry itself. */
  readonly path: string;
  readonly where: string;
}

function check(value: unknown, shape: Shape, place: Place): void {
  if (value === undefined || value === null) return;
  if (shape === "text") {
    if (typeof value !== "string") throw mistaken(value, "a text", place);
  } else if (shape === "truth") {
    if (typeof value !== "boolean") throw mistaken(value, "true or false", place);
  } else if ("listOf" in shape) {
    if (!Array.isArray(value)) throw mistaken(value, "a list", place);
    value.forEach((item, index) => check(item, shape.listOf, below(place, String(index))));
  } else {
    if (typeof value !== "object" || Array.isArray(value)) throw mistaken(value, "a map", place);
    for (const [name, item] of Object.entries(value)) {
      const inner = "mapOf" in shape ? shape.mapOf : Object.hasOwn(shape.fields, name) ? shape.fields[name] : undefined;
      if (inner !== undefined) check(item, inner, below(place, name));
    }
  }
}

function below({ path, where }: Place, name: string): Place {
  return { path: path === "" ? name : `${path}.${name}`, where };
}

function mistaken(value: unknown, wanted: string, { path, where }: Place): KubeconfigError {
  const what = path === "" ? `${where} is` : `${where} has a ${path} that is`;
  const next = wanted === "a text" && typeof value !== "object" ? { next: "put it in quotes" } : {};
  return new KubeconfigError(`${what} ${typeName(value)}, not ${wanted}`, next);
}

/** The name of an entry or of the current context. @throws KubeconfigError that starts with `what`. */
export function checkedText(value: unknown, what: string): string {
  if (typeof value === "string") return value;
  throw mistaken(value, "a text", { path: "", where: what });
}
