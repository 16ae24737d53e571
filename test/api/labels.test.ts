import { describe, expect, test } from "bun:test";
import {
  formatSelector,
  type Labels,
  matches,
  matchesEverything,
  selectorOf,
  selectorOfLabels,
  selectorOrNothing,
} from "../../src/api/labels.ts";
import { parseSelector, SelectorError } from "../../src/api/selector-parser.ts";
import { InvalidSelectorError, validSelectorOf } from "../../src/api/selector-problems.ts";

const rows: readonly { readonly selector: string; readonly labels: Labels; readonly matches: boolean }[] = [
  { selector: "app=web", labels: { app: "web" }, matches: true },
  { selector: "app==web", labels: { app: "web" }, matches: true },
  { selector: "app=web", labels: { app: "api" }, matches: false },
  { selector: "app=web", labels: {}, matches: false },
  { selector: "app!=web", labels: {}, matches: true },
  { selector: "app!=web", labels: { app: "web" }, matches: false },
  { selector: "app in (web, api)", labels: { app: "api" }, matches: true },
  { selector: "app in (web,api)", labels: {}, matches: false },
  { selector: "app notin (web,api)", labels: {}, matches: true },
  { selector: "app notin (web,api)", labels: { app: "web" }, matches: false },
  { selector: "app", labels: { app: "" }, matches: true },
  { selector: "app", labels: {}, matches: false },
  { selector: "!app", labels: {}, matches: true },
  { selector: "!app", labels: { app: "x" }, matches: false },
  { selector: "app=", labels: { app: "" }, matches: true },
  { selector: "n>3", labels: { n: "4" }, matches: true },
  { selector: "n>3", labels: { n: "3" }, matches: false },
  { selector: "n<3", labels: { n: "two" }, matches: false },
  { selector: "a.io/tier in (x),app=web,!old", labels: { "a.io/tier": "x", app: "web" }, matches: true },
  { selector: "a.io/tier in (x),app=web,!old", labels: { "a.io/tier": "x", app: "web", old: "" }, matches: false },
  { selector: "", labels: { anything: "x" }, matches: true },
  { selector: "constructor", labels: {}, matches: false },
  { selector: "__proto__", labels: {}, matches: false },
];

test.each([
  ["GreaterThan", "4.5", "8"],
  ["GreaterThan", "0x1", "8"],
  ["GreaterThan", "", "8"],
  ["LessThan", "99999999999999999999", "8"],
  ["GreaterThan", "3", "99999999999999999999"],
] as const)("%s %j does not match %j: one of them is not an integer of 64 bits", (operator, value, label) => {
  expect(matches([{ key: "n", operator, values: [value] }], { n: label })).toBe(false);
});

const longValue = "x".repeat(64);
const notALabel =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

test.each([
  [{ matchLabels: { path: "/a" } }, `values[0][path]: Invalid value: "/a": ${notALabel}`],
  [
    { matchLabels: { path: longValue } },
    `values[0][path]: Invalid value: "${longValue}": must be no more than 63 bytes`,
  ],
  [
    { matchExpressions: [{ key: "a", operator: "Equals", values: ["b"] }] },
    '"Equals" is not a valid label selector operator',
  ],
  [
    { matchExpressions: [{ key: "a", operator: "NotIn" }] },
    "values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty",
  ],
  [
    { matchExpressions: [{ key: "a", operator: "Exists", values: ["b", "/"] }] },
    `[values: Invalid value: ["b","/"]: values set must be empty for exists and does not exist, values[1][a]: Invalid value: "/": ${notALabel}]`,
  ],
] as const)("%j is refused with apimachinery's message", (selector, message) => {
  expect(() => validSelectorOf(selector as never)).toThrow(new InvalidSelectorError(message));
});

test("a valid selector object is read", () => {
  expect(validSelectorOf(undefined)).toBe("nothing");
  expect(validSelectorOf({ matchLabels: { a: "b" } })).toEqual(selectorOf({ matchLabels: { a: "b" } }));
});

