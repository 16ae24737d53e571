/** Compares the recording of audit events with the audit log of a real kube-apiserver. `RECORD=1` updates the recording. */
import { describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { clusterMissing, startCluster } from "../support/cluster.ts";
import { auditPolicy, comparableEvents, playAuditSteps } from "./support/audit-scene.ts";

const recording = join(import.meta.dir, "recorded", "audit.jsonl");

describe.skipIf(clusterMissing !== undefined)("a real kube-apiserver's audit log", () => {
  test("equals the recorded one", async () => {
    const dir = mkdtempSync(join(tmpdir(), "audit-"));
    const [policy, log] = [join(dir, "policy.yaml"), join(dir, "audit.log")];
    writeFileSync(policy, JSON.stringify(auditPolicy));
    const flags = [`--audit-policy-file=${policy}`, `--audit-log-path=${log}`, "--audit-log-mode=blocking"];
    const cluster = await startCluster({ apiServerFlags: flags });
    try {
      await playAuditSteps(cluster);
      const events = comparableEvents(readFileSync(log, "utf8"));
      if (process.env["RECORD"] === "1") writeFileSync(recording, `${events.join("\n")}\n`);
      expect(events).toEqual(readFileSync(recording, "utf8").trim().split("\n"));
    } finally {
      await cluster.stop();
      rmSync(dir, { recursive: true, force: true });
    }
  });
});
