import { describe, expect, test } from "bun:test";
import { seededRandom } from "../../src/platform/random.ts";
import { realTimeline } from "../../src/platform/real-timeline.ts";
import { createSandbox } from "../../src/sandbox/sandbox.ts";
import { sendRequest, type Json } from "./support/requests.ts";

const pods = "/api/v1/namespaces/default/pods";
const asTable = "application/json;as=Table;g=meta.k8s.io;v=v1";

describe("the table of pods", () => {
  // The responses of kube-apiserver 1.36.3 in the long random contract test.
  const ended = [
    { phase: "Running", conditions: undefined },
    {
      phase: "Succeeded",
      conditions: [
        { type: "Completed", status: "True", reason: "Succeeded", message: "The pod has completed successfully." },
      ],
    },
    {
      phase: "Failed",
      conditions: [{ type: "Completed", status: "True", reason: "Failed", message: "The pod failed." }],
    },
  ];

  test.each(ended)("says whether a pod in phase $phase has ended", async ({ phase, conditions }) => {
    const sandbox = await createSandbox({ timeline: realTimeline(), random: seededRandom(1) });
    const transport = sandbox.transport({ actor: "test" });
    await sendRequest(transport, "POST", pods, {
      body: { metadata: { name: "a" }, spec: { containers: [{ name: "c", image: "i" }] } },
    });
    await sendRequest(transport, "PATCH", `${pods}/a/status`, {
      type: "application/merge-patch+json",
      body: { status: { phase } },
    });
    const { status, body } = await sendRequest(transport, "GET", `${pods}/a`, { accept: asTable });
    expect(status).toBe(200);
    const [row] = body["rows"] as Json[];
    expect(row?.["cells"]).toContain(phase);
    expect(row?.["conditions"]).toEqual(conditions);
  });
});
