/**
 * Macros: calls that expand to loops and tests. Source: cel-go v0.26 parser/macro.go, cel/library.go, ext/comprehensions.go, ext/lists.go.
 */
import { accumulator, type Expr } from "./ast.ts";
import type { Builder } from "./builder.ts";

/** A call that may be a macro. */
export interface MacroCall {
  /** Creates nodes at the call's position. */
  readonly build: Builder;
  readonly target: Expr | undefined;
  readonly args: readonly Expr[];
}

/** The expansion of a macro, or an error in its arguments, with a position. */
export type Expansion = Expr | { readonly is: "problem"; readonly at: number; readonly message: string };

/** Undefined if the call is not the macro after all. */
type Expander = (call: MacroCall & { readonly target: Expr }) => Expansion | undefined;

/** By name, number of arguments, and whether the macro is called on a target. */
export type Macros = Readonly<Record<string, Expander>>;

const problem = (at: number, message: string): Expansion => ({ is: "problem", at, message });

/** The loop variables of a macro: one or two. */
interface Variables {
  readonly iterVar: string;
  readonly iterVar2: string | undefined;
}

const overwrites = (name: string): boolean => name === accumulator || name === "__result__";

/** How many names a macro starts with, and the error for arguments that are not names. */
interface Wanted {
  readonly count: 1 | 2;
  readonly wanted: string;
}

/** Reads the first arguments as names. */
function variablesOf(args: readonly Expr[], { count, wanted }: Wanted): Variables | Exclude<Expansion, Expr> {
  const names: string[] = [];
  for (const arg of args.slice(0, count)) {
    if (arg.is !== "ident") return { is: "problem", at: arg.at, message: wanted };
    names.push(arg.name);
  }
  const [iterVar = "", iterVar2] = names;
  if (iterVar === iterVar2)
    return { is: "problem", at: args[1]?.at ?? 0, message: `duplicate variable name: ${iterVar}` };
  const taken = names.findIndex(overwrites);
  if (taken >= 0)
    return {
      is: "problem",
      at: args[taken]?.at ?? 0,
      message: "iteration variable overwrites accumulator variable",
    };
  return { iterVar, iterVar2 };
}

interface LoopCall extends Variables {
  readonly build: Builder;
  readonly target: Expr;
  /** The arguments after the names. */
  readonly rest: readonly Expr[];
}

type LoopMacro = (call: LoopCall) => Expr;

function loop(names: Wanted, expand: LoopMacro): Expander {
  return (call) => {
    const variables = variablesOf(call.args, names);
    if ("is" in variables) return variables;
    return expand({ ...variables, build: call.build, target: call.target, rest: call.args.slice(names.count) });
  };
}

const nothing: Expr = { is: "unspecified", id: 0, at: -1 };

const all: LoopMacro = ({ build, target, rest: [predicate = nothing], iterVar, iterVar2 }) =>
  build.comprehension({
    range: target,
    iterVar,
    iterVar2,
    accuVar: accumulator,
    accuInit: build.literal(true),
    condition: build.call("@not_strictly_false", build.accumulator()),
    step: build.call("_&&_", build.accumulator(), predicate),
    result: build.accumulator(),
  });

const exists: LoopMacro = ({ build, target, rest: [predicate = nothing], iterVar, iterVar2 }) =>
  build.comprehension({
    range: target,
    iterVar,
    iterVar2,
    accuVar: accumulator,
    accuInit: build.literal(false),
    condition: build.call("@not_strictly_false", build.call("!_", build.accumulator())),
    step: build.call("_||_", build.accumulator(), predicate),
    result: build.accumulator(),
  });

const existsOne: LoopMacro = ({ build, target, rest: [predicate = nothing], iterVar, iterVar2 }) =>
  build.comprehension({
    range: target,
    iterVar,
    iterVar2,
    accuVar: accumulator,
    accuInit: build.literal(0n),
    condition: build.literal(true),
    step: build.call(
      "_?_:_",
      predicate,
      build.call("_+_", build.accumulator(), build.literal(1n)),
      build.accumulator(),
    ),
    result: build.call("_==_", build.accumulator(), build.literal(1n)),
  });

/** A loop that builds a list or a map: adds `step` for each item, or for each that passes a filter. */
function collecting(init: (build: Builder) => Expr, add: (call: LoopCall, transform: Expr) => Expr): LoopMacro {
  return (call) => {
    const { build, target, rest, iterVar, iterVar2 } = call;
    const [filter, transform = nothing] = rest.length === 2 ? rest : [undefined, rest[0]];
    const step = add(call, transform);
    return build.comprehension({
      range: target,
      iterVar,
      iterVar2,
      accuVar: accumulator,
      accuInit: init(build),
      condition: build.literal(true),
      step: filter === undefined ? step : build.call("_?_:_", filter, step, build.accumulator()),
      result: build.accumulator(),
    });
  };
}

const emptyList = (build: Builder): Expr => build.list([]);
const emptyMap = (build: Builder): Expr => build.map([]);

