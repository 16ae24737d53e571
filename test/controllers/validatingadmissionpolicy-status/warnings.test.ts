import { describe, expect, test } from "bun:test";
import type { PolicyTypes } from "../../../src/controllers/validatingadmissionpolicy-status/types.ts";
import { expressionsOf, warningsFor } from "../../../src/controllers/validatingadmissionpolicy-status/warnings.ts";
import type { JsonSchema } from "../../../src/sandbox/cel/schema/schema.ts";
import { type PolicySpec, policyOf } from "./policies.ts";

const text: JsonSchema = { type: "string" };
const number: JsonSchema = { type: "integer" };
const object = (properties: Readonly<Record<string, JsonSchema>>): JsonSchema => ({ type: "object", properties });

const deployment = { group: "apps", version: "v1", kind: "Deployment" };
const pod = { group: "", version: "v1", kind: "Pod" };

/** The types for a policy on Deployments with this schema; there are no parameters by default. */
const ofDeployments = (schema: JsonSchema, params?: PolicyTypes["params"]): PolicyTypes => ({
  kinds: [{ ...deployment, schema }],
  params,
});

const warned = async (spec: PolicySpec, types: PolicyTypes): Promise<readonly string[]> =>
  (await warningsFor(policyOf(spec), types)).map(({ fieldRef, warning }) => `${fieldRef} ${warning}`);
const validation = (expression: string, messageExpression?: string): PolicySpec => ({
  validations: [{ expression, ...(messageExpression !== undefined && { messageExpression }) }],
});

const first = "spec.validations[0].expression";

/** The error message of cel-go for an expression of one line. */
function problem(column: number, says: string, expression: string): string {
  return `ERROR: <input>:1:${column}: ${says}\n | ${expression}\n | ${".".repeat(column - 1)}^`;
}

describe("an expression is right", () => {
  for (const { name, spec, types } of [
    { name: "if there is none", spec: {}, types: ofDeployments(object({})) },
    { name: "without a kind", spec: validation("object.foo == 'bar'"), types: { kinds: [], params: undefined } },
    {
      name: "for a field of its type",
      spec: validation("object.foo == 'bar'"),
      types: ofDeployments(object({ foo: text })),
    },
    {
      name: "for the field before the change",
      spec: validation("oldObject.foo == object.foo"),
      types: ofDeployments(object({ foo: text })),
    },
    {
      name: "for the fields of every object, whatever its schema has",
      spec: validation("object.metadata.name + object.metadata.generateName + object.kind + object.apiVersion == ''"),
      types: ofDeployments(object({})),
    },
    { name: "for objects without a known schema", spec: validation("object.foo == 1"), types: ofDeployments({}) },
    {
      name: "for parameters without a known schema",
      spec: validation("params != null && params.some.thing == object.foo"),
      types: ofDeployments(object({ foo: text }), "unknown"),
    },
    {
      name: "for parameters with an empty schema",
      spec: validation("params != null && params.x == 1"),
      types: ofDeployments({}, { group: "", version: "v1", kind: "Config", schema: {} }),
    },
    {
      name: "whatever its result: that is not checked",
      spec: validation("object.foo", "1"),
      types: ofDeployments(object({ foo: text })),
    },
    {
      name: "for the authorizer",
      spec: validation("authorizer.group('').resource('endpoints').check('create').allowed()"),
      types: ofDeployments(object({ foo: text })),
    },
    {
      name: "for the request and the namespace",
      spec: validation("request.userInfo.username == namespaceObject.metadata.name && request.options.any == 1"),
      types: ofDeployments(object({})),
    },
    {
      name: "for fields beside an untyped one",
      spec: validation("has(object.spec.text)"),
      types: ofDeployments(
        object({ spec: object({ text }), status: object({ any: { type: "object", additionalProperties: true } }) }),
      ),
    },
    {
      name: "for a variable",
      spec: { variables: [{ name: "works", expression: "true" }], ...validation("variables.works") },
      types: ofDeployments(object({ foo: number })),
    },
    {
      name: "for a variable that is wrong itself: it has any type",
      spec: {
        variables: [{ name: "name", expression: "object.foo == 'text'" }],
        ...validation("variables.name == object.foo"),
      },
      types: ofDeployments(object({ foo: number })),
    },
    {
      name: "for a number or a string",
      spec: validation("object.port == 1 || object.port == 'http'"),
      types: ofDeployments(object({ port: { "x-kubernetes-int-or-string": true } })),
    },
    {
      name: "for times, bytes, lists and maps",
      spec: validation(
        "object.at < timestamp('2026-01-01T00:00:00Z') && size(object.data) > 1 && object.list.all(x, x > 1) && object.map['a'] == 'b'",
      ),
      types: ofDeployments(
        object({
          at: { type: "string", format: "date-time" },
          data: { type: "string", format: "byte" },
          list: { type: "array", items: number },
          map: { type: "object", additionalProperties: text },
        }),
      ),
    },
  ])
    test(name, async () => expect(await warned(spec, types)).toEqual([]));
});

