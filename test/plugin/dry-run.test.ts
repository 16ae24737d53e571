/** The answers of dry-run as they are printed, and what they tell a script. */
import { describe, expect, test } from "bun:test";
import type { ToApply, Wish } from "../../src/modes/dry-run/apply.ts";
import { catalogue } from "../../src/controllers/index.ts";
import { dryRun, type DryRun } from "../../src/modes/dry-run/dry-run.ts";
import { emptyCluster } from "../../src/modes/dry-run/beginning.ts";
import { exitCodeOf, type Fear, lostObjects, readFears } from "../../plugin/dry-run/verdict.ts";
import { githubLines } from "../../plugin/render/dry-run/github.ts";
import { reportAsJson } from "../../plugin/render/dry-run/json.ts";
import { markdownLines } from "../../plugin/render/dry-run/markdown.ts";
import type { DryRunReport } from "../../plugin/render/dry-run/report.ts";
import { textLines } from "../../plugin/render/dry-run/text.ts";
import { yamlLines } from "../../plugin/render/dry-run/yaml.ts";
import { styleOf } from "../../plugin/render/style.ts";
import { fakeIo } from "../support/fake-io.ts";
import { expectGolden } from "../support/golden.ts";

/** Those that these outputs are about: another one in the catalogue changes none of them. */
const controllers = catalogue.filter(({ name }) => ["deployment", "replicaset", "garbage-collector"].includes(name));

function deployment(image: string, cpu = "100m"): ToApply {
  const labels = { app: "web" };
  const container = { name: "web", image, resources: { requests: { cpu } } };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web", namespace: "shop" },
    spec: {
      replicas: 3,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [container] } },
    },
  } as ToApply;
}

function secret(password: string): ToApply {
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "login", namespace: "shop" },
    stringData: { password, user: "web" },
  } as ToApply;
}

const service = {
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "web", namespace: "shop" },
  spec: { selector: { app: "web" }, ports: [{ port: 80 }] },
} as ToApply;

const apply = (object: ToApply): Wish => ({ is: "apply", object, namespace: "shop" });

function play(baseline: readonly ToApply[], wishes: readonly Wish[]): Promise<DryRun> {
  return dryRun({
    beginning: emptyCluster(["shop"]),
    baseline: baseline.map(apply),
    wishes,
    controllers,
    seed: 1,
    shown: {},
    fold: true,
  });
}

function reportOf(run: DryRun, more: Partial<DryRunReport> = {}): DryRunReport {
  return {
    source: "3 manifests over 3 manifests of the baseline, with simulated nodes; no cluster is asked",
    run,
    notes: [],
    validations: [],
    manifests: run.done.flatMap(({ wish }) =>
      wish.is === "apply" ? [{ file: "shop/web.yaml", document: 1, line: 4, object: wish.object as never }] : [],
    ),
    shown: {},
    steps: false,
    exitCode: 1,
    ...more,
  };
}

const rollout = await play(
  [deployment("nginx:1.26"), service, secret("before-it")],
  [deployment("nginx:1.27"), service, secret("after-it")].map(apply),
);
const full = await play([], [apply(deployment("nginx:1.26", "20"))]);

