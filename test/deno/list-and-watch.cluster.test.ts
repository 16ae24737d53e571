import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Cluster, clusterMissing, startCluster } from "../support/cluster.ts";
import { runDeno } from "../support/deno.ts";

describe.skipIf(clusterMissing !== undefined)("on Deno", () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startCluster();
  });
  afterAll(() => cluster.stop());

  test("a list and a watch work over TLS with a client certificate, and end on request", async () => {
    const { stdout, stderr, code } = await runDeno("test/deno/list-and-watch.ts", [], {
      KUBECONFIG: cluster.certKubeconfig,
    });
    expect({ stderr, code }).toEqual({ stderr: "", code: 0 });
    expect(stdout).toStartWith("ok Deno ");
  });
});
