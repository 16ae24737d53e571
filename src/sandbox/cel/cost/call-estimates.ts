/**
 * Estimated costs of calls. Source: apiserver v0.36 pkg/cel/library/cost.go EstimateCallCost; cel-go v0.26 checker/cost.go functionCost,
 * ext/lists.go, ext/sets.go.
 */
import { authorizationTypes } from "../library/authorizer.ts";
import type { CelType } from "../values/types.ts";
import { fixed, type Node, none, plus, type Range, scaled, type SizeEstimator, times, unknownSize } from "./range.ts";

/** A call whose cost is estimated. */
export interface EstimatedCall {
  readonly fn: string;
  readonly overload: string;
  readonly target: Node | undefined;
  readonly args: readonly Node[];
}

/** A cost, and the size of the result if it is known. */
export interface CallEstimate {
  readonly cost: Range;
  readonly size?: Range;
}

/** Estimates a call whose sizes are known; undefined if no library has the function. */
type Estimate = (call: Sized) => CallEstimate | undefined;

interface Sized extends EstimatedCall {
  readonly sizeOf: (node: Node) => Range;
  /** The sizes of the target and the first two arguments. */
  readonly targetSize: Range | undefined;
  readonly first: Range | undefined;
  readonly second: Range | undefined;
  /** The size of the target's items. */
  readonly itemSize: (list: Node) => { readonly type: CelType; readonly size: Range } | undefined;
}

const traversal = 0.1;
const patternFactor = 0.25;
const most = unknownSize.max;
const one: CallEstimate = { cost: fixed(1n) };

/** The estimated cost of a call, without its arguments. */
export function callEstimate(call: EstimatedCall, sizes: SizeEstimator): CallEstimate {
  const sizeOf = (node: Node): Range =>
    node.size ?? (node.path.length === 0 ? undefined : sizes(node.path)) ?? unknownSize;
  const sized: Sized = {
    ...call,
    sizeOf,
    targetSize: call.target === undefined ? undefined : sizeOf(call.target),
    first: call.args[0] === undefined ? undefined : sizeOf(call.args[0]),
    second: call.args[1] === undefined ? undefined : sizeOf(call.args[1]),
    itemSize: (list) => {
      const [type] = list.type.parameters;
      if (type === undefined) return undefined;
      const path = list.path.length === 0 ? [] : [...list.path, "@items"];
      return { type, size: sizeOf({ path, type, expr: undefined, size: undefined }) };
    },
  };
  const known = (table: Readonly<Record<string, Estimate>>, key: string): CallEstimate | undefined =>
    Object.hasOwn(table, key) ? table[key]?.(sized) : undefined;
  return (
    known(ofOverloads, sortOverload(call.overload)) ??
    known(ofKubernetes, call.fn) ??
    known(ofStandard, call.overload) ??
    one
  );
}

/** All sort overloads have the same estimate, except for strings and bytes. */
function sortOverload(overload: string): string {
  const [, type, by] = /^list_(.+)_sort(ByAssociatedKeys)?$/.exec(overload) ?? [];
  if (type === undefined) return overload;
  return `sort${by === undefined ? "" : "By"}${type === "string" || type === "bytes" ? "Text" : ""}`;
}

const allocating = (factor: number, size: Range): CallEstimate => ({
  cost: plus(plus(scaled(size, factor), fixed(1n)), fixed(10n)),
  size,
});

function intLiteral(node: Node | undefined, otherwise: bigint): bigint {
  if (node?.expr?.is !== "literal" || typeof node.expr.value !== "bigint") return otherwise;
  return node.expr.value < 0n ? 0n : node.expr.value;
}

const sorting =
  (factor: number, isBy: boolean): Estimate =>
  ({ target, targetSize, first, args }) => {
    const size = isBy ? first : targetSize;
    if (target === undefined || size === undefined || args.length !== (isBy ? 1 : 0)) return undefined;
    return allocating(factor, times(size, size));
  };

const sets =
  (factor: number): Estimate =>
  ({ first, second }) =>
    first === undefined || second === undefined
      ? undefined
      : { cost: plus(scaled(times(first, second), factor), fixed(1n)) };

const ofOverloads: Readonly<Record<string, Estimate>> = {
  list_slice: ({ args, targetSize }) =>
    targetSize === undefined
      ? undefined
      : allocating(1, fixed(BigInt.asUintN(64, intLiteral(args[1], targetSize.max) - intLiteral(args[0], 0n)))),
  list_flatten: ({ targetSize }) => (targetSize === undefined ? undefined : allocating(1, targetSize)),
  list_flatten_int: ({ args, targetSize }) =>
    targetSize === undefined ? undefined : allocating(Number(intLiteral(args[0], most)), targetSize),
  lists_range: ({ args }) => allocating(1, fixed(intLiteral(args[0], most))),
  list_reverse: ({ targetSize }) => (targetSize === undefined ? undefined : allocating(1, targetSize)),
  list_distinct: ({ targetSize }) =>
    targetSize === undefined ? undefined : allocating(2, times(targetSize, targetSize)),
  sort: sorting(2, false),
  sortText: sorting(2 + traversal, false),
  sortBy: sorting(2, true),
  sortByText: sorting(2 + traversal, true),
  list_sets_contains_list: sets(1),
  list_sets_intersects_list: sets(1),
  list_sets_equivalent_list: sets(2),
};

