/** Endpoints changed by users. Changes that upstream does not notice are not noticed here either, until the next sync of the Service. */
import type { Stage } from "../../stage.ts";
import type { Script, Step } from "../../suite.ts";
import { makeService, patchService } from "./acts.ts";
import { begin, pod } from "./pods.ts";

const act = (name: string, does: (stage: Stage) => Promise<unknown>): Step => ({ name, act: does });
const patch = (name: string, body: object): Step => act(name, (stage) => stage.patch("endpoints", "web", body));
const label: Step = act("change a label of the Service", (stage) =>
  patchService(stage, {}, { labels: { team: "blue" } }),
);

export const objects: readonly Script[] = [
  {
    name: "modified Endpoints are corrected on the next sync of their Service",
    steps: [
      begin,
      pod("a", { ips: ["10.1.0.1"] }),
      patch("remove the subsets", { subsets: null }),
      label,
      patch("add an annotation", {
        metadata: { annotations: { "endpoints.kubernetes.io/over-capacity": "truncated" } },
      }),
      act("change the label of the Service again", (stage) => patchService(stage, {}, { labels: { team: "red" } })),
    ],
  },
  {
    name: "deleted Endpoints are recreated",
    steps: [
      begin,
      pod("a", { ips: ["10.1.0.1"] }),
      act("delete the Endpoints", (stage) => stage.remove("endpoints", "web")),
    ],
  },
  {
    name: "Endpoints created by a user are taken over",
    steps: [
      act("create a Service without a selector", (stage) => makeService(stage, { selector: null })),
      act("create Endpoints", (stage) =>
        stage.create("endpoints", {
          metadata: { name: "web", labels: { mine: "yes" } },
          subsets: [{ addresses: [{ ip: "10.9.9.9" }], ports: [{ name: "http", port: 1 }] }],
        }),
      ),
      act("set a selector", (stage) => patchService(stage, { selector: { app: "web" } })),
      pod("a", { ips: ["10.1.0.1"] }),
    ],
  },
  {
    name: "several ports become several subsets, sorted",
    steps: [
      act("create a Service", (stage) =>
        makeService(stage, {
          ports: [
            { name: "zeta", port: 80, targetPort: "web" },
            { name: "alpha", port: 81, targetPort: 9000, appProtocol: "kubernetes.io/h2c" },
            { name: "dns", port: 53, targetPort: 5353, protocol: "UDP" },
          ],
        }),
      ),
      pod("a", { ips: ["10.1.0.10"], ports: { web: 8080 } }),
      pod("b", { ips: ["10.1.0.9"], at: 2, ports: { web: 8081 } }),
      pod("c", { ips: ["10.1.0.100"], at: 3, ports: { web: 8080 } }),
      pod("d", { ips: ["10.1.0.4"], at: 4, ready: false }),
      pod("e", { ips: ["10.1.0.3"], at: 5, ready: false, ports: { web: 8081 } }),
    ],
  },
];
