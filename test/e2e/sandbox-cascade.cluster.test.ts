/** kubectl's three cascades on an embedded cluster with all controllers running: what is deleted, and what remains. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { controlPlaneBinary } from "../../scripts/control-plane.ts";
import { builtInControllers } from "../../src/controllers/index.ts";
import { type Embedded, startEmbedded } from "../../src/modes/run/embedded.ts";
import { realRandom } from "../../src/platform/random.ts";
import { realTimeline } from "../../src/platform/real-timeline.ts";
import { type SandboxHttps, serveSandbox } from "../../src/sandbox/https.ts";
import { type Side, sideOf } from "./support/kubectl-side.ts";

/** What remains of a Deployment of two pods. */
const cascades = [
  { cascade: "background", stays: { rs: 0, pods: 0 } },
  { cascade: "foreground", stays: { rs: 0, pods: 0 } },
  { cascade: "orphan", stays: { rs: 1, pods: 2 } },
] as const;

describe.skipIf(controlPlaneBinary("kubectl") === undefined)("kubectl delete on a sandbox with its controllers", () => {
  const folder = mkdtempSync(join(tmpdir(), "cascade-"));
  let cluster: Embedded;
  let https: SandboxHttps;
  let side: Side;
  beforeAll(async () => {
    const controllers = builtInControllers.filter(({ name }) => name !== "node-heartbeat");
    cluster = await startEmbedded({ timeline: realTimeline(), random: realRandom(), controllers });
    https = await serveSandbox(cluster.sandbox);
    const file = join(folder, "kubeconfig");
    writeFileSync(file, https.kubeconfig(), { mode: 0o600 });
    side = sideOf(file, join(folder, "cache"));
  });
  afterAll(async () => {
    await cluster.stop();
    await https.close();
    rmSync(folder, { recursive: true });
  });

  async function counted(kind: string, app: string): Promise<number> {
    const { stdout } = await side.kubectl(["get", kind, "-l", `app=${app}`, "-o", "name"]);
    return stdout.split("\n").filter((line) => line !== "").length;
  }

  for (const { cascade, stays } of cascades) {
    test(`--cascade=${cascade} leaves ${stays.rs} ReplicaSets and ${stays.pods} pods`, async () => {
      const app = `web-${cascade}`;
      await side.kubectl(["create", "deployment", app, "--image=nginx", "--replicas=2"]);
      const available = ["wait", `deploy/${app}`, "--for=condition=Available", "--timeout=30s"];
      expect((await side.kubectl(available)).stdout).toContain("condition met");
      const deleted = await side.kubectl(["delete", "deploy", app, `--cascade=${cascade}`, "--timeout=30s"]);
      expect(deleted).toMatchObject({ code: 0, stderr: "" });
      for (let tries = 0; tries < 100 && (await counted("pods", app)) !== stays.pods; tries++) await Bun.sleep(100);
      // What should remain must not disappear later either.
      await Bun.sleep(1000);
      expect({ rs: await counted("rs", app), pods: await counted("pods", app) }).toEqual(stays);
    });
  }
});
