/** How GitHub Actions interprets the output: annotations, and nothing forged by a manifest. */
import { describe, expect, test } from "bun:test";
import { ManifestError } from "../../../../plugin/manifests/manifests.ts";
import { githubErrorLines, githubLines } from "../../../../plugin/commands/dry-run/report/github.ts";
import { type Annotation, annotationLines } from "../../../../plugin/commands/dry-run/report/workflow-commands.ts";
import type { ToApply } from "../../../../src/modes/dry-run/apply.ts";
import { seededRandom } from "../../../../src/platform/random.ts";
import { apply, deployment, obeyed, play, reportOf, rollout } from "./scene.ts";

describe("in GitHub Actions", () => {
  const forged = [
    "::error::x",
    "  ::error title=t::x",
    "a ##[error]x",
    "##[error]x",
    "::stop-commands::abc",
    "x\r::error::y",
  ];

  test("no text of a manifest or of a server is executed as a workflow command", async () => {
    const data = Object.fromEntries(forged.map((text, index) => [`key-${index}`, text]));
    const annotations = { "example.com/note": forged.join("\n") };
    const settings = {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "settings", namespace: "shop", annotations },
      data,
    } as ToApply;
    const run = await play([], [settings, deployment(`::error::${"x".repeat(20)}`, "20")].map(apply));
    const changed = { ...settings, data: { "key-0": "\r\n::error::z ##[error]z" } } as ToApply;
    const later = await play([settings], [apply(changed)]);
    for (const each of [run, later]) {
      const text = githubLines(reportOf(each, { notes: forged }), seededRandom(1)).join("\n");
      expect(text).toContain("key-0");
      const allowed = ["group", "endgroup", "notice", ...(each === run ? ["error"] : [])];
      expect(obeyed(text).filter((name) => !allowed.includes(name))).toEqual([]);
      expect(obeyed(text).filter((name) => name === "error")).toHaveLength(each === run ? 1 : 0);
    }
  });

  const nowhere = ["https://example.com/web.yaml", "standard input"];
  test.each(nowhere)("an object that is in no file of the work tree, %s, is named in the message", (file) => {
    const report = reportOf(rollout);
    const manifests = report.manifests.map((manifest) => ({ ...manifest, file }));
    const lines = githubLines({ ...report, manifests }, seededRandom(1));
    const problem = { file, document: 1, line: 4, object: "Deployment web", text: "spec.replicas: wrong" };
    const text = [...lines, ...githubErrorLines(new ManifestError("not usable", [problem]))].join("\n");
    expect(text).not.toContain("file=");
    expect(text).toContain(`::notice title=Deployment shop/web configured::${file}, line 4: `);
    expect(text).toContain(`::error title=Deployment web::${file}, line 4: spec.replicas: wrong`);
  });

  test("shows ten annotations per level, errors first, the last of them a count of the rest", () => {
    const annotations = Array.from({ length: 12 }, (_, n) => n).flatMap((n): Annotation[] => [
      { level: "notice", title: `n${n}`, message: "m" },
      { level: "error", title: `e${n}`, message: "100 %: a\nb", place: { file: "a,b.yaml", line: n } },
    ]);
    const lines = annotationLines(annotations);
    expect(lines.map((line) => /^::(\w+)/.exec(line)?.[1])).toEqual([
      ...Array.from({ length: 10 }, () => "error"),
      ...Array.from({ length: 10 }, () => "notice"),
    ]);
    expect(lines[0]).toBe("::error file=a%2Cb.yaml,line=0,title=e0::100 %25: a%0Ab");
    expect(lines[9]).toBe("::error title=3 more errors::3 more errors: the log has them all");
  });
});
