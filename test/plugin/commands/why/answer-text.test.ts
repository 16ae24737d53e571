/** Diagnoses of `why` for states of a real cluster: other tests check what a diagnosis contains, this one its presentation. */
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Chalk } from "chalk";
import { answerLines } from "../../../../plugin/commands/why/answer-text.ts";
import { type Answer, answerFrom } from "../../../../src/diagnosis/answer.ts";
import { type Advice, type Item, refText } from "../../../../src/diagnosis/diagnosis.ts";
import { type Got, wantId } from "../../../../src/diagnosis/look.ts";
import { HorizontalPodAutoscalers, Pods, ReplicaSets } from "../../../../src/api/kinds.ts";
import { ago, diagnose, now, objectOf, ownedBy } from "../../../diagnosis/world.ts";
import { expectGolden } from "../../../support/golden.ts";

interface Recorded {
  readonly name: string;
  readonly now: number;
  readonly item: Item;
  readonly got: readonly (readonly [string, Got])[];
}

/** Recorded by test/golden/record-why.ts. */
const recorded = JSON.parse(
  readFileSync(join(import.meta.dir, "../../../golden/why-readings.json"), "utf8"),
) as readonly Recorded[];

function diagnosisOf({ now, item, got }: Recorded): Answer {
  const known = new Map(got);
  const { answer, wants } = answerFrom({ now, got: (want) => known.get(wantId(want)) }, item);
  expect(wants.map(wantId)).toEqual([]);
  return answer;
}

const adviceText = ({ tool, words }: Advice): string =>
  `${tool === "kubectl" ? "kubectl" : "kubectl reconcile"} ${words}`;

function linesOf(each: Recorded, columns: number | undefined): string[] {
  const style = { columns, colour: new Chalk({ level: 0 }) };
  const { kind, object } = each.item;
  const name = refText({ kind, namespace: "", name: object.metadata.name }).toLowerCase().replace(" ", "/");
  const isTraced = kind.kind === "Deployment" || kind.kind === "ReplicaSet";
  const follow = isTraced ? `kubectl reconcile trace ${kind.kind.toLowerCase()} -n shop --why ${name}` : undefined;
  return answerLines(diagnosisOf(each), { style, now: each.now, follow, adviceText });
}

function text(columns: number | undefined): string {
  return recorded.map((each) => [`# ${each.name}`, ...linesOf(each, columns), ""].join("\n")).join("\n");
}

describe("an answer of why", () => {
  test.each([
    { name: "a terminal of 80 columns", columns: 80, file: "why-80.txt" },
    { name: "a terminal of 200 columns", columns: 200, file: "why-200.txt" },
    { name: "a pipe", columns: undefined, file: "why-piped.txt" },
  ])("reads well on $name", ({ columns, file }) => {
    expectGolden(file, text(columns));
  });

  test("fits a first screen of 80 columns and 24 lines, and no line is wider or has trailing blanks", () => {
    for (const each of recorded) {
      const lines = linesOf(each, 80);
      expect(lines.length).toBeLessThan(24);
      expect(lines.filter((line) => line.length > 80 || line !== line.trimEnd())).toEqual([]);
    }
  });
});

test("objects with the same finding are reported once, with the shortest and the longest time", () => {
  const pending = (name: string, since: number): Item => {
    const conditions = [{ type: "Ready", status: "False", lastTransitionTime: ago(since) }];
    const meta = { labels: { app: "w" }, ...ownedBy("web", ReplicaSets) };
    return { kind: Pods, object: objectOf(name, { meta, status: { phase: "Pending", conditions } }) };
  };
  const spec = { replicas: 2, selector: { matchLabels: { app: "w" } } };
  const items = [pending("a", 3), pending("b", 2159)];
  const diagnosis = diagnose(ReplicaSets, objectOf("web", { spec, status: { replicas: 2 } }), { items });
  const style = { columns: undefined, colour: new Chalk({ level: 0 }) };
  expect(answerLines(diagnosis, { style, now, follow: undefined, adviceText })[1]).toMatch(
    /^ {2}2 Pods a, b {2}not scheduled: .* \(for 3 s to 35 m 59 s\)$/,
  );
});

test.each([
  { ageSeconds: 10, first: "HorizontalPodAutoscaler web is waiting: not synced yet; it scales Deployment web" },
  { ageSeconds: 60, first: "HorizontalPodAutoscaler web has a problem: not synced yet; it scales Deployment web" },
])("an autoscaler $ageSeconds s old, not synced yet: $first", ({ ageSeconds, first }) => {
  const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "web" };
  const object = objectOf("web", {
    meta: { creationTimestamp: ago(ageSeconds) },
    spec: { scaleTargetRef, maxReplicas: 5 },
  });
  const lines = answerLines(diagnose(HorizontalPodAutoscalers, object), {
    style: { columns: undefined, colour: new Chalk({ level: 0 }) },
    now,
    follow: undefined,
    adviceText,
  });
  expect(lines[0]).toStartWith(first);
});
