/** Masks secrets when an event is made, so that they never reach a view. */
import type { FieldChange } from "../api/field-changes.ts";
import { fingerprint } from "../platform/fingerprint.ts";
import type { KindName } from "./names.ts";

/** Shown in place of a secret value. */
export const masked = "(masked)";

/**
 * Whether the field at `path` must not be shown: a Secret's `data` and `stringData`, the last-applied-configuration annotation, and
 * fields named after a token. A masked field still shows that it changed.
 */
export function isSecret(of: KindName, path: string): boolean {
  if (path.includes('["kubectl.kubernetes.io/last-applied-configuration"]')) return true;
  if (of.group === "" && of.kind === "Secret" && /^\.(data|stringData)\b/.test(path)) return true;
  return /\.(token|accessToken|refreshToken|bearerToken)$/i.test(path);
}

/** The value with each secret replaced by `hide(secret)`. */
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

/** The values of a change with each secret replaced by its fingerprint: equal secrets have equal fingerprints. */
export type MarkedValues = Pick<FieldChange, "before" | "after">;

/** Kept apart from the changes, so that printing or sending a change never includes a fingerprint. */
const marks = new WeakMap<FieldChange, MarkedValues>();

/** The same changes with every secret masked. */
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

/** The values to compare masked changes by; undefined if nothing in the change was masked. Not to be shown. */
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
