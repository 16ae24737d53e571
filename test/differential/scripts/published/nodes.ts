/** Nodes, and the annotation that says how long their kubelets keep Secrets. No kubelet writes their status. */
import { Nodes } from "../../../../src/api/kinds.ts";
import type { Stage } from "../../stage.ts";
import type { Script, Step } from "../../suite.ts";

const annotation = "node.alpha.kubernetes.io/ttl";

const nodeName = ({ namespace }: Stage, name: string): string => `${namespace}-${name}`;

interface NodeObject {
  readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> };
}

/** Whether each says 0 in some spelling: the clusters are small. */
export async function haveTimesToLive(stage: Stage): Promise<boolean> {
  const nodes = (await stage.all(Nodes)) as unknown as readonly NodeObject[];
  return nodes.every(({ metadata }) => /^[+-]?0+$/.test(metadata.annotations?.[annotation] ?? ""));
}

const made = (name: string, annotations?: Readonly<Record<string, string>>): Step => ({
  name: `node ${name}: ${JSON.stringify(annotations ?? {})}`,
  act: (stage) =>
    stage.create("nodes", {
      metadata: { name: nodeName(stage, name), ...(annotations !== undefined && { annotations }) },
    }),
});

const changed = (name: string, metadata: object): Step => ({
  name: `node ${name} becomes ${JSON.stringify(metadata)}`,
  act: (stage) => stage.patch("nodes", nodeName(stage, name), { metadata }),
});

const says = (value: string | null): object => ({ annotations: { [annotation]: value } });

export const scripts: readonly Script[] = [
  {
    name: "a node says for how long kubelets keep Secrets, whatever else somebody writes there",
    steps: [
      made("one"),
      made("other", { [annotation]: "0", team: "red" }),
      changed("one", says(null)),
      changed("one", says("15")),
      changed("one", says("x")),
      changed("one", says("")),
      changed("one", says("0.0")),
      changed("one", says(" 0")),
      changed("one", says("0x0")),
      changed("one", says("-5")),
      changed("other", { annotations: null }),
      changed("other", { labels: { team: "blue" } }),
      {
        name: "one is deleted, and comes again",
        act: async (stage) => {
          await stage.remove("nodes", nodeName(stage, "one"));
          await stage.create("nodes", { metadata: { name: nodeName(stage, "one") } });
        },
      },
    ],
  },
  {
    name: "no time in another spelling is written again",
    steps: [made("one", { [annotation]: "+0" }), changed("one", says("000")), changed("one", says("-0"))],
  },
];