describe("dry-run prints a rollout", () => {
  const outputs = [
    { name: "on a terminal of 80 columns", file: "dry-run-80.txt", columns: 80, steps: true },
    { name: "on a terminal of 200 columns", file: "dry-run-200.txt", columns: 200, steps: true },
    { name: "piped", file: "dry-run-piped.txt", columns: undefined, steps: false },
  ];
  for (const { name, file, columns, steps } of outputs) {
    test(`${name} as in test/golden/${file}`, () => {
      const { out } = fakeIo(columns === undefined ? {} : { columns });
      const text = textLines(reportOf(rollout, { steps }), styleOf(out)).join("\n");
      expectGolden(file, `${text}\n`);
      // Diffs are as long as they are; what is said about them is not.
      const said = text
        .split("\n")
        .filter((line) => !/^[ +@-]/.test(line) || /^[+-] (\d+ )?[A-Z]\w+ shop\//.test(line));
      if (columns !== undefined) expect(Math.max(...said.map((line) => line.length))).toBeLessThanOrEqual(columns);
    });
  }

  test("as Markdown, YAML, lines of JSON and annotations", () => {
    const report = reportOf(rollout);
    expectGolden("dry-run-markdown.txt", `${markdownLines(report).join("\n")}\n`);
    expectGolden("dry-run-yaml.txt", `${yamlLines(report).join("\n")}\n`);
    expectGolden("dry-run-json.txt", `${reportAsJson(reportOf(rollout, { steps: true })).join("\n")}\n`);
    expectGolden("dry-run-github.txt", `${githubLines(report).join("\n")}\n`);
  });

  test("without the values of Secrets, in any format", () => {
    const report = reportOf(rollout);
    const { out } = fakeIo();
    const all = [
      textLines(report, styleOf(out)),
      markdownLines(report),
      yamlLines(report),
      reportAsJson(report),
      githubLines(report),
    ];
    const text = all.flat().join("\n");
    for (const value of ["before-it", "after-it"]) {
      expect(text).not.toContain(value);
      expect(text).not.toContain(btoa(value));
    }
    expect(text).toContain("*** (before)");
    expect(text).toContain("*** (after)");
  });

  test("no line of the text can be taken for a workflow command", () => {
    const lines = githubLines(reportOf(rollout, { notes: ["::error::a note of a foreign server"] }));
    const commands = lines.filter((line) => line.startsWith("::")).map((line) => /^::(\w+)/.exec(line)?.[1]);
    expect(new Set(commands)).toEqual(new Set(["group", "endgroup", "notice"]));
  });
});

describe("the exit code of dry-run", () => {
  const rows: readonly {
    readonly name: string;
    readonly run: DryRun;
    readonly fears?: readonly Fear[];
    readonly never?: true;
    readonly alone?: true;
    readonly code: number;
  }[] = [
    { name: "something would change", run: rollout, code: 1 },
    { name: "something would change, --exit-code=never", run: rollout, never: true, code: 0 },
    { name: "manifests alone have nothing to differ from", run: rollout, alone: true, code: 0 },
    { name: "a rollout, where deletions are feared", run: rollout, fears: ["delete"], code: 0 },
    { name: "nothing becomes available", run: full, code: 4 },
    { name: "nothing becomes available, --exit-code=never", run: full, never: true, code: 4 },
    { name: "nothing becomes available, where it is not feared", run: full, fears: ["delete"], code: 0 },
    { name: "nothing becomes available, where it is feared", run: full, fears: ["unavailable"], code: 4 },
    { name: "never steady", run: { ...rollout, settled: { is: "horizon", horizonMs: 1 } }, code: 3 },
    {
      name: "never steady, where it is not feared",
      run: { ...rollout, settled: { is: "horizon", horizonMs: 1 } },
      fears: ["delete"],
      code: 0,
    },
  ];
  for (const { name, run, fears, never, alone, code } of rows) {
    test(`${name}: ${code}`, () => {
      const options = { never: never === true, hasBaseline: alone !== true };
      expect(exitCodeOf(run, { ...options, ...(fears !== undefined && { fears: new Set(fears) }) })).toBe(code);
    });
  }

  test("a Deployment that is deleted takes with it what is lost for good", async () => {
    const kind = { group: "apps", version: "v1", kind: "Deployment", plural: "deployments", namespaced: true };
    const run = await play([deployment("nginx:1.26")], [{ is: "delete", kind, namespace: "shop", name: "web" }]);
    expect(lostObjects(run).map(({ of }) => of.kind)).toEqual(["Deployment", "ReplicaSet", "Pod"]);
    expect(exitCodeOf(run, { fears: new Set(["delete"]), never: false, hasBaseline: true })).toBe(1);
  });

  test("--fail-on takes lists, and refuses words that it does not know", () => {
    expect(readFears(["delete,unavailable", "never-steady"])).toEqual(
      new Set(["delete", "unavailable", "never-steady"]),
    );
    expect(() => readFears(["deletes"])).toThrow('--fail-on does not know "deletes"');
  });
});