describe("an expression is wrong", () => {
  for (const { name, spec, types, says } of [
    {
      name: "for a field that does not exist",
      spec: validation("object.foo == 'bar'"),
      types: ofDeployments(object({ bar: text })),
      says: problem(7, "undefined field 'foo'", "object.foo == 'bar'"),
    },
    {
      name: "for a field whose schema has no type",
      spec: validation("object.limit == '1Gi'"),
      types: ofDeployments(object({ limit: {} })),
      says: problem(7, "undefined field 'limit'", "object.limit == '1Gi'"),
    },
    {
      name: "for a field of another type",
      spec: validation("object.foo == 'bar'"),
      types: ofDeployments(object({ foo: number })),
      says: problem(12, "found no matching overload for '_==_' applied to '(int, string)'", "object.foo == 'bar'"),
    },
    {
      name: "for a field of another type before the change",
      spec: validation("oldObject.foo == 'bar'"),
      types: ofDeployments(object({ foo: number })),
      says: problem(15, "found no matching overload for '_==_' applied to '(int, string)'", "oldObject.foo == 'bar'"),
    },
    {
      name: "for an object, which has the name of its kind and its path",
      spec: validation("object.spec.inner == 1"),
      types: ofDeployments(object({ spec: object({ inner: object({}) }) })),
      says: problem(
        19,
        "found no matching overload for '_==_' applied to '(Deployment.spec.inner, int)'",
        "object.spec.inner == 1",
      ),
    },
    {
      name: "for a field that the parameters do not have",
      spec: validation("object.foo == params.bar"),
      types: ofDeployments(object({ foo: text }), { group: "", version: "v1", kind: "Config", schema: object({}) }),
      says: problem(21, "undefined field 'bar'", "object.foo == params.bar"),
    },
    {
      name: "for parameters that the policy does not have",
      spec: validation("params.bar == 1"),
      types: ofDeployments(object({})),
      says: problem(1, "undeclared reference to 'params' (in container '')", "params.bar == 1"),
    },
    {
      name: "for parameters of the objects' own kind, which is another type",
      spec: validation("object.spec == params.spec"),
      types: ofDeployments(object({ spec: object({}) }), { ...deployment, schema: object({ spec: object({}) }) }),
      says: problem(
        13,
        "found no matching overload for '_==_' applied to '(Deployment.spec, Deployment2.spec)'",
        "object.spec == params.spec",
      ),
    },
    {
      name: "for parameters of a kind of the same name, with other fields",
      spec: validation("object.foo == '' && params.foo == ''"),
      types: ofDeployments(object({ foo: text }), { ...deployment, group: "other.io", schema: object({ bar: text }) }),
      says: problem(27, "undefined field 'foo'", "object.foo == '' && params.foo == ''"),
    },
    {
      name: "that constructs an object by the name of its kind",
      spec: validation("object == Deployment{}"),
      types: ofDeployments(object({})),
      says: problem(21, "undeclared reference to 'Deployment' (in container '')", "object == Deployment{}"),
    },
    {
      name: "for an authorizer without a check",
      spec: validation("authorizer.allowed()"),
      types: ofDeployments(object({})),
      says: problem(
        19,
        "found no matching overload for 'allowed' applied to 'kubernetes.authorization.Authorizer.()'",
        "authorizer.allowed()",
      ),
    },
    {
      name: "for the resource of the request, which upstream does not know",
      spec: validation("authorizer.requestResource.check('get').allowed()"),
      types: ofDeployments(object({})),
      says: problem(
        11,
        "unexpected failed resolution of 'kubernetes.authorization.Authorizer'",
        "authorizer.requestResource.check('get').allowed()",
      ),
    },
    {
      name: "for a variable that does not exist",
      spec: { variables: [{ name: "works", expression: "true" }], ...validation("variables.none") },
      types: ofDeployments(object({})),
      says: problem(10, "undefined field 'none'", "variables.none"),
    },
    {
      name: "for a variable of another type",
      spec: { variables: [{ name: "name", expression: "'some'" }], ...validation("variables.name == object.foo") },
      types: ofDeployments(object({ foo: number })),
      says: problem(
        16,
        "found no matching overload for '_==_' applied to '(string, int)'",
        "variables.name == object.foo",
      ),
    },
    {
      name: "for a variable composed of others and of the object",
      spec: {
        variables: [
          { name: "one", expression: "object.list" },
          { name: "two", expression: "variables.one.map(each, each + 1)" },
        ],
        ...validation("variables.two[0] == 'x'"),
      },
      types: ofDeployments(object({ list: { type: "array", items: number } })),
      says: problem(18, "found no matching overload for '_==_' applied to '(int, string)'", "variables.two[0] == 'x'"),
    },
  ])
    test(name, async () => expect(await warned(spec, types)).toEqual([`${first} apps/v1, Kind=Deployment: ${says}\n`]));
});

