/** `run ./file.ts --reload`: a saved file replaces the controller, with the same caches; an invalid one leaves the previous one running. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type ApiSide, sandboxSide } from "../support/api-side.ts";
import { type Program, startProgram } from "./support/program.ts";

const maps = "/api/v1/namespaces/default/configmaps";

/** A controller that gives each ConfigMap with the label `mark` the value in `mark.ts`. */
function controller({ also = "", watches = "watchPrimary(kinds.ConfigMaps)" } = {}): string {
  return `import { defineController, keyOf, kinds, rule, watch, watchPrimary } from "kubectl-reconcile";
import { mark } from "./mark.ts";
${also}
const give = rule({ id: "give", looksAt: [".data.mark"], chooses: "the mark", sentence: ({ mark }) => \`give it \${mark}\` });
export default defineController({
  name: "marker",
  purpose: "marks ConfigMaps",
  for: kinds.ConfigMaps,
  watches: [${watches}],
  rules: [give],
  permissions: [{ group: "", resource: "configmaps", verbs: ["patch"] }],
  async sync(key, context) {
    const map = context.cache(kinds.ConfigMaps).get(key);
    if (map === undefined || map.metadata.labels?.mark === undefined || map.data?.mark === mark) return;
    const because = context.decide(give, { mark });
    const at = { namespace: map.metadata.namespace, name: map.metadata.name };
    await context.client.patch(kinds.ConfigMaps, at, { type: "merge", body: { data: { mark } } }, { because });
  },
});
`;
}

describe("run --reload", () => {
  let served: ApiSide;
  let run: Program;
  beforeAll(async () => {
    served = await sandboxSide();
    await served.send("POST", maps, { metadata: { name: "a", labels: { mark: "yes" } } });
    save("mark.ts", 'export const mark: string = "one";\n');
    save("marker.ts", controller());
    const file = join(served.dir, "marker.ts");
    run = startProgram(["run", file, "-n", "default", "--force", "--reload", "-o", "json"], {
      kubeconfig: served.kubeconfig,
    });
    await run.says(/running marker/);
  }, 60_000);
  afterAll(async () => {
    await run[Symbol.asyncDispose]();
    await served.stop();
  });

  function save(name: string, text: string): void {
    writeFileSync(join(served.dir, name), text);
  }

  async function marked(mark: string): Promise<void> {
    let found = "";
    for (let look = 0; look < 200 && found !== mark; look++) {
      await Bun.sleep(50);
      const response = await served.send("PATCH", `${maps}/a`, {});
      found = ((await response.json()) as { readonly data?: { readonly mark?: string } }).data?.mark ?? "";
    }
    if (found !== mark) throw new Error(`a has the mark ${found}, not ${mark}: ${run.stderr}`);
  }

  const lists = (): number => run.stdout.split("\n").filter((line) => line.includes('"stage":"list"')).length;

  test("reloads when an imported file changes; nothing is listed again", async () => {
    await marked("one");
    const before = lists();
    expect(before).toBeGreaterThan(0);
    save("mark.ts", 'export const mark: string = "two";\n');
    await marked("two");
    expect(run.stderr).toMatch(/^reloaded \S+marker\.ts: 2 objects to sync$/m);
    expect(run.stdout).toMatch(/"cause":"other","why":"reloaded \S+marker\.ts"/);
    expect(lists()).toBe(before);
  });

  test("reports the place of an error in a file, and the previous version continues", async () => {
    save("marker.ts", controller({ also: "const broken: = 1;" }));
    await run.says(/cannot load \S+marker\.ts: .*marker\.ts:3:\d+; the previous version keeps running/);
    save("marker.ts", controller({ also: 'throw new Error("not yet");' }));
    await run.says(/cannot load \S+marker\.ts: not yet, at \S*marker\.ts:3:\d+; the previous version keeps running/);
    await served.send("PATCH", `${maps}/a`, { data: { mark: "by hand" } });
    await marked("two");
    save("mark.ts", 'export const mark: string = "three";\n');
    save("marker.ts", controller());
    await marked("three");
  });

  test("picks up a file that is saved during a reload", async () => {
    save("marker.ts", controller({ also: "await new Promise((done) => setTimeout(done, 1500));" }));
    await Bun.sleep(900);
    save("mark.ts", 'export const mark: string = "four";\n');
    await marked("four");
    save("mark.ts", 'export const mark: string = "three";\n');
    save("marker.ts", controller());
    await marked("three");
  });

  test("does not replace the initial setup, and says so", async () => {
    const pods = "watch({ kind: kinds.Pods, on: () => undefined })";
    save("marker.ts", controller({ watches: `watchPrimary(kinds.ConfigMaps), ${pods}` }));
    await run.says(/marker\.ts is not reloaded: marker watches other kinds; start again to take it up/);
    await served.send("PATCH", `${maps}/a`, { data: { mark: "by hand" } });
    await marked("three");
  });

  test("works only with files", async () => {
    await using refused = startProgram(["run", "replicaset", "--reload"], { kubeconfig: served.kubeconfig });
    const { stderr, code } = await refused.end();
    expect([code, stderr]).toEqual([2, expect.stringContaining("--reload is for controllers in files")]);
  });
});
