/** Values that may be absent. Source: cel-go v0.26 cel/library.go, the latest version of the library. */
import { ArrayList, itemsOf } from "../values/collections.ts";
import { goText } from "../values/text.ts";
import {
  CelError,
  CelList,
  CelMap,
  Duration,
  Optional,
  optionalNone,
  Timestamp,
  Uint,
  type Value,
} from "../values/value.ts";
import { bind, declare, type FunctionDecl, guards } from "./function.ts";

const { any, list, optional } = guards;

/** The error for the value of an empty optional. */
const noValue = (): CelError => new CelError("optional.none() dereference");

/** The value of an optional, or an error if there is none. */
export const valueOf = ({ value }: Optional): Value => value ?? (value === null ? null : noValue());

/** True for zero, empty, or the first instant of the year 1. */
function isZero(value: Value): boolean {
  if (value === null || value === false || value === 0n || value === 0 || value === "") return true;
  if (typeof value !== "object") return false;
  if (value instanceof CelList || value instanceof CelMap) return value.size === 0;
  if (value instanceof Uint8Array) return value.length === 0;
  if (value instanceof Uint) return value.value === 0n;
  if (value instanceof Duration) return value.nanos === 0n;
  return value instanceof Timestamp && value.seconds === -62_135_596_800 && value.nanos === 0;
}

function unwrapped(items: CelList): Value {
  const found: Value[] = [];
  for (const item of itemsOf(items)) {
    if (!(item instanceof Optional)) return new CelError(`value ${goText(item)} is not optional`);
    if (item.value !== undefined) found.push(item.value);
  }
  return new ArrayList(found);
}

const at =
  (index: (size: number) => number): ((items: CelList) => Value) =>
  (items) =>
    items.size === 0 ? optionalNone : new Optional(items.get(index(items.size)));

/** `optional.of`, `or`, `orValue` and the others; the interpreter implements `or` and `orValue`. */
export const optionalFunctions: readonly FunctionDecl[] = declare({
  "optional.of": { optional_of: ["(V) optional(V)", bind<[Value]>([any], (value) => new Optional(value))] },
  "optional.ofNonZeroValue": {
    optional_ofNonZeroValue: [
      "(V) optional(V)",
      bind<[Value]>([any], (value) => (isZero(value) ? optionalNone : new Optional(value))),
    ],
  },
  "optional.none": { optional_none: ["() optional(V)", () => optionalNone] },
  value: { optional_value: ["optional(V).() V", bind<[Optional]>([optional], valueOf)] },
  hasValue: {
    optional_hasValue: ["optional(V).() bool", bind<[Optional]>([optional], ({ value }) => value !== undefined)],
  },
  or: { optional_or_optional: "optional(V).(optional(V)) optional(V)" },
  orValue: { optional_orValue_value: "optional(V).(V) V" },
  "_?._": { select_optional_field: "(dyn, string) optional(V)" },
  "_[?_]": {
    list_optindex_optional_int: "(list(V), int) optional(V)",
    optional_list_optindex_optional_int: "(optional(list(V)), int) optional(V)",
    map_optindex_optional_value: "(map(K, V), K) optional(V)",
    optional_map_optindex_optional_value: "(optional(map(K, V)), K) optional(V)",
  },
  "_[_]": {
    optional_list_index_int: "(optional(list(V)), int) optional(V)",
    optional_map_index_value: "(optional(map(K, V)), K) optional(V)",
  },
  last: {
    list_last: [
      "list(V).() optional(V)",
      bind<[CelList]>(
        [list],
        at((size) => size - 1),
      ),
    ],
  },
  first: {
    list_first: [
      "list(V).() optional(V)",
      bind<[CelList]>(
        [list],
        at(() => 0),
      ),
    ],
  },
  "optional.unwrap": {
    optional_unwrap: ["(list(optional(V))) list(V)", bind<[CelList]>([list], unwrapped)],
  },
  unwrapOpt: {
    optional_unwrapOpt: ["list(optional(V)).() list(V)", bind<[CelList]>([list], unwrapped)],
  },
});