const traversed: Estimate = ({ first }) => (first === undefined ? undefined : { cost: scaled(first, traversal) });
const traversedTarget: Estimate = ({ targetSize }) =>
  targetSize === undefined ? undefined : { cost: scaled(targetSize, traversal), size: targetSize };
const single: Estimate = () => one;

const overItems: Estimate = ({ target, targetSize, itemSize }) => {
  if (target === undefined || targetSize === undefined) return undefined;
  const item = itemSize(target);
  if (item === undefined) return { cost: scaled(targetSize, traversal) };
  const isText = item.type.kind === "string" || item.type.kind === "bytes";
  const cost = isText ? plus(fixed(1n), scaled(item.size, traversal)) : fixed(1n);
  return { cost: times(targetSize, cost) };
};

const dividedUp = (a: bigint, b: bigint): bigint => {
  const quotient = Math.ceil(Number(a) / Number(b));
  return quotient >= 2 ** 64 ? most : BigInt(quotient);
};

/** The length of a string after replacements; source: the case "replace" of EstimateCallCost. */
function replacedSize(size: Range, [from, to]: readonly [Range, Range]): Range {
  let count = none;
  let kept = none;
  if (from.min === 0n) {
    count = { ...count, max: size.max < most ? size.max + 1n : size.max };
    kept = { ...kept, max: size.max };
  } else if (to.max <= from.min) kept = { ...kept, max: size.max };
  else count = { ...count, max: dividedUp(size.max, from.min) };
  if (from.max === 0n) {
    count = { ...count, min: size.min < most ? size.min + 1n : size.min };
    kept = { ...kept, min: size.min };
  } else if (from.max <= to.min) kept = { ...kept, min: size.min };
  else count = { ...count, min: dividedUp(size.min, from.max) };
  return plus(times(count, to), kept);
}

const replacing: Estimate = ({ targetSize, first, second }) => {
  if (targetSize === undefined || first === undefined || second === undefined) return undefined;
  return { cost: scaled(targetSize, 2 * traversal), size: replacedSize(targetSize, [first, second]) };
};

const splitting: Estimate = ({ targetSize, args: [, limit] }) => {
  if (targetSize === undefined) return undefined;
  const value = limit?.expr?.is === "literal" ? limit.expr.value : undefined;
  const max = typeof value === "bigint" ? BigInt.asUintN(64, value) : targetSize.max;
  return { cost: scaled(targetSize, 2 * traversal), size: { min: 0n, max } };
};

const joining: Estimate = ({ target, targetSize, first, itemSize }) => {
  if (target === undefined || targetSize === undefined) return undefined;
  const item = itemSize(target);
  let size = item === undefined ? none : times(targetSize, item.size);
  if (first !== undefined) {
    const separators = {
      min: targetSize.min > 0n ? targetSize.min - 1n : 0n,
      max: targetSize.max > 0n ? targetSize.max - 1n : 0n,
    };
    size = plus(size, times(first, separators));
  }
  return { cost: scaled(size, traversal), size };
};

const matching = (text: Range, pattern: Range): Range =>
  times(scaled(plus(text, fixed(1n)), traversal), scaled(pattern, patternFactor));

const finding: Estimate = ({ targetSize, first }) =>
  targetSize === undefined || first === undefined
    ? undefined
    : { cost: matching(targetSize, first), size: { min: 0n, max: targetSize.max } };

const addressSize: Range = { min: 4n, max: 16n };

const containing =
  (parsed: string, isNetwork: boolean): Estimate =>
  ({ first, overload }) => {
    if (first === undefined) return undefined;
    let cost = scaled(plus(addressSize, addressSize), traversal);
    if (isNetwork) cost = plus(plus(cost, scaled(addressSize, traversal)), fixed(1n));
    return { cost: overload === parsed ? plus(cost, scaled(first, traversal)) : cost };
  };

const selecting: Estimate = ({ args, first }) => {
  if (args.length !== 1 || first === undefined) return undefined;
  const requirements = scaled(scaled(first, 0.5), 50);
  return { cost: plus(plus(fixed(10n), scaled(first, traversal)), requirements) };
};