const mapToList = collecting(emptyList, ({ build }, transform) =>
  build.call("_+_", build.accumulator(), build.list([transform])),
);
const mapToMap = collecting(emptyMap, ({ build, iterVar }, transform) =>
  build.call("cel.@mapInsert", build.accumulator(), build.ident(iterVar), transform),
);
const mapToEntries = collecting(emptyMap, ({ build }, transform) =>
  build.call("cel.@mapInsert", build.accumulator(), transform),
);

/** `list.filter(x, p)` is `list.map(x, p, x)`. */
const filter: Expander = (call) => {
  const [variable = nothing, predicate = nothing] = call.args;
  return oneToList({ ...call, args: [variable, predicate, variable] });
};

const hasField: Expander = ({ build, args: [arg = nothing] }) =>
  arg.is === "select" ? build.test(arg.operand, arg.field) : problem(arg.at, "invalid argument to has() macro");

/** Binds a value to a name, by a loop without iterations. */
function bound(
  { build }: MacroCall,
  {
    name,
    value,
    use,
    result,
  }: { readonly name: string; readonly value: Expr; readonly use: Expr; readonly result: Expr },
): Expr {
  return build.comprehension({
    range: build.list([]),
    iterVar: "#unused",
    iterVar2: undefined,
    accuVar: name,
    accuInit: value,
    condition: build.literal(false),
    step: use,
    result,
  });
}

function optionalMap(name: string, isFlat: boolean): Expander {
  return (call) => {
    const { build, target, args } = call;
    const [variable = nothing, transform = nothing] = args;
    if (variable.is !== "ident") return problem(variable.at, `${name}() variable name must be a simple identifier`);
    const computed = bound(call, {
      name: variable.name,
      value: build.memberCall("value", [build.copy(target)]),
      use: build.ident(variable.name),
      result: transform,
    });
    return build.call(
      "_?_:_",
      build.memberCall("hasValue", [target]),
      isFlat ? computed : build.call("optional.of", computed),
      build.call("optional.none"),
    );
  };
}

const sortInput = "@__sortBy_input__";

const sortBy: Expander = (call) => {
  const { build, target, args } = call;
  if (!["list", "select", "ident", "comprehension", "call"].includes(target.is)) {
    return problem(
      target.at,
      "sortBy can only be applied to a list, identifier, comprehension, call or select expression",
    );
  }
  const keys = oneToList({ build, target: build.ident(sortInput), args });
  if (keys === undefined || keys.is === "problem") return keys;
  return bound(call, {
    name: sortInput,
    value: target,
    use: build.ident(sortInput),
    result: build.memberCall("@sortByAssociatedKeys", [build.ident(sortInput), keys]),
  });
};

const oneName: Wanted = { count: 1, wanted: "argument must be a simple name" };
const twoNames: Wanted = { count: 2, wanted: "argument must be a simple name" };
const oneIdentifier: Wanted = { count: 1, wanted: "argument is not an identifier" };
const oneToList = loop(oneIdentifier, mapToList);

/** Source: cel-go v0.26 ext/bindings.go celBind. */
const bind: Expander = (call) => {
  const { target, args } = call;
  const [variable = nothing, value = nothing, result = nothing] = args;
  if (target.is !== "ident" || target.name !== "cel") return undefined;
  if (variable.is !== "ident") return problem(variable.at, "cel.bind() variable names must be simple identifiers");
  return bound(call, { name: variable.name, value, use: call.build.ident(variable.name), result });
};

/** The macros of all expressions in Kubernetes. */
export const kubernetesMacros: Macros = {
  "has:1": hasField,
  ".all:2": loop(oneName, all),
  ".all:3": loop(twoNames, all),
  ".exists:2": loop(oneName, exists),
  ".exists:3": loop(twoNames, exists),
  ".exists_one:2": loop(oneName, existsOne),
  ".exists_one:3": loop(twoNames, existsOne),
  ".existsOne:3": loop(twoNames, existsOne),
  ".map:2": oneToList,
  ".map:3": oneToList,
  ".filter:2": filter,
  ".transformList:3": loop(twoNames, mapToList),
  ".transformList:4": loop(twoNames, mapToList),
  ".transformMap:3": loop(twoNames, mapToMap),
  ".transformMap:4": loop(twoNames, mapToMap),
  ".transformMapEntry:3": loop(twoNames, mapToEntries),
  ".transformMapEntry:4": loop(twoNames, mapToEntries),
  ".optMap:2": optionalMap("optMap", false),
  ".optFlatMap:2": optionalMap("optFlatMap", true),
  ".sortBy:2": sortBy,
};

/** These, and `cel.bind(name, value, expression)`. */
export const bindingMacros: Macros = { ...kubernetesMacros, ".bind:3": bind };

/** The expansion of a call; undefined if it is not one of the macros. */
export function expandMacro(
  name: string,
  { macros, ...call }: MacroCall & { readonly macros: Macros },
): Expansion | undefined {
  const key = `${call.target === undefined ? "" : "."}${name}:${call.args.length}`;
  if (!Object.hasOwn(macros, key)) return undefined;
  return macros[key]?.({ ...call, target: call.target ?? nothing });
}
