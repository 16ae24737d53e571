import { describe, expect, test } from "bun:test";
import type { DiscoveredKind } from "../../../src/client/api/discovery.ts";
import { matchedKinds, resourcesOf } from "../../../src/controllers/validatingadmissionpolicy-status/matched-kinds.ts";
import { type MatchConstraints, ruleOf } from "./policies.ts";

function kindOf(apiVersion: string, kind: string, plural = `${kind.toLowerCase()}s`): DiscoveredKind {
  const [first = "", second] = apiVersion.split("/");
  const [group, version] = second === undefined ? ["", first] : [first, second];
  const names = { kind, plural, singular: kind.toLowerCase(), shortNames: [], categories: [] };
  return { group, version, ...names, namespaced: true, verbs: [], preferred: true };
}

const server = [
  kindOf("v1", "Pod"),
  kindOf("v1", "Event"),
  kindOf("apps/v1", "Deployment"),
  kindOf("apps/v1", "StatefulSet"),
  kindOf("events.k8s.io/v1", "Event"),
  kindOf("example.com/v1", "Widget"),
  kindOf("example.com/v1beta1", "Widget"),
];

type Rules = NonNullable<MatchConstraints["resourceRules"]>;

function matched(rules: Rules | undefined, kinds: readonly DiscoveredKind[] = server): readonly string[] {
  const spec = { matchConstraints: { ...(rules !== undefined && { resourceRules: rules }) } };
  return matchedKinds(resourcesOf(spec), kinds).map(({ group, version, kind }) => `${group}/${version} ${kind}`);
}

describe("the kinds that are checked", () => {
  for (const { name, rules, expected } of [
    { name: "without rules: none", rules: [], expected: [] },
    {
      name: "of a rule for one",
      rules: [ruleOf(["apps"], ["v1"], ["deployments"])],
      expected: ["apps/v1 Deployment"],
    },
    {
      name: "of several rules, by group, version and kind",
      rules: [
        ruleOf(["example.com"], ["v1beta1", "v1"], ["widgets"]),
        ruleOf(["apps"], ["v1"], ["statefulsets", "deployments"]),
        ruleOf([""], ["v1"], ["pods"]),
      ],
      expected: [
        "/v1 Pod",
        "apps/v1 Deployment",
        "apps/v1 StatefulSet",
        "example.com/v1 Widget",
        "example.com/v1beta1 Widget",
      ],
    },
    {
      name: "of two rules for the same, once",
      rules: twice(ruleOf([""], ["v1"], ["pods"])),
      expected: ["/v1 Pod"],
    },
    { name: "not for all resources", rules: [ruleOf(["apps"], ["v1"], ["*"])], expected: [] },
    { name: "not for subresources", rules: [ruleOf([""], ["v1"], ["pods/*", "pods/status", "*/scale"])], expected: [] },
    {
      name: "but for resources beside those",
      rules: [ruleOf(["apps"], ["v1"], ["*/status", "deployments", "*"])],
      expected: ["apps/v1 Deployment"],
    },
    {
      name: "not for a rule with all groups or all versions, but for the others",
      rules: [
        ruleOf(["apps"], ["v1"], ["deployments"]),
        ruleOf(["apps"], ["v1", "*"], ["statefulsets"]),
        ruleOf(["*", ""], ["v1"], ["pods"]),
      ],
      expected: ["apps/v1 Deployment"],
    },
    {
      name: "for the core group: those of this version in every group",
      rules: [ruleOf([""], ["v1"], ["events", "widgets"])],
      expected: ["/v1 Event", "events.k8s.io/v1 Event", "example.com/v1 Widget"],
    },
    {
      name: "by a singular name, and case-insensitive",
      rules: [ruleOf(["apps"], ["v1"], ["Deployment", "STATEFULSETS"])],
      expected: ["apps/v1 Deployment", "apps/v1 StatefulSet"],
    },
    {
      name: "none that the server does not have",
      rules: [ruleOf(["apps"], ["v2"], ["deployments"]), ruleOf(["none"], ["v1"], ["deployments"])],
      expected: [],
    },
  ])
    test(name, () => expect(matched(rules)).toEqual(expected));

  test("of a policy without constraints: none", () => {
    expect([matched(undefined), matchedKinds(resourcesOf({}), server)]).toEqual([[], []]);
  });
});

function twice<T>(one: T): readonly T[] {
  return [one, one];
}

describe("ten kinds at most", () => {
  const letters = "abcdefghijkl".split("");
  const many = letters.map((letter) => kindOf("example.com/v1", `K${letter}`));
  const names = letters.map((letter) => `k${letter}s`);
  const text = (letter: string): string => `example.com/v1 K${letter}`;

  test("of one rule, the first by name; later rules are not examined", () => {
    const [rest, pods] = [ruleOf(["example.com"], ["v1"], names.toReversed()), ruleOf([""], ["v1"], ["pods"])];
    const expected = letters.slice(0, 10).map(text);
    expect(matched([rest], many)).toEqual(expected);
    expect(matched([rest, pods], [...many, ...server])).toEqual(expected);
    expect(matched([pods, rest], [...many, ...server])).toEqual(["/v1 Pod", ...expected]);
  });

  test("the ninth is the last without a duplicate", () => {
    const nine = ruleOf(["example.com"], ["v1"], names.slice(0, 9));
    const last = ruleOf(["example.com"], ["v1"], names.slice(9));
    expect(matched([nine, last], many)).toEqual(letters.map(text));
  });

  test("with duplicates counted", () => {
    const both = names.slice(0, 9).flatMap((name) => [name, name.slice(0, -1)]);
    expect(matched([ruleOf(["example.com"], ["v1"], both)], many)).toEqual(letters.slice(0, 5).map(text));
  });
});
