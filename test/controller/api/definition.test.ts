import { describe, expect, test } from "bun:test";
import { Pods, Services } from "../../../src/api/kinds.ts";
import { type ControllerSpec, defineController } from "../../../src/controller/api/definition.ts";
import { watchPrimary } from "../../../src/controller/api/primary.ts";
import { rule } from "../../../src/controller/api/rule.ts";

const spec: ControllerSpec = {
  name: "greeter",
  purpose: "greets",
  for: Pods,
  watches: [watchPrimary(Pods)],
  rules: [],
  sync: () => Promise.resolve(),
};
const greet = rule({ id: "greet", looksAt: [], chooses: "Every pod is greeted.", sentence: () => "hello" });

describe("defineController", () => {
  test("fills in the defaults of a spec", () => {
    expect(defineController(spec)).toMatchObject({
      aliases: [],
      workers: 1,
      permissions: [],
      component: "greeter-controller",
    });
  });

  test("keeps the values of a spec", () => {
    const own = { aliases: ["g"], workers: 3, permissions: [], component: "greeting" };
    expect(defineController({ ...spec, ...own })).toEqual({ ...spec, ...own });
  });

  test.each([
    ["two rules with one id", { rules: [greet, greet] }, "Cannot define greeter: two rules have the id greet"],
    [
      "a kind that it does not watch",
      { for: Services },
      "Cannot define greeter: it does not watch its own kind Service",
    ],
  ])("refuses %s", (_, wrong, message) => {
    expect(() => defineController({ ...spec, ...wrong })).toThrow(message);
  });

  test("refuses a controller without a kind", () => {
    const { for: _, ...kindless } = spec;
    expect(() => defineController(kindless)).toThrow("it is neither for a kind nor discovers any");
  });
});
