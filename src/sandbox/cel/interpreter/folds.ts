/** Comprehensions, and their variables. Source: cel-go v0.26 interpreter/interpretable.go evalFold, folder. */
import type { Comprehension, Expr } from "../syntax/ast.ts";
import { entriesOf, MutableList, MutableMap } from "../values/collections.ts";
import { CelError, CelList, CelMap, type Value } from "../values/value.ts";
import { goTypeName } from "./attributes.ts";
import type { Evaluate, Frame } from "./frame.ts";

/** Maps names to slots of a frame. */
export class Names {
  slots: number;
  readonly #open: { readonly name: string; readonly read: Evaluate }[] = [];

  /** @param variables the names of the first slots */
  constructor(variables: readonly string[]) {
    this.slots = variables.length;
    for (const [slot, name] of variables.entries()) {
      const missing = new CelError(`no such attribute(s): ${name}`);
      this.#open.push({ name, read: (frame) => frame.slots[slot] ?? (frame.slots[slot] === null ? null : missing) });
    }
  }

  /** Allocates a new slot. */
  take(): number {
    return this.slots++;
  }

  /** Defines names while an expression is planned. */
  within<T>(names: readonly { readonly name: string; readonly read: Evaluate }[], make: () => T): T {
    this.#open.push(...names);
    const made = make();
    this.#open.length -= names.length;
    return made;
  }

  /** How a name is read in the current scope. */
  read(name: string): Evaluate {
    const found = this.#open.findLast((one) => one.name === name);
    if (found !== undefined) return found.read;
    const missing = new CelError(`no such attribute(s): ${name}`);
    return () => missing;
  }
}

/** Plans the parts of a loop. */
interface PartPlanner {
  readonly names: Names;
  plan(expr: Expr): { readonly evaluate: Evaluate };
}

interface Fold {
  readonly range: Evaluate;
  readonly condition: Evaluate;
  readonly step: Evaluate;
  readonly result: Evaluate;
  readonly accuSlot: number;
  readonly firstSlot: number;
  /** Undefined if the loop has one variable. */
  readonly secondSlot: number | undefined;
}

/** Compiles a loop into a closure. */
export function planFold(expr: Comprehension, planner: PartPlanner): Evaluate {
  const { names } = planner;
  const accuInit = planner.plan(expr.accuInit).evaluate;
  const range = planner.plan(expr.range).evaluate;
  const [accuSlot, firstSlot] = [names.take(), names.take()];
  const secondSlot = expr.iterVar2 === undefined ? undefined : names.take();
  // The accumulator is initialized on first use: if it is never used, it costs nothing.
  const accu = {
    name: expr.accuVar,
    read: (frame: Frame): Value => {
      const known = frame.slots[accuSlot];
      if (known !== undefined) return known;
      const begun = begin(accuInit(frame));
      frame.slots[accuSlot] = begun;
      return begun;
    },
  };
  const slotReader =
    (slot: number): Evaluate =>
    (frame) =>
      frame.slots[slot] ?? null;
  const variables = [accu, { name: expr.iterVar, read: slotReader(firstSlot) }];
  if (expr.iterVar2 !== undefined && secondSlot !== undefined)
    variables.push({ name: expr.iterVar2, read: slotReader(secondSlot) });
  const turn = names.within(variables, () => ({
    condition: planner.plan(expr.condition).evaluate,
    step: planner.plan(expr.step).evaluate,
  }));
  const result = names.within([accu], () => planner.plan(expr.result).evaluate);
  return fold({ range, ...turn, result, accuSlot, firstSlot, secondSlot });
}

/** Empty lists and maps are extended in place. */
function begin(value: Value): Value {
  if (value instanceof CelList && value.size === 0) return new MutableList([]);
  return value instanceof CelMap && value.size === 0 ? new MutableMap() : value;
}

function fold(parts: Fold): Evaluate {
  const { range, result, accuSlot, secondSlot } = parts;
  return (frame) => {
    frame.slots[accuSlot] = undefined;
    const over = range(frame);
    if (over instanceof CelError) return over;
    const failed = secondSlot === undefined ? loop(frame, [parts, over]) : loopPairs(frame, [parts, over]);
    if (failed !== undefined) return failed;
    const value = result(frame);
    if (value instanceof MutableList) return value.frozen();
    return value instanceof MutableMap ? value.frozen() : value;
  };
}

/** One iteration; returns false to stop the loop. */
function turn(frame: Frame, { condition, step, accuSlot }: Fold): boolean {
  const goesOn = condition(frame);
  if (typeof goesOn === "boolean" && !goesOn) return false;
  frame.slots[accuSlot] = step(frame);
  return true;
}

function loop(frame: Frame, [parts, over]: readonly [Fold, Value]): CelError | undefined {
  const { firstSlot } = parts;
  if (over instanceof CelList) {
    for (let n = 0; n < over.size; n++) {
      frame.slots[firstSlot] = over.get(n);
      if (!turn(frame, parts)) break;
    }
    return undefined;
  }
  if (!(over instanceof CelMap)) return new CelError(`got '${goTypeName(over)}', expected iterable type`);
  for (const key of over.keys()) {
    frame.slots[firstSlot] = key;
    if (!turn(frame, parts)) break;
  }
  return undefined;
}

function loopPairs(frame: Frame, [parts, over]: readonly [Fold, Value]): CelError | undefined {
  const { firstSlot, secondSlot = 0 } = parts;
  const each = (key: Value, value: Value): boolean => {
    frame.slots[firstSlot] = key;
    frame.slots[secondSlot] = value;
    return turn(frame, parts);
  };
  if (over instanceof CelMap) {
    entriesOf(over).every(([key, value]) => each(key, value));
    return undefined;
  }
  if (!(over instanceof CelList)) return new CelError(`unsupported comprehension range type: ${goTypeName(over)}`);
  for (let n = 0; n < over.size; n++) if (!each(BigInt(n), over.get(n))) break;
  return undefined;
}
