/** Secrets never reach a view: values are masked when an event is made. */
import type { FieldChange } from "../api/field-changes.ts";
import { fingerprint } from "../platform/fingerprint.ts";
import type { KindName } from "./names.ts";

/** Shown in place of a hidden value. */
export const masked = "(masked)";

/**
 * What must not be shown: a Secret's `data` and `stringData`, the annotation that carries a whole applied manifest, and fields
 * named for a token. The path decides, so a masked value says that it changed, and not what it is.
 */
export function isSecret(of: KindName, path: string): boolean {
  if (path.includes('["kubectl.kubernetes.io/last-applied-configuration"]')) return true;
  if (of.group === "" && of.kind === "Secret" && /^\.(data|stringData)\b/.test(path)) return true;
  return /\.(token|accessToken|refreshToken|bearerToken)$/i.test(path);
}

/** The value with `hide` of each secret in its place. */
function withoutSecrets(of: KindName, path: string, value: unknown, hide: (secret: unknown) => string): unknown {
  if (isSecret(of, path)) return hide(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item, index) => withoutSecrets(of, `${path}[${index}]`, item, hide));
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      withoutSecrets(
        of,
        /^[A-Za-z_][\w-]*$/.test(key) ? `${path}.${key}` : `${path}[${JSON.stringify(key)}]`,
        item,
        hide,
      ),
    ]),
  );
}

/** The values of a change with a fingerprint for each secret: equal ones are equal, others differ. */
export type MarkedValues = Pick<FieldChange, "before" | "after">;

/** Beside the changes, not in them: what prints or sends a change never prints a fingerprint. */
const marks = new WeakMap<FieldChange, MarkedValues>();

/** The same changes with every secret value replaced. */
export function maskChanges(of: KindName, changes: readonly FieldChange[]): FieldChange[] {
  return changes.map((change) => {
    let hidden = 0;
    const shown = withHidden(of, change, () => {
      hidden++;
      return masked;
    });
    if (hidden > 0)
      marks.set(
        shown,
        withHidden(of, change, (secret) => fingerprint(JSON.stringify(secret) ?? "")),
      );
    return shown;
  });
}

/** What the values of a masked change are compared by, and nothing else; undefined where nothing in it was masked. */
export function markedValues(change: FieldChange): MarkedValues | undefined {
  return marks.get(change);
}

function withHidden(of: KindName, change: FieldChange, hide: (secret: unknown) => string): FieldChange {
  return {
    path: change.path,
    ...("before" in change && { before: withoutSecrets(of, change.path, change.before, hide) }),
    ...("after" in change && { after: withoutSecrets(of, change.path, change.after, hide) }),
  };
}
