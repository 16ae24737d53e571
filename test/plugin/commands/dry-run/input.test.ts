/** Unusable manifests: what is reported, and for which position. */
import { describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { dryRunCommand } from "../../../../plugin/commands/dry-run/dry-run.ts";
import { removedVersions } from "../../../../plugin/manifests/removed-versions.ts";
import { isOwnGroup, whyUnknown } from "../../../../plugin/manifests/unknown-kinds.ts";
import { UserError } from "../../../../plugin/cli/user-error.ts";
import { sandboxKinds } from "../../../../src/modes/dry-run/kinds.ts";
import { type FakeIo, fakeIo } from "../../../support/fake-io.ts";
import { rejection } from "../../../support/rejection.ts";
import { apply, obeyed, play } from "./scene.ts";

describe("an invalid dry-run", () => {
  /** Runs the program's own command with only these manifests. */
  async function refused(text: string, output: "diff" | "github"): Promise<{ io: FakeIo; error: UserError }> {
    const folder = mkdtempSync(join(tmpdir(), "dry-run-"));
    const file = join(folder, "web.yaml");
    writeFileSync(file, text);
    const io = fakeIo();
    try {
      const options = { manifests: [file], from: "manifests", output } as never;
      const error = (await rejection(dryRunCommand.execute({ arguments: [], options }, io))) as UserError;
      return {
        io,
        error: new UserError(
          error.message,
          error.next.map((line) => line.replaceAll(`${folder}/`, "")),
        ),
      };
    } finally {
      rmSync(folder, { recursive: true });
    }
  }

  const object = (apiVersion: string, kind: string, more = ""): string =>
    `# first line\napiVersion: ${apiVersion}\nkind: ${kind}\nmetadata: {name: web}\n${more}`;
  const spec = (more: string): string =>
    `spec:\n  selector: {matchLabels: {a: b}}\n  template:\n    metadata: {labels: {a: b}}\n    spec:\n      containers:\n      - name: a\n        image: i\n${more}`;
  const rows: readonly {
    readonly name: string;
    readonly text: string;
    readonly says: string;
    readonly line: number;
  }[] = [
    {
      name: "a misspelt kind",
      text: object("apps/v1", "Deploymnt"),
      says: "there is no kind Deploymnt in apps/v1: did you mean Deployment?",
      line: 3,
    },
    {
      name: "a kind in a Kubernetes group that lacks it",
      text: object("v1", "Deployment"),
      says: "there is no kind Deployment in v1: did you mean apps/v1?",
      line: 3,
    },
    {
      name: "a removed version",
      text: object("extensions/v1beta1", "Deployment"),
      says: "Deployment of extensions/v1beta1 was removed in Kubernetes 1.16: use apps/v1",
      line: 3,
    },
    {
      name: "an unknown field",
      text: object("apps/v1", "Deployment", spec("        imagee: x\n")),
      says: 'unknown field "spec.template.spec.containers[0].imagee"',
      line: 13,
    },
    {
      name: "a wrong type",
      text: object("apps/v1", "Deployment", spec("        ports:\n        - containerPort: many\n")),
      says: "containerPort",
      line: 14,
    },
    {
      name: "a value that validation refuses",
      text: object("apps/v1", "Deployment", spec("        terminationMessagePolicy: Never\n")),
      says: "spec.template.spec.containers[0].terminationMessagePolicy: Unsupported value",
      line: 13,
    },
    { name: "broken YAML", text: object("v1", "Pod", "spec: [\n"), says: "", line: 6 },
  ];
  for (const { name, text, says, line } of rows) {
    test(`names ${name}, with its line, and annotates it on GitHub`, async () => {
      const { error } = await refused(text, "diff");
      expect(error.next.join("\n")).toContain(`, line ${line}: `);
      expect(error.next.join("\n")).toContain(says);
      const { io } = await refused(text, "github");
      expect(io.outText()).toMatch(new RegExp(`^::error file=\\S+web\\.yaml,line=${line},title=`));
      expect(io.outText()).toContain(says);
      expect(obeyed(io.outText())).toEqual(["error"]);
    });
  }

  test("names a manifest with only generateName, with its line", async () => {
    const { error } = await refused("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  generateName: a-\n", "diff");
    expect(error.message).toBe("kubectl apply would refuse this");
    expect(error.next[0]).toBe("web.yaml, document 1 (ConfigMap a-…), line 4: cannot use generate name with apply");
  });

  test("prints no forged workflow command, on standard error either", async () => {
    const { io, error } = await refused(
      'apiVersion: v1\nkind: "::error::x ##[error]y"\nmetadata: {name: a}\n',
      "github",
    );
    expect(obeyed(io.outText())).toEqual(["error"]);
    expect(obeyed(`${error.message}\n${error.next.join("\n")}`)).toEqual([]);
  });

  test("accepts kinds of other groups", async () => {
    const run = await play([], [apply({ apiVersion: "example.com/v1", kind: "Frob", metadata: { name: "f" } })]);
    expect(run.notFollowed.map(({ did }) => did)).toEqual(["created"]);
    const kinds = await sandboxKinds();
    const groups = ["example.com/v1", "gateway.networking.k8s.io/v1", "metrics.k8s.io/v1beta1"];
    expect(groups.filter((each) => isOwnGroup(each, kinds))).toEqual([]);
    expect(whyUnknown({ apiVersion: "example.com/v1", kind: "Frob" }, kinds)).not.toContain("did you mean");
  });

  test("suggests a served version for every removed one, or what to do", async () => {
    const kinds = await sandboxKinds();
    const served = new Set(
      kinds.map((kind) => `${kind.group === "" ? "" : `${kind.group}/`}${kind.version} ${kind.kind}`),
    );
    for (const { apiVersion, kinds: gone, instead } of removedVersions) {
      for (const kind of gone) {
        expect(served.has(`${apiVersion} ${kind}`)).toBe(false);
        if (instead !== undefined)
          expect([`${instead} ${kind}`, served.has(`${instead} ${kind}`)]).toEqual([`${instead} ${kind}`, true]);
      }
    }
  });
});
