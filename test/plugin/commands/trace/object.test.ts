/** The object that a trace is limited to. */
import { describe, expect, test } from "bun:test";
import { Deployments, ReplicaSets } from "../../../../src/api/kinds.ts";
import type { StoredObject } from "../../../../src/api/object.ts";
import type { ControllerDefinition } from "../../../../src/controller/api/definition.ts";
import { controllersEnabledByDefault } from "../../../../src/controllers/index.ts";
import type { FindObject } from "../../../../src/views/chains.ts";
import { missingObjectText, namespaceOfObject } from "../../../../plugin/commands/trace/object.ts";
import type { TraceRequest } from "../../../../plugin/commands/trace/request.ts";

const named = (...names: readonly string[]): readonly ControllerDefinition[] =>
  controllersEnabledByDefault.filter(({ name }) => names.includes(name));

function request(
  controllers: readonly ControllerDefinition[],
  parts: Partial<Pick<TraceRequest, "object" | "why" | "flags" | "once">>,
): TraceRequest {
  return { controllers, object: undefined, why: undefined, flags: {}, ...parts } as TraceRequest;
}

describe("the namespace of an object", () => {
  const replicaset = named("replicaset");

  test.each([
    { name: "is its first part", object: "shop/web", namespace: "shop" },
    { name: "is not given with the controller's type", object: "rs/web", namespace: undefined },
    { name: "is not given with another type that it watches", object: "pod/web-1", namespace: undefined },
    { name: "is not given without an object", object: undefined, namespace: undefined },
  ])("$name", ({ object, namespace }) => {
    expect(namespaceOfObject(request(replicaset, { object }), [])).toBe(namespace);
  });

  test("may be repeated with -n", () => {
    const traceRequest = request(replicaset, { object: "shop/web", flags: { namespace: "shop" } });
    expect(namespaceOfObject(traceRequest, [])).toBe("shop");
  });

  test("that differs from -n is an unknown type", () => {
    const traceRequest = request(replicaset, { object: "deploy/web", flags: { namespace: "shop" } });
    expect(() => namespaceOfObject(traceRequest, [])).toThrow(
      "deploy/web: deploy is neither a type that these controllers watch nor the namespace shop",
    );
    expect(namespaceOfObject(traceRequest, [Deployments])).toBeUndefined();
  });
});

describe("a missing object", () => {
  const finds =
    (...there: readonly string[]): FindObject =>
    ({ kind, key }) =>
      there.includes(`${kind} ${key}`) ? ({ metadata: { name: key } } as StoredObject) : undefined;
  const both = named("deployment", "replicaset");

  test.each([
    {
      name: "a type",
      controllers: both,
      object: "rs/web",
      there: ["Deployment shop/web"],
      says: "there is no ReplicaSet shop/web; its syncs are shown as soon as it exists",
    },
    {
      name: "a type whose object exists",
      controllers: both,
      object: "rs/web",
      there: ["ReplicaSet shop/web"],
      says: undefined,
    },
    {
      name: "no type",
      controllers: both,
      object: "shop/web",
      there: ["Deployment other/web"],
      says: "there is no Deployment or ReplicaSet shop/web; its syncs are shown as soon as it exists",
    },
    {
      name: "no type, for one of the kinds",
      controllers: both,
      object: "shop/web",
      there: ["ReplicaSet shop/web"],
      says: undefined,
    },
    {
      name: "a type that no controller watches",
      controllers: named("garbage-collector"),
      object: "rs/web",
      there: [],
      says: undefined,
    },
    {
      name: "no type, and a controller without a kind",
      controllers: named("garbage-collector", "replicaset"),
      object: "shop/web",
      there: [],
      says: undefined,
    },
  ])("named with $name", ({ controllers, object, there, says }) => {
    const place = { mode: "shadow", namespace: "shop", only: true, kinds: [ReplicaSets] } as const;
    for (const parts of [{ object }, ...(object === "rs/web" ? [{ why: object }] : [])])
      expect(missingObjectText(request(controllers, parts), { place, controllers, find: finds(...there) })).toBe(says);
    const once = request(controllers, { object, once: true });
    const [missing] = says?.split(";") ?? [];
    expect(missingObjectText(once, { place, controllers, find: finds(...there) })).toBe(missing);
  });

  test("is not reported of a cache that is filled later", () => {
    const [replicaset] = named("replicaset");
    if (replicaset === undefined) throw new Error("replicaset is built in");
    const deferred = {
      ...replicaset,
      watches: replicaset.watches.map((watch) => ({ ...watch, deferred: true as const })),
    };
    const place = { mode: "shadow", namespace: "shop", only: true, kinds: [] } as const;
    const traceRequest = request([deferred], { object: "rs/web" });
    expect(missingObjectText(traceRequest, { place, controllers: [deferred], find: finds() })).toBeUndefined();
  });
});
