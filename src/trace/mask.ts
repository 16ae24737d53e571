/** Secrets never reach a view: values are masked when an event is made. */
import type { FieldChange } from "../api/field-changes.ts";
import type { KindName } from "./names.ts";

const masked = "(masked)";

/**
 * What must not be shown: a Secret's `data` and `stringData`, the annotation that carries a whole applied manifest, and fields
 * named for a token. The path decides, so a masked value says that it changed, and not what it is.
 */
export function isSecret(of: KindName, path: string): boolean {
  if (path.includes('["kubectl.kubernetes.io/last-applied-configuration"]')) return true;
  if (of.group === "" && of.kind === "Secret" && /^\.(data|stringData)\b/.test(path)) return true;
  return /\.(token|accessToken|refreshToken|bearerToken)$/i.test(path);
}

function withoutSecrets(of: KindName, path: string, value: unknown): unknown {
  if (isSecret(of, path)) return masked;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item, index) => withoutSecrets(of, `${path}[${index}]`, item));
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      withoutSecrets(of, /^[A-Za-z_][\w-]*$/.test(key) ? `${path}.${key}` : `${path}[${JSON.stringify(key)}]`, item),
    ]),
  );
}

/** The same changes with every secret value replaced. */
export function maskChanges(of: KindName, changes: readonly FieldChange[]): FieldChange[] {
  return changes.map((change) => ({
    path: change.path,
    ...("before" in change && { before: withoutSecrets(of, change.path, change.before) }),
    ...("after" in change && { after: withoutSecrets(of, change.path, change.after) }),
  }));
}
