/** Evaluates the questions that scripts/cel/oracle.ts sends to Kubernetes' CEL with our CEL, and returns results of the same form. */
import type { Evaluation, Question } from "../../../scripts/cel/oracle.ts";
import { compile, type Environment } from "../../../src/sandbox/cel/program/compile.ts";
import { declTypeOf, named, sizesOf } from "../../../src/sandbox/cel/schema/decl-type.ts";
import { converterOf } from "../../../src/sandbox/cel/schema/json-values.ts";
import { compileRules } from "../../../src/sandbox/cel/schema/rules.ts";
import { withTypeAndObjectMeta } from "../../../src/sandbox/cel/schema/schema.ts";
import { formatG } from "../../../src/sandbox/cel/values/go-numbers.ts";
import { formatTimestamp } from "../../../src/sandbox/cel/values/time.ts";
import { CelType, formatType } from "../../../src/sandbox/cel/values/types.ts";
import {
  CelError,
  CelList,
  CelMap,
  Duration,
  Opaque,
  Optional,
  Timestamp,
  Uint,
  type Value,
} from "../../../src/sandbox/cel/values/value.ts";
import type { FieldError } from "../../../src/sandbox/meta/field-errors.ts";

const perCallLimit = 1_000_000;

/** A value as text, with its type; equal to the result of the function of the same name in main.go. */
export function shown(value: Value): string {
  if (typeof value === "string")
    return JSON.stringify(value).replaceAll(/[\u2028\u2029\u007f]/g, (one) =>
      one === "\u007f" ? one : `\\u${one.charCodeAt(0).toString(16)}`,
    );
  if (typeof value === "number") return `double ${formatG(value)}`;
  if (typeof value !== "object" || value === null) return String(value);
  if (value instanceof Uint) return `${value.value}u`;
  if (value instanceof Uint8Array) return `bytes ${Buffer.from(value).toString("hex")}`;
  if (value instanceof Timestamp) return `timestamp ${formatTimestamp(value)}`;
  if (value instanceof Duration) return `duration ${value.nanos}ns`;
  if (value instanceof Optional)
    return value.value === undefined ? "optional.none()" : `optional(${shown(value.value)})`;
  if (value instanceof CelType) return `type ${value.name}`;
  if (value instanceof CelError) return `error ${value.message}`;
  if (value instanceof CelList)
    return `[${Array.from({ length: value.size }, (_, n) => shown(value.get(n))).join(", ")}]`;
  if (value instanceof CelMap) {
    const entries = value.keys().map((key) => {
      const found = value.find(key);
      const missing = `error no such key: ${typeof key === "string" ? key : shown(key)}`;
      return `${shown(key)}: ${found === undefined ? missing : shown(found)}`;
    });
    return `{${entries.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))).join(", ")}}`;
  }
  return shownOpaque(value);
}

const opaqueNames: Readonly<Record<string, string>> = {
  "kubernetes.URL": "url",
  "net.IP": "ip",
  "net.CIDR": "cidr",
  "kubernetes.Quantity": "quantity",
  "kubernetes.Semver": "semver",
  "kubernetes.NamedFormat": "format",
};

function shownOpaque(value: Opaque): string {
  const name = opaqueNames[value.type.name];
  return name === undefined ? "*common.unknownPreserved" : `${name} ${value.text()}`;
}

/** Our result for a question. */
export function evaluate(question: Question): Evaluation {
  return question.rules === undefined ? evaluated(question) : judged(question);
}

function evaluated({ expression = "", schema, self, oldSelf }: Question): Evaluation {
  const json = schema;
  const type = json === undefined ? undefined : declTypeOf(json, true);
  const types = type === undefined ? undefined : named(type, "selfType");
  const environment: Environment = {
    variables:
      types === undefined
        ? new Map()
        : new Map([
            ["self", types.root.type],
            ["oldSelf", types.root.type],
          ]),
    ...(types === undefined ? {} : { structs: types.structs }),
  };
  const compiled = compile(expression, environment);
  if (compiled.is === "refused") return { issues: compiled.issues };
  const { program } = compiled;
  const { min, max } = program.estimate(type === undefined ? () => undefined : sizesOf(type));
  const checked = { type: formatType(program.type), estimate: [String(min), String(max)] as const };
  if (program.problem !== undefined) return { ...checked, programError: program.problem };
  const convert = json === undefined ? undefined : converterOf(withTypeAndObjectMeta(json));
  const variables = {
    self: self === undefined ? undefined : convert?.(self),
    oldSelf: oldSelf === undefined ? undefined : convert?.(oldSelf),
  };
  const { value, cost } = program.evaluate(variables, perCallLimit);
  return { ...checked, ...(value instanceof CelError ? { error: value.message } : { value: shown(value) }), cost };
}

const line = ({ field, message }: FieldError): string => `${field}: ${message}`;

/** Compares strings by their bytes, as Go does. */
const byBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

function judged({ rules = {}, objects = [] }: Question): Evaluation {
  const { errors, validator } = compileRules(rules, { path: "spec.validation.openAPIV3Schema" });
  const verdicts = objects.map(({ object, old }) => {
    if (validator === undefined) return [];
    const verdict = validator.validate(object, old === undefined ? {} : { old });
    const errorLines = verdict.errors.map((error) => `${error.reason} ${line(error)}`).sort(byBytes);
    return [...errorLines, `budget left: ${verdict.budget}`];
  });
  const schemaErrors = errors.map(line).sort(byBytes);
  return {
    ...(schemaErrors.length > 0 ? { schemaErrors } : {}),
    ...(verdicts.length > 0 ? { verdicts } : {}),
  };
}
