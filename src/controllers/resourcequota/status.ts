/**
 * The status that a quota should have. Source: apiserver v0.36 pkg/quota/v1/resources.go CalculateUsage;
 * generic/evaluator.go.
 */
import type { Kind } from "../../api/kind.ts";
import type { StoredObject } from "../../api/object.ts";
import { addAmounts, type Amounts, amountsOf, zero } from "../../api/quota/amounts.ts";
import { isInScopes } from "../../api/quota/scopes.ts";
import { namesFor, usageOf } from "../../api/quota/usage.ts";
import { canonicalQuantity, formatQuantity, parseQuantity } from "../../api/quantity.ts";
import type { ResourceQuota } from "../../api/types.ts";

/** Quantities as text, by resource name. */
export type Texts = Readonly<Record<string, string>>;

/** A recounted status, and what could not be counted. */
export interface Counted {
  readonly hard: Texts;
  /** Usage counted now; for kinds that could not be counted, the previous usage. */
  readonly used: Texts;
  /** Resource names that match no known kind. */
  readonly uncounted: readonly string[];
  /** Kinds whose objects have not been listed yet, so that their usage is unknown. */
  readonly unlisted: readonly Kind[];
}

/** What usage is counted from. */
export interface Sources {
  readonly kinds: readonly Kind[];
  /** The objects of a kind in the quota's namespace; undefined before they are listed. */
  readonly objects: (kind: Kind) => readonly StoredObject[] | undefined;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** Counts what the quota limits. */
export function countedStatus(quota: ResourceQuota, { kinds, objects, now }: Sources): Counted {
  const hard = quota.spec?.hard ?? {};
  const names = Object.keys(hard);
  const usage: Amounts = new Map();
  const uncounted = new Set(names);
  const unlisted: Kind[] = [];
  for (const kind of kinds) {
    const matching = namesFor(kind, names);
    if (matching.length === 0) continue;
    for (const name of matching) uncounted.delete(name);
    const found = objects(kind);
    if (found === undefined) {
      unlisted.push(kind);
      continue;
    }
    for (const name of matching) usage.set(name, zero);
    for (const object of found) {
      if (isInScopes(quota.spec, kind, object)) addAmounts(usage, usageOf(kind, object, now));
    }
  }
  const before = quota.status?.used ?? {};
  const used: Record<string, string> = {};
  for (const name of names) {
    const text = usage.has(name) ? formatQuantity(usage.get(name) ?? zero) : before[name];
    if (text !== undefined) used[name] = text;
  }
  return { hard: canonical(hard), used, uncounted: [...uncounted], unlisted };
}

function canonical(texts: Texts): Texts {
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, canonicalQuantity(text) ?? text]));
}

/** Whether two lists have equal amounts, in whatever notation; absent equals empty. */
export function sameAmounts(a: Texts | undefined, b: Texts | undefined): boolean {
  const [ofA, ofB] = [amountsOf(a), amountsOf(b)];
  return ofA.size === ofB.size && [...ofA].every(([name, { nano }]) => ofB.get(name)?.nano === nano);
}

/** Whether the status must be written: it is missing, or an amount differs. */
export function isOutdated({ status }: ResourceQuota, { hard, used }: Counted): boolean {
  if (status?.hard === undefined || status.used === undefined) return true;
  return !sameAmounts(hard, status.hard) || !sameAmounts(used, status.used);
}

/** A resource name whose limit or usage changes. */
export interface AmountChange {
  readonly name: string;
  readonly hard: string;
  /** Undefined if it was not counted before. */
  readonly before?: string;
  readonly used?: string;
}

/** The names whose limit or usage changes, in the quota's order. */
export function amountChanges({ status }: ResourceQuota, { hard, used }: Counted): readonly AmountChange[] {
  const same = (a: string | undefined, b: string | undefined): boolean =>
    parseQuantity(a ?? "")?.nano === parseQuantity(b ?? "")?.nano;
  return Object.entries(hard).flatMap(([name, limit]) => {
    const before = status?.used?.[name];
    const after = used[name];
    if (same(before, after) && same(status?.hard?.[name], limit)) return [];
    return [
      { name, hard: limit, ...(before !== undefined && { before }), ...(after !== undefined && { used: after }) },
    ];
  });
}
