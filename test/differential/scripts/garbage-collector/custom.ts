/** Kinds that are added and removed while the garbage collector runs. It rediscovers the kinds every 30 s. */
import type { Kind } from "../../../../src/api/kind.ts";
import type { Stage } from "../../stage.ts";
import type { Script, Step } from "../../suite.ts";
import { deleting, make, type Owners, to, making, owned } from "./owning.ts";

/** Time until both sides have run discovery and listed the new kind. */
const discoveredMs = 36_000;

function groupOn(stage: Stage): string {
  return `${stage.namespace.replace(/-other$/, "")}.example.com`;
}

function widgets(stage: Stage): Kind {
  return { group: groupOn(stage), version: "v1", kind: "Widget", plural: "widgets", namespaced: true };
}

const define: Step = {
  name: "define the kind Widget",
  waitMs: discoveredMs,
  act: (stage) =>
    stage.create("customresourcedefinitions", {
      metadata: { name: `widgets.${groupOn(stage)}` },
      spec: {
        group: groupOn(stage),
        scope: "Namespaced",
        names: { kind: "Widget", plural: "widgets", singular: "widget", listKind: "WidgetList" },
        versions: [
          {
            name: "v1",
            served: true,
            storage: true,
            schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
          },
        ],
      },
    }),
};

const ownedByWidget: Owners = async (stage) => [await to(stage, "widget", widgets(stage))];

function widget(name: string, owners?: Owners): Step {
  return {
    name: `create the widget ${name}`,
    act: (stage) => make(stage, name, { resource: widgets(stage), ...(owners !== undefined && { owners }) }),
  };
}

function deletingWidget(name: string, propagationPolicy: string): Step {
  return {
    name: `delete the widget ${name} with ${propagationPolicy}`,
    act: (stage) => stage.remove(widgets(stage), name, { propagationPolicy }),
  };
}

export const custom: readonly Script[] = [
  {
    name: "custom resources as owners and dependents",
    steps: [
      define,
      widget("widget"),
      widget("part", ownedByWidget),
      making("create a ConfigMap owned by the widget", { child: ownedByWidget }),
      deletingWidget("widget", "Foreground"),
    ],
  },
  {
    name: "custom resources are orphaned by a merge patch",
    steps: [
      define,
      making("create an owner", { owner: undefined }),
      widget("widget", owned("owner")),
      deleting("owner", "Orphan"),
    ],
  },
  {
    name: "a CustomResourceDefinition is deleted, and its objects that own others with it",
    steps: [
      define,
      widget("widget"),
      making("create a ConfigMap owned by the widget", { child: ownedByWidget }),
      {
        name: "delete the CustomResourceDefinition",
        waitMs: discoveredMs,
        act: (stage) => stage.remove("customresourcedefinitions", `widgets.${groupOn(stage)}`),
      },
    ],
  },
];
