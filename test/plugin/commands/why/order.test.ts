import { expect, test } from "bun:test";
import { causesFirst, worstFirst } from "../../../../plugin/commands/why/order.ts";
import { type Kind } from "../../../../src/api/kind.ts";
import { Deployments, Nodes, Pods } from "../../../../src/api/kinds.ts";
import type { Answer } from "../../../../src/diagnosis/answer.ts";
import type { Is } from "../../../../src/diagnosis/diagnosis.ts";
import { Services } from "../../../../src/api/kinds.ts";

function diagnosisOf(is: Is, kind: Kind, name: string): Answer {
  const [namespace = "", own = ""] = kind === Nodes ? ["", name] : name.split("/");
  const partial: Partial<Answer> = { is, of: { kind, namespace, name: own } };
  // The other fields are not used.
  return partial as Answer;
}

test("cluster-scoped objects that are not well come first, then the worst, then causes before consequences", () => {
  const sorted = worstFirst([
    diagnosisOf("well", Pods, "shop/a"),
    diagnosisOf("well", Nodes, "fine"),
    diagnosisOf("cannot tell", Nodes, "unknown"),
    diagnosisOf("waiting", Services, "shop/web"),
    diagnosisOf("waiting", Deployments, "shop/web"),
    diagnosisOf("waiting", Deployments, "art/web"),
    diagnosisOf("failed", Pods, "shop/b"),
    diagnosisOf("waiting", Nodes, "broken"),
  ]);
  expect(sorted.map(({ is, of: { kind, namespace, name } }) => `${is} ${kind.kind} ${namespace}/${name}`)).toEqual([
    "waiting Node /broken",
    "failed Pod shop/b",
    "waiting Deployment art/web",
    "waiting Deployment shop/web",
    "waiting Service shop/web",
    "cannot tell Node /unknown",
    "well Pod shop/a",
    "well Node /fine",
  ]);
});

test("of more objects than can be examined, those that others depend on are examined first", () => {
  const item = (kind: Kind, name: string): Parameters<typeof causesFirst>[0][number] => ({
    kind,
    object: {
      metadata: {
        name,
        uid: name,
        resourceVersion: "1",
        creationTimestamp: "",
        ...(kind.namespaced && { namespace: "shop" }),
      },
    },
  });
  const sorted = causesFirst([item(Services, "s"), item(Pods, "p"), item(Deployments, "d"), item(Nodes, "n")]);
  expect(sorted.map(({ object }) => object.metadata.name)).toEqual(["n", "d", "p", "s"]);
});
