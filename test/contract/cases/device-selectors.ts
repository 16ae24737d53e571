/** CEL expressions that select devices, in DeviceClasses, claims and templates. */
import { get, patch, post, put, type Case, type Step, type Table } from "../case.ts";

const devices = "/apis/resource.k8s.io/v1";
const classes = `${devices}/deviceclasses`;
const claims = `${devices}/namespaces/{ns}/resourceclaims`;
const templates = `${devices}/namespaces/{ns}/resourceclaimtemplates`;

const selectors = (...expressions: readonly string[]): object => ({
  selectors: expressions.map((expression) => ({ cel: { expression } })),
});
const requests = (...expressions: readonly string[]): object => ({
  devices: { requests: [{ name: "r", exactly: { deviceClassName: "c", ...selectors(...expressions) } }] },
});
/** Stores nothing. */
const tries = (expression: string): Step =>
  post(claims, { metadata: { name: "a" }, spec: requests(expression) }, "dryRun=All");
const each = (name: string, expressions: readonly string[]): Case => ({ name, steps: expressions.map(tries) });

const attribute = 'device.attributes["d.example.com"]';
const capacity = 'device.capacity["d.example.com"]';

const cases: readonly Case[] = [
  each("parts of a device", [
    "true",
    'device.driver == "d.example.com"',
    "device.allowMultipleAllocations",
    "!device.allowMultipleAllocations",
    `${attribute}.model == "a"`,
    `${attribute}["model"] == "a"`,
    `"model" in ${attribute}`,
    '"d.example.com" in device.attributes',
    `has(${attribute}.model) && ${attribute}.model.startsWith("a")`,
    `${attribute}.?model.orValue("a") == "b"`,
    `${attribute}.size > 3`,
    `${attribute}.flag`,
    `!${attribute}.flag`,
    `${attribute}.version.isGreaterThan(semver("1.0.0"))`,
    `semver(${attribute}.version).major() == 1`,
    `${capacity}.memory.compareTo(quantity("10Gi")) >= 0`,
    `${capacity}.memory.isGreaterThan(quantity("10Gi"))`,
    `${capacity}.memory == quantity("1")`,
    "device.attributes.size() > 0",
    "device.attributes.exists(domain, device.attributes[domain].size() > 1)",
    "device.capacity.all(domain, names, names.size() < 3)",
    'device == device && device.driver.matches("^[a-z]+$")',
  ]),
  each("results of other types", [
    "1",
    '"a"',
    "device",
    "device.driver",
    "device.attributes",
    attribute,
    `${attribute}.model`,
    `${attribute}["model"]`,
    capacity,
    `${capacity}.memory`,
    "[true]",
    "{true: false}",
    "null",
    "dyn(true)",
    "optional.of(true)",
    'timestamp("2026-01-01T00:00:00Z")',
    "type(true)",
    "b'a'",
    "1u",
    "1.5",
    `${attribute}.a == 1 ? ${attribute}.b : true`,
    `${attribute}.a == 1 ? ${attribute}.b : ${attribute}.c`,
  ]),
  each("what does not compile", [
    "",
    " ",
    "noSuchVar",
    "device.attributes.",
    "device.name",
    "device.driver == 1",
    "device.driver && true",
    'device.attributes[1] == "a"',
    `${attribute}.memory.compareTo("1")`,
    `${capacity}.memory > 1`,
    `${capacity}.memory == "1Gi"`,
    `${capacity}.memory.noSuch()`,
    'device.attributes["d.example.com"',
    "true\n&& nope",
    "[1, true].size() == 2",
    "device.exists(a, true)",
    "kubernetes.DRADevice{driver: 'a'}.driver == 'a'",
    'quantity("x").isInteger()',
    'device.driver.matches("(")',
    'semver("a").major() == 1',
    "int('x') == 1",
    "object == 1",
    "oldSelf",
  ]),
  each("names bound to values", [
    `cel.bind(d, ${attribute}, d.a && d.b)`,
    `cel.bind(d, ${attribute}, d.a == "x") && d`,
    "cel.bind(1, true, true)",
    "cel.bind(a.b, true, true)",
    "cel.bind(x, true)",
    "cel.bind(x, true, x, x)",
    'cel.bind(x, "a", x)',
    'cel.bind(x, "a", cel.bind(y, x + "b", y + x)) == "aba"',
    "cel.bind(x, y, true)",
    "bind(x, true, x)",
    "device.bind(x, true, x)",
    "device.driver.bind(x, true, x)",
    "cel == 1",
    "[true].exists(x, cel.bind(y, x, y))",
  ]),
  each("macros and functions of all expressions", [
    "[1, 2].all(x, x > 0) && [1].exists_one(x, x == 1)",
    "{'a': 1}.transformMap(k, v, v + 1).size() == 1",
    "[3, 1].sortBy(x, x)[0] == 1",
    "'a'.lowerAscii() == 'a' && 'a b'.split(' ').size() == 2",
    "sets.contains([1, 2], [1])",
    "ip('10.0.0.1').family() == 4",
    "url('https://a').getHost() == 'a'",
    "format.named('dns1123Label').hasValue()",
    "optional.none().hasValue()",
    "authorizer.path('/a').check('get').allowed()",
    "'%s'.format([device.driver]) == 'a'",
    "device.attributes.includes('a')",
    "math.greatest(1, 2) == 2",
  ]),
  each("the cost", [
    "device.attributes.all(a, device.attributes.all(b, a == b))",
    "device.attributes.all(a, device.attributes[a].all(b, device.attributes.all(c, b == c)))",
    "device.attributes.all(a, device.attributes.all(b, device.attributes.all(c, device.attributes.all(d, a == d))))",
    `[${Array.from({ length: 40 }, (_, n) => n).join(", ")}].all(a, device.attributes.all(b, device.attributes.all(c, b + c == b)))`,
    `${attribute}.services.matches("a*b*c*") && ${attribute}.other.contains(device.driver)`,
    `device.attributes.all(a, device.attributes[a].all(b, device.attributes[a][b].matches("${"a".repeat(50)}")))`,
    `device.attributes.all(a, device.attributes.all(b, device.attributes[a].all(c, device.attributes[b][c].matches("${"a".repeat(50)}"))))`,
    "device.driver.split('').all(a, device.driver.split('').all(b, device.driver.split('').all(c, a + b == c)))",
    "device.driver.split('').all(a, device.driver.split('').all(b, device.driver.split('').all(c, device.driver.split('').all(d, a == d))))",
    `${capacity}.all(a, ${capacity}[a].isGreaterThan(quantity("1")))`,
    `device.capacity.all(a, device.capacity[a].all(b, device.capacity.all(c, device.capacity[c].all(d, b == d))))`,
    `cel.bind(d, device.attributes, d.all(a, d[a].all(b, d[a][b] == a)))`,
    `cel.bind(d, device.attributes, d.all(a, d.all(b, d.all(c, d.all(e, a == e)))))`,
  ]),
  each("the length", [
    `"${"a".repeat(10_238)}" == "a"`.slice(0, 10_240),
    `'${"a".repeat(10_230)}' == 'a'`,
    `'${"ä".repeat(5_120)}' == 'a'`,
  ]),
  {
    name: "several selectors, and several places",
    steps: [
      post(claims, { metadata: { name: "a" }, spec: requests("true", "nope", "1") }),
      post(claims, {
        metadata: { name: "a" },
        spec: {
          devices: {
            requests: [
              {
                name: "r",
                firstAvailable: [
                  { name: "one", deviceClassName: "c", ...selectors("device.driver") },
                  { name: "two", deviceClassName: "c", ...selectors("device.allowMultipleAllocations") },
                ],
              },
            ],
          },
        },
      }),
      post(claims, {
        metadata: { name: "a" },
        spec: { devices: { requests: [{ name: "r", exactly: { deviceClassName: "c", selectors: [{}] } }] } },
      }),
      post(templates, { metadata: { name: "a" }, spec: { spec: requests("nope") } }),
      post(templates, { metadata: { name: "a" }, spec: { spec: requests("true") } }),
    ],
  },
  {
    name: "the selectors of a class that is changed",
    steps: [
      post(classes, { metadata: { name: "{ns}" }, spec: selectors("nope") }),
      post(classes, { metadata: { name: "{ns}" }, spec: selectors("true") }),
      patch("merge", `${classes}/{ns}`, { spec: selectors("device.nope") }),
      put(`${classes}/{ns}`, { metadata: { name: "{ns}" }, spec: selectors("device.driver") }),
      patch("merge", `${classes}/{ns}`, { spec: selectors('device.driver == "d.example.com"') }),
      get(`${classes}/{ns}`),
    ],
  },
];

export const deviceSelectors: Table = { name: "device-selectors", cases };
