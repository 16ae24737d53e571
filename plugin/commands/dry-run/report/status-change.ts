/** What of a status differs between two states of an object, in words: intermediate states are left out. */
import type { StoredObject } from "../../../../src/api/object.ts";

type Status = Readonly<Record<string, unknown>>;

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
}

/** `readyReplicas 3 → 2, Available False (MinimumReplicasUnavailable)`; empty if no count, text or condition differs. */
export function statusChangeText(before: StoredObject | undefined, after: StoredObject | undefined): string {
  const [was, is] = [statusOf(before), statusOf(after)];
  const fields = [...new Set([...Object.keys(was), ...Object.keys(is)])].flatMap((name) => {
    const [from, to] = [was[name], is[name]];
    return from === to || !(isPlain(from) && isPlain(to))
      ? []
      : [`${name} ${valueText(from, to)} → ${valueText(to, from)}`];
  });
  return [...fields, ...conditionTexts(conditionsOf(was), conditionsOf(is))].join(", ");
}

function statusOf(object: StoredObject | undefined): Status {
  // Every kind with a status has it there, as an object.
  const { status } = (object ?? {}) as { readonly status?: Status };
  return status ?? {};
}

function isPlain(value: unknown): boolean {
  return value === undefined || ["number", "string", "boolean"].includes(typeof value);
}

/** A status omits zeros. */
function valueText(value: unknown, other: unknown): string {
  if (value === undefined) return typeof other === "number" ? "0" : "none";
  return typeof value === "string" ? value : JSON.stringify(value);
}

function conditionsOf({ conditions }: Status): readonly Condition[] {
  // Conditions of all built-in kinds have these fields.
  return Array.isArray(conditions) ? (conditions as readonly Condition[]) : [];
}

function conditionTexts(was: readonly Condition[], is: readonly Condition[]): readonly string[] {
  const gone = was.filter(({ type }) => !is.some((each) => each.type === type)).map(({ type }) => `${type} removed`);
  const differing = is.filter(({ type, status }) => was.find((each) => each.type === type)?.status !== status);
  return [
    ...differing.map(({ type, status, reason = "" }) => `${type} ${status}${reason === "" ? "" : ` (${reason})`}`),
    ...gone,
  ];
}