/** Estimates equality for Kubernetes' own types. */
const equality: Estimate = ({ args: [left, right] }) => {
  if (left === undefined || right === undefined || left.type.name !== right.type.name) return undefined;
  const { kind, name } = left.type;
  if (kind === "opaque" && (name === "net.IP" || name === "net.CIDR")) return one;
  if (kind !== "struct") return undefined;
  if (name === "kubernetes.Quantity" || name === "kubernetes.Semver" || authorizationTypes.has(name)) return one;
  if (name === "kubernetes.NamedFormat") return { cost: scaled({ min: 1n, max: 64n }, traversal) };
  if (name !== "kubernetes.URL") return undefined;
  return { cost: scaled({ min: 1n, max: right.size?.max ?? 1n }, traversal) };
};

const many = (names: string, estimate: Estimate): Record<string, Estimate> =>
  Object.fromEntries(names.split(" ").map((name) => [name, estimate]));

const ofKubernetes: Readonly<Record<string, Estimate>> = {
  check: () => ({ cost: fixed(350_000n) }),
  ...many("serviceAccount path group resource subresource namespace name allowed reason error errored", single),
  ...many("fieldSelector labelSelector", selecting),
  ...many("isSorted sum max min indexOf lastIndexOf", overItems),
  ...many("url jsonpatch.escapeKey", ({ args, first }) =>
    args.length !== 1 || first === undefined ? undefined : { cost: scaled(first, traversal), size: first },
  ),
  ...many("lowerAscii upperAscii substring trim", traversedTarget),
  replace: replacing,
  split: splitting,
  join: joining,
  ...many("find findAll", finding),
  ...many("cidr isIP isCIDR quantity isQuantity semver isSemver", traversed),
  ip: (call) => (call.overload === "cidr_ip" ? one : traversed(call)),
  "ip.isCanonical": ({ first }) => (first === undefined ? undefined : { cost: scaled(first, 2 * traversal) }),
  ...many(
    "masked prefixLength family isUnspecified isLoopback isLinkLocalMulticast isLinkLocalUnicast isGlobalUnicast",
    single,
  ),
  containsIP: containing("cidr_contains_ip_string", false),
  containsCIDR: containing("cidr_contains_cidr_string", true),
  validate: ({ first }) =>
    first === undefined ? undefined : { cost: scaled(scaled(first, traversal), 128 * patternFactor) },
  "format.named": single,
  ...many(
    "sign asInteger isInteger asApproximateFloat isGreaterThan isLessThan compareTo add sub major minor patch",
    single,
  ),
  ...many("getScheme getHostname getHost getPort getEscapedPath getQuery", single),
  "_==_": equality,
};

/** A comparison only reads as much as the smaller value has. */
const comparing: Estimate = ({ first, second }) => {
  if (first === undefined || second === undefined) return undefined;
  const max = first.max < second.max ? first.max : second.max;
  return { cost: scaled({ min: max > 0n ? 1n : 0n, max }, traversal) };
};

const adding =
  (cost: (size: Range) => Range): Estimate =>
  ({ first, second }) => {
    if (first === undefined || second === undefined) return undefined;
    const size = plus(first, second);
    return { cost: cost(size), size };
  };

const orders = ["less", "less_equals", "greater", "greater_equals"];

const ofStandard: Readonly<Record<string, Estimate>> = {
  string_format: ({ targetSize }) => (targetSize === undefined ? undefined : { cost: scaled(targetSize, traversal) }),
  string_to_bytes: ({ first }) =>
    first === undefined
      ? undefined
      : { cost: scaled(first, traversal), size: { min: first.min, max: BigInt.asUintN(64, first.max * 4n) } },
  bytes_to_string: ({ first }) =>
    first === undefined ? undefined : { cost: scaled(first, traversal), size: { min: first.min / 4n, max: first.max } },
  strings_quote: ({ first }) =>
    first === undefined
      ? undefined
      : {
          cost: scaled(first, traversal),
          size: { min: first.min + 2n, max: BigInt.asUintN(64, first.max * 2n + 2n) },
        },
  starts_with_string: traversed,
  ends_with_string: traversed,
  in_list: ({ second }) => (second === undefined ? undefined : { cost: scaled(second, 1) }),
  matches_string: ({ targetSize, first }) =>
    targetSize === undefined || first === undefined ? undefined : { cost: matching(targetSize, first) },
  contains_string: ({ targetSize, first }) =>
    targetSize === undefined || first === undefined
      ? undefined
      : { cost: times(scaled(targetSize, traversal), scaled(first, traversal)) },
  add_string: adding((size) => scaled(size, traversal)),
  add_bytes: adding((size) => scaled(size, traversal)),
  add_list: adding(() => fixed(1n)),
  equals: comparing,
  not_equals: comparing,
  ...Object.fromEntries(orders.flatMap((order) => ["string", "bytes"].map((type) => [`${order}_${type}`, comparing]))),
};