describe("warnings", () => {
  test("are for wrong expressions and message expressions, in their order", async () => {
    const spec: PolicySpec = {
      validations: [
        { expression: "object.foo == 1", messageExpression: "object.foo + 'x'" },
        { expression: "object.bar == 1", message: "object.none" },
        { expression: "object.foo == ''", messageExpression: "" },
      ],
    };
    const found = await warningsFor(policyOf(spec), ofDeployments(object({ foo: text })));
    expect(found.map(({ fieldRef }) => fieldRef)).toEqual([
      "spec.validations[0].expression",
      "spec.validations[1].expression",
    ]);
    expect(await warned(validation("true", "object.foo + 1"), ofDeployments(object({ foo: text })))).toEqual([
      `spec.validations[0].messageExpression apps/v1, Kind=Deployment: ${problem(
        12,
        "found no matching overload for '_+_' applied to '(string, int)'",
        "object.foo + 1",
      )}\n`,
    ]);
  });

  test("list everything that is wrong with an expression", async () => {
    const found = await warned(
      validation("object.foo > '1' && object.bar == 1"),
      ofDeployments(object({ foo: number })),
    );
    expect(found).toHaveLength(1);
    expect(found[0]).toContain("found no matching overload for '_>_' applied to '(int, string)'");
    expect(found[0]).toContain("undefined field 'bar'");
  });

  test("have a paragraph for each kind for which it is wrong", async () => {
    const kinds = [
      { ...pod, schema: object({ foo: number }) },
      { ...deployment, schema: object({ foo: text }) },
      { group: "batch", version: "v1", kind: "Job", schema: object({}) },
    ];
    const expression = "object.foo == 'bar'";
    const overload = "found no matching overload for '_==_' applied to '(int, string)'";
    expect(await warned(validation(expression), { kinds, params: undefined })).toEqual([
      `${first} /v1, Kind=Pod: ${problem(12, overload, expression)}\n\nbatch/v1, Kind=Job: ${problem(7, "undefined field 'foo'", expression)}\n`,
    ]);
  });

  test("are for nothing else in a policy", async () => {
    const wrong = "object.none == 1";
    const spec: PolicySpec = {
      validations: [{ expression: "true" }],
      matchConditions: [{ name: "one", expression: wrong }],
      auditAnnotations: [{ key: "one", valueExpression: wrong }],
      variables: [{ name: "one", expression: wrong }],
    };
    expect(await warned(spec, ofDeployments(object({})))).toEqual([]);
    expect(expressionsOf(policyOf(spec))).toEqual([{ fieldRef: first, text: "true" }]);
  });
});
