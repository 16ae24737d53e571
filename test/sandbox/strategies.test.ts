import { describe, expect, test } from "bun:test";
import { loadApiData } from "../../src/api/wire/load.ts";
import { strategies, strategyOf } from "../../src/sandbox/registry/kinds.ts";
import { resourceRegistryOf } from "../../src/sandbox/registry/resource.ts";
import { defaultStrategy, restStrategy } from "../../src/sandbox/registry/strategy/default-strategy.ts";
import { validateChange, validateObjectMetaUpdate } from "../../src/sandbox/registry/strategy/validation-steps.ts";

const registry = resourceRegistryOf(await loadApiData());

describe("the catalogue of strategies", () => {
  test("has no line for a resource that is not served", () => {
    const served = new Set(
      registry.resources.map(({ group, plural }) => (group === "" ? plural : `${plural}.${group}`)),
    );
    expect(Object.keys(strategies).filter((resource) => !served.has(resource))).toEqual([]);
  });

  test("gives the default strategy to kinds without a line", () => {
    expect(strategyOf("componentstatuses")).toBe(defaultStrategy);
  });

  test("gives both versions of Events the same strategy", () => {
    expect(strategyOf("events.events.k8s.io")).toBe(strategyOf("events"));
  });
});

describe("a strategy", () => {
  const own = restStrategy({ generation: "spec", status: { validateUpdate: () => [] } });

  test("is the default for what the kind leaves out", () => {
    expect(own.generation).toBe("spec");
    expect(own.updateSteps).toBe(defaultStrategy.updateSteps);
    expect(own.allowUnconditionalUpdate).toBe(true);
  });

  test("validates a status update by its change only, whatever else it changes", () => {
    expect(own.subresources["status"]?.updateSteps).toEqual([validateObjectMetaUpdate, validateChange]);
  });

  test("protects the status in updates of other subresources", () => {
    const { subresources } = restStrategy({ subresources: { resize: { updateSteps: [] } } });
    expect(Object.keys(subresources)).toEqual(["status", "resize"]);
  });
});
