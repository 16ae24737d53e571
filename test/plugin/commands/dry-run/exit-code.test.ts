/** What the exit code tells a script or a CI job. */
import { describe, expect, test } from "bun:test";
import { exitCodeOf, type FailCondition, parseFailOn } from "../../../../plugin/commands/dry-run/report/verdict.ts";
import { lostObjects } from "../../../../src/modes/dry-run/deletions.ts";
import type { DryRun } from "../../../../src/modes/dry-run/result.ts";
import { githubLines } from "../../../../plugin/commands/dry-run/report/github.ts";
import { reportAsJson } from "../../../../plugin/commands/dry-run/report/json.ts";
import { junitLines } from "../../../../plugin/commands/dry-run/report/junit.ts";
import { markdownLines } from "../../../../plugin/commands/dry-run/report/markdown.ts";
import { seededRandom } from "../../../../src/platform/random.ts";
import { textLines } from "../../../../plugin/commands/dry-run/report/text.ts";
import { styleOf } from "../../../../plugin/cli/style.ts";
import type { ToApply } from "../../../../src/modes/dry-run/apply.ts";
import { fakeIo } from "../../../support/fake-io.ts";
import { apply, deployment, full, hidden, judged, play, reportOf, rollout, service } from "./scene.ts";

describe("the exit code of dry-run", () => {
  const rows: readonly {
    readonly name: string;
    readonly run: DryRun;
    readonly failOn?: readonly FailCondition[];
    readonly never?: true;
    readonly alone?: true;
    readonly code: number;
  }[] = [
    { name: "something would change", run: rollout, code: 1 },
    { name: "something would change, --exit-code=never", run: rollout, never: true, code: 0 },
    { name: "manifests alone have nothing to differ from", run: rollout, alone: true, code: 0 },
    { name: "a rollout, with --fail-on deletion", run: rollout, failOn: ["delete"], code: 0 },
    { name: "nothing becomes available", run: full, code: 4 },
    { name: "nothing becomes available, --exit-code=never", run: full, never: true, code: 4 },
    { name: "nothing becomes available, without that in --fail-on", run: full, failOn: ["delete"], code: 0 },
    { name: "nothing becomes available, with that in --fail-on", run: full, failOn: ["unavailable"], code: 4 },
    { name: "never steady", run: { ...rollout, settled: { is: "horizon", horizonMs: 1 } }, code: 3 },
    {
      name: "never steady, without that in --fail-on",
      run: { ...rollout, settled: { is: "horizon", horizonMs: 1 } },
      failOn: ["delete"],
      code: 0,
    },
  ];
  for (const { name, run, failOn, never, alone, code } of rows) {
    test(`${name}: ${code}`, () => {
      const options = { never: never === true, hasBaseline: alone !== true };
      expect(
        exitCodeOf(run, judged(run), { ...options, ...(failOn !== undefined && { failOn: new Set(failOn) }) }),
      ).toBe(code);
    });
  }

  const daemons = {
    apiVersion: "apps/v1",
    kind: "DaemonSet",
    metadata: { name: "logs", namespace: "shop" },
    spec: {
      selector: { matchLabels: { a: "b" } },
      template: { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } },
    },
  } as ToApply;
  const labelled = { ...daemons, metadata: { ...daemons.metadata, labels: { a: "b" } } } as ToApply;
  const frob: ToApply = { apiVersion: "example.com/v1", kind: "Frob", metadata: { name: "f" } };
  const lost = { ...service, spec: { selector: { app: "none" }, ports: [{ port: 80 }] } } as unknown as ToApply;
  const open: readonly {
    readonly name: string;
    readonly baseline: readonly ToApply[];
    readonly applied: readonly ToApply[];
    readonly failOn?: readonly FailCondition[];
    readonly code: number;
  }[] = [
    { name: "a DaemonSet, which no controller here runs", baseline: [], applied: [daemons], code: 5 },
    { name: "a DaemonSet that changes", baseline: [daemons], applied: [labelled], code: 5 },
    { name: "a DaemonSet that does not change", baseline: [daemons], applied: [daemons], code: 0 },
    {
      name: "a DaemonSet, with only deletions in --fail-on",
      baseline: [],
      applied: [daemons],
      failOn: ["delete"],
      code: 0,
    },
    { name: "an object that cannot be read", baseline: [service], applied: [service, hidden], code: 5 },
    { name: "the same beside a change", baseline: [], applied: [service, hidden], code: 1 },
    { name: "a kind of others that does not change", baseline: [frob], applied: [frob], code: 0 },
    { name: "a kind of others with a change", baseline: [], applied: [service, frob], code: 1 },
    { name: "a Service without matching pods", baseline: [lost], applied: [lost], code: 0 },
    { name: "the same, with that in --fail-on", baseline: [lost], applied: [lost], failOn: ["dangling"], code: 1 },
  ];
  for (const { name, baseline, applied, failOn, code } of open) {
    test(`${name}: ${code}`, async () => {
      const run = await play(baseline, applied.map(apply));
      const given = failOn === undefined ? undefined : new Set(failOn);
      expect(exitCodeOf(run, judged(run), { never: false, hasBaseline: true, failOn: given })).toBe(code);
    });
  }

  test("an object that is applied and scaled is reported once", async () => {
    const kind = { group: "apps", version: "v1", kind: "Deployment", plural: "deployments", namespaced: true };
    const scale = { is: "scale", kind, namespace: "shop", name: "web", replicas: 4 } as const;
    const run = await play([deployment("nginx:1")], [apply(deployment("nginx:2")), scale]);
    const text = textLines(reportOf(run), styleOf(fakeIo().out)).join("\n");
    expect(text.match(/available 4 of 4/g)).toHaveLength(1);
    const notices = githubLines(reportOf(run), seededRandom(1)).filter((line) => line.startsWith("::notice"));
    expect(notices).toHaveLength(1);
  });

  test("without a comparison nothing is reported as unchanged", async () => {
    const run = await play([service], [apply(service), apply(hidden)]);
    const text = textLines(reportOf(run), styleOf(fakeIo().out)).join("\n");
    expect(text).not.toContain("nothing would change");
    expect(text).toContain("cannot tell whether anything would change: not seen: Frob shop/hidden");
  });

  test("a deleted Deployment takes its dependents, which are lost for good", async () => {
    const kind = { group: "apps", version: "v1", kind: "Deployment", plural: "deployments", namespaced: true };
    const run = await play([deployment("nginx:1.26")], [{ is: "delete", kind, namespace: "shop", name: "web" }]);
    expect(lostObjects(run).map(({ of }) => of.kind)).toEqual(["Deployment", "ReplicaSet", "Pod"]);
    expect(exitCodeOf(run, judged(run), { failOn: new Set(["delete"]), never: false, hasBaseline: true })).toBe(1);
  });

  test("an object that only a finalizer keeps is deleted for good", async () => {
    const kind = { group: "", version: "v1", kind: "Service", plural: "services", namespaced: true };
    const held = { ...service, metadata: { ...service.metadata, finalizers: ["example.com/hold"] } } as ToApply;
    const run = await play([held], [{ is: "delete", kind, namespace: "shop", name: "web" }]);
    expect(lostObjects(run).map(({ of }) => of.kind)).toEqual(["Service"]);
    expect(exitCodeOf(run, judged(run), { failOn: new Set(["delete"]), never: false, hasBaseline: true })).toBe(1);
  });

  describe("if it cannot tell what is deleted with a namespace", () => {
    const run: DryRun = {
      ...rollout,
      held: [{ what: "Namespace shop", why: "it contains widgets.example.com", isDecisive: true }],
    };
    const codeFor = (failOn?: readonly FailCondition[], played = run): number =>
      exitCodeOf(played, judged(played), {
        never: false,
        hasBaseline: true,
        failOn: failOn === undefined ? undefined : new Set(failOn),
      });

    test("is 5, except where deletions do not count", () => {
      expect([codeFor(), codeFor(["delete"]), codeFor(["dangling"])]).toEqual([5, 5, 0]);
    });

    test("is 1 if something is deleted anyway", async () => {
      const kind = { group: "", version: "v1", kind: "Service", plural: "services", namespaced: true };
      const gone = await play([service], [{ is: "delete", kind, namespace: "shop", name: "web" }]);
      expect(codeFor(["delete"], { ...gone, held: run.held })).toBe(1);
    });

    test("is explained in every format", () => {
      const report = reportOf(run, { failOn: new Set(["delete"]), exitCode: 5 });
      const why = "Namespace shop: cannot tell what is deleted with it: it contains widgets.example.com";
      expect(textLines(report, styleOf(fakeIo().out))).toContain(`? ${why}`);
      expect(githubLines(report, seededRandom(1)).join("\n")).toContain(`::warning title=cannot tell::${why}`);
      expect(markdownLines(report).join("\n")).toContain(`- ? ${why}`);
      expect(junitLines(report).join("\n")).toContain(`<skipped message="${why}"/>`);
      const [end] = reportAsJson(report).slice(-1);
      expect(JSON.parse(end ?? "")).toMatchObject({ is: "end", deletions: "cannot tell", exitCode: 5 });
    });
  });

  test("--fail-on accepts lists, and refuses unknown words", () => {
    expect(parseFailOn(["delete,unavailable", "never-steady"])).toEqual(
      new Set(["delete", "unavailable", "never-steady"]),
    );
    expect(() => parseFailOn(["deletes"])).toThrow('--fail-on does not know "deletes"');
  });
});
