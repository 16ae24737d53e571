/** kubectl, unchanged, over HTTPS: every command prints on a sandbox what it prints on a real kube-apiserver. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { clusterMissing } from "../support/cluster.ts";
import { comparable, type Pair, type Printed, startPair } from "./support/kubectl-pair.ts";
import { replicaSet } from "./support/kubectl-manifests.ts";
import type { Step } from "./support/kubectl-scene.ts";
import { scenes } from "./support/kubectl-steps.ts";

function seen({ stdout, stderr, code }: Printed): object {
  return { stdout: comparable(stdout).split("\n"), stderr: comparable(stderr).split("\n"), code };
}

describe.skipIf(clusterMissing !== undefined)("kubectl on the sandbox, beside a real kube-apiserver", () => {
  let pair: Pair;
  beforeAll(async () => {
    pair = await startPair();
  });
  afterAll(() => pair.stop());

  async function compare({ run, stdin, differs }: Step): Promise<void> {
    const args = run.split(" ");
    if (differs !== undefined) {
      const { stderr, code } = await pair.mine.kubectl(args, stdin);
      expect(code, run).not.toBe(0);
      expect(stderr, run).toContain(differs.prints);
      return;
    }
    const [real, mine] = await Promise.all([pair.real.kubectl(args, stdin), pair.mine.kubectl(args, stdin)]);
    expect({ run, ...seen(mine) }).toEqual({ run, ...seen(real) });
  }

  for (const { name, steps } of scenes) {
    test(`it ${name}: ${steps.length} commands`, async () => {
      for (const step of steps) await compare(step);
    });
  }

  test("it follows what happens: get -w prints the same events", async () => {
    const both = [pair.real, pair.mine];
    const printed = await Promise.all(
      both.map(async (side) => {
        await side.kubectl(["create", "-f", "-"], replicaSet(1));
        const watch = side.follow(["get", "rs", "-w", "--output-watch-events", "-o", "wide"]);
        const lines = watch.lines(5);
        // The head and the object as it was: then it is known to watch.
        await watch.printed(2);
        await side.kubectl(["scale", "rs", "web", "--replicas=3"]);
        await side.kubectl(["label", "rs", "web", "x=y"]);
        await side.kubectl(["delete", "rs", "web"]);
        return comparable(await lines).split("\n");
      }),
    );
    expect(printed[1]).toEqual(printed[0]);
    expect(printed[1]?.map((line) => line.split(" ")[0])).toEqual([
      "EVENT",
      "ADDED",
      "MODIFIED",
      "MODIFIED",
      "DELETED",
      "",
    ]);
  });
});
