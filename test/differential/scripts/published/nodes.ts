/** Nodes, and the annotation with the time for which kubelets can cache Secrets. No kubelet writes their status. */
import type { Script, Step } from "../../suite.ts";
import { ownName } from "../../stage.ts";
import { act, timeToLive } from "./acts.ts";

const made = (name: string, annotations?: Readonly<Record<string, string>>): Step =>
  act(`create node ${name} with ${JSON.stringify(annotations ?? {})}`, (stage) =>
    stage.create("nodes", {
      metadata: { name: ownName(stage, name), ...(annotations !== undefined && { annotations }) },
    }),
  );

const changed = (name: string, metadata: object): Step =>
  act(`change node ${name} to ${JSON.stringify(metadata)}`, (stage) =>
    stage.patch("nodes", ownName(stage, name), { metadata }),
  );

const says = (value: string | null): object => ({ annotations: { [timeToLive]: value } });

export const scripts: readonly Script[] = [
  {
    name: "the TTL annotation of a node is set, and corrected when it is modified",
    steps: [
      made("one"),
      made("other", { [timeToLive]: "0", team: "red" }),
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
      act("recreate node one", async (stage) => {
        await stage.remove("nodes", ownName(stage, "one"));
        await stage.create("nodes", { metadata: { name: ownName(stage, "one") } });
      }),
    ],
  },
  {
    name: "0 in another notation is corrected or kept",
    steps: [made("one", { [timeToLive]: "+0" }), changed("one", says("000")), changed("one", says("-0"))],
  },
];