describe("a label selector", () => {
  for (const row of rows.filter(({ selector }) => selector !== "__proto__")) {
    test(`${JSON.stringify(row.selector)} ${row.matches ? "matches" : "does not match"} ${JSON.stringify(row.labels)}`, () => {
      const selector = parseSelector(row.selector);
      expect(matches(selector, row.labels)).toBe(row.matches);
      expect(matches(parseSelector(formatSelector(selector)), row.labels)).toBe(row.matches);
    });
  }

  const wrong: Readonly<Record<string, string>> = {
    "app=web=x": "found '=', expected: ',' or 'end of string'",
    "a b": "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt",
    "app in web": "unable to parse requirement: found 'web' expected: '('",
    "app in (a": "unable to parse requirement: found '', expected: ',' or ')'",
    "=web": "found '=', expected: !, identifier, or 'end of string'",
    "app=we b": "found 'b', expected: ',' or 'end of string'",
    "n>x": `unable to parse requirement: values[0]: Invalid value: "x": for 'Gt', 'Lt' operators, the value must be an integer`,
    "app=web,,b": "found ',', expected: identifier after ','",
  };
  for (const [text, problem] of Object.entries(wrong)) {
    test(`${JSON.stringify(text)} is refused with apimachinery's message`, () => {
      expect(() => parseSelector(text)).toThrow(`Cannot read the label selector ${JSON.stringify(text)}: ${problem}`);
    });
  }

  for (const [text, part] of [
    ["-app", "name part must consist of alphanumeric characters"],
    ["app=-", "a valid label must be an empty string or consist of alphanumeric characters"],
    ["__proto__", "name part must consist of alphanumeric characters"],
  ] as const) {
    test(`${JSON.stringify(text)} is refused for an invalid key or value`, () => {
      expect(() => parseSelector(text)).toThrow(SelectorError);
      expect(() => parseSelector(text)).toThrow(part);
    });
  }
});

describe("the selector of an object", () => {
  test("selects nothing if it is missing, and everything if it is empty", () => {
    expect(matches(selectorOf(undefined), { app: "web" })).toBe(false);
    expect(matches(selectorOf({}), { app: "web" })).toBe(true);
    expect(matchesEverything(selectorOf({}))).toBe(true);
    expect(matchesEverything(selectorOf(undefined))).toBe(false);
  });

  test("combines labels and expressions", () => {
    const selector = selectorOf({
      matchLabels: { app: "web" },
      matchExpressions: [{ key: "tier", operator: "NotIn", values: ["db"] }],
    });
    expect(
      [{ app: "web" }, { app: "web", tier: "db" }, { tier: "x" }].map((labels) => matches(selector, labels)),
    ).toEqual([true, false, false]);
  });

  test("is refused for an unknown operator, or values that do not fit the operator", () => {
    const expression = (operator: string, values?: string[]) => () =>
      selectorOf({ matchExpressions: [{ key: "a", operator, ...(values !== undefined && { values }) }] });
    expect(expression("In")).toThrow("needs at least one value");
    expect(expression("Exists", ["x"])).toThrow("takes no values");
    expect(expression("Gt", ["1"])).toThrow("is not an operator");
  });

  test("matches nothing if it is invalid and read with selectorOrNothing; other errors are thrown", () => {
    const invalid = { matchExpressions: [{ key: "a", operator: "In" }] };
    expect(selectorOrNothing(() => selectorOf(invalid))).toBe("nothing");
    expect(
      matches(
        selectorOrNothing(() => selectorOf({ matchLabels: { a: "1" } })),
        { a: "1" },
      ),
    ).toBe(true);
    const broken = (): never => {
      throw new TypeError("broken");
    };
    expect(() => selectorOrNothing(broken)).toThrow("broken");
  });

  test("of a ReplicationController is its labels", () => {
    expect(formatSelector(selectorOfLabels({ a: "1", b: "2" }))).toBe("a=1,b=2");
    expect(matches(selectorOfLabels(undefined), {})).toBe(true);
  });
});
