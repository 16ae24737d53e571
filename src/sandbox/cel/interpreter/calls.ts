/** Calls of functions and operators. Source: cel-go v0.26 interpreter/interpretable.go, planner.go; common/decls/decls.go. */
import { type CallCost, callCost, isPaidBefore } from "../cost/runtime.ts";
import { type FunctionDecl, matchesOverload, noOverloadFor, type Overload, type Run } from "../library/function.ts";
import { CelError, overloadError, typeOf, type Value } from "../values/value.ts";
import type { Evaluate, Frame } from "./frame.ts";

/** A call with its planned operands. */
export interface PlannedCall {
  readonly fn: FunctionDecl;
  /** The overload; undefined if it is known only at run time. */
  readonly overload: Overload | undefined;
  readonly operands: readonly Evaluate[];
}

const receivers = new Set(["duration", "string", "timestamp"]);

/** The implementation of a call, for operands that are not errors. */
function runOf({ fn, overload }: PlannedCall): Run {
  const { name, binding, overloads } = fn;
  if (binding !== undefined) {
    const { kinds, run } = binding;
    if (kinds === undefined) return run;
    return (first = null, ...rest) => {
      const { kind } = typeOf(first);
      if (kinds.has(kind)) return run(first, ...rest);
      return new CelError(receivers.has(kind) ? "no such overload" : `no such overload: ${name}`);
    };
  }
  if (overload?.run !== undefined) {
    const { run } = overload;
    if (fn.isUnguarded === true) return run;
    return (...operands) => (matchesOverload(overload, operands) ? run(...operands) : noOverloadFor(name, operands));
  }
  const runnable = overloads.filter((one) => one.run !== undefined);
  return (...operands) => {
    const found = runnable.find((one) => matchesOverload(one, operands));
    return found?.run === undefined ? noOverloadFor(name, operands) : found.run(...operands);
  };
}

/** Evaluates a call: its operands, then the function; if an operand is an error, the first one is the result. */
export function evaluateCall(call: PlannedCall): Evaluate {
  const { fn, overload, operands } = call;
  const run = runOf(call);
  const cost = callCost(fn.name, overload?.id ?? "");
  const [first, second] = operands;
  if (first === undefined) {
    return (frame) => {
      const result = run();
      frame.spend(cost([], result));
      return result;
    };
  }
  if (isPaidBefore(overload?.id ?? "")) return prepaid(operands, { run, cost });
  if (second === undefined) return unary(first, { run, cost });
  const isDispatched = fn.binding === undefined && overload === undefined;
  if (operands.length > 2 || isDispatched) return many(operands, { run, cost });
  return binary([first, second], { run, cost });
}

interface Callee {
  readonly run: Run;
  readonly cost: CallCost;
}

function unary(operand: Evaluate, { run, cost }: Callee): Evaluate {
  return (frame) => {
    const value = operand(frame);
    const result = value instanceof CelError ? value : run(value);
    frame.spend(cost([value], result));
    return result;
  };
}

function binary([left, right]: readonly [Evaluate, Evaluate], { run, cost }: Callee): Evaluate {
  return (frame) => {
    const a = left(frame);
    const b = right(frame);
    const result = a instanceof CelError ? a : b instanceof CelError ? b : run(a, b);
    frame.spend(cost([a, b], result));
    return result;
  };
}

function prepaid(operands: readonly Evaluate[], { run, cost }: Callee): Evaluate {
  return (frame) => {
    const values = operands.map((operand) => operand(frame));
    frame.spend(cost(values, null));
    return values.find((value) => value instanceof CelError) ?? run(...values);
  };
}

/** With three operands or more, operands after an error are not evaluated, and the call costs nothing. */
function many(operands: readonly Evaluate[], { run, cost }: Callee): Evaluate {
  return (frame) => {
    const values: Value[] = [];
    for (const [n, operand] of operands.entries()) {
      const value = operand(frame);
      values.push(value);
      if (!(value instanceof CelError)) continue;
      if (n === operands.length - 1) frame.spend(cost(values, value));
      return value;
    }
    const result = run(...values);
    frame.spend(cost(values, result));
    return result;
  };
}

/** `@not_strictly_false(value)`: errors do not stop a loop. */
export function notStrictlyFalse(operand: Evaluate): Evaluate {
  return (frame) => {
    const value = operand(frame);
    frame.spend(1);
    return value !== false;
  };
}

/** `a && b` for false, `a || b` for true: one `decisive` term decides, whatever errors others have. */
export function logical(terms: readonly Evaluate[], decisive: boolean): Evaluate {
  return (frame: Frame) => {
    let error: CelError | undefined;
    for (const term of terms) {
      const value = term(frame);
      if (value === decisive) return decisive;
      if (typeof value !== "boolean") error ??= overloadError(value);
    }
    return error ?? !decisive;
  };
}
