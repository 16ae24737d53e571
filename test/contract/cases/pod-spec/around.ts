/** Validation beyond the spec alone: annotations, templates, classes. */
import { paths, pod, post, settle, type Case } from "../../case.ts";
import { container, type Json } from "./one-pod-each.ts";

const annotated = (annotations: Json, spec: Json = {}): unknown => ({
  metadata: { name: "p", annotations },
  spec: { containers: [container], ...spec },
});

const appArmor = "container.apparmor.security.beta.kubernetes.io/";
const seccomp = "container.seccomp.security.alpha.kubernetes.io/";

export const annotations: readonly Case[] = [
  {
    name: "annotations with a meaning",
    steps: [
      annotated({ "kubernetes.io/config.mirror": "m" }),
      annotated({ "controller.kubernetes.io/pod-deletion-cost": "+1" }),
      annotated({ "controller.kubernetes.io/pod-deletion-cost": "2147483648" }),
      annotated({ "seccomp.security.alpha.kubernetes.io/pod": "a" }),
      annotated({ [`${seccomp}c`]: "localhost//a" }),
      annotated({ [`${appArmor}x`]: "a" }),
      annotated(
        { [`${seccomp}c`]: "unconfined" },
        {
          containers: [{ ...container, securityContext: { seccompProfile: { type: "RuntimeDefault" } } }],
        },
      ),
      annotated(
        { [`${appArmor}c`]: "localhost/a" },
        {
          securityContext: { appArmorProfile: { type: "Localhost", localhostProfile: "b" } },
        },
      ),
    ].map((body) => post(paths.pods, body, "dryRun=All")),
  },
];

/** Templates are validated like pods, except for a few fields. */
export const templates: readonly Case[] = [
  {
    name: "templates are validated less strictly in some fields",
    steps: [
      { containers: [{ ...container, image: " i" }] },
      { containers: [container], volumes: [{ name: "v", image: {} }] },
      { containers: [{ ...container, ports: [{ containerPort: 80 }] }], hostNetwork: true },
      { containers: [{ ...container, ports: [{ containerPort: 80, hostPort: 81 }] }], hostNetwork: true },
      {
        containers: [container],
        ephemeralContainers: [{ name: "e", image: " i", ports: [{ containerPort: 1 }], resources: {} }],
      },
    ].map((spec, index) =>
      post(
        "/api/v1/namespaces/{ns}/podtemplates",
        { metadata: { name: `t${index}` }, template: { metadata: { annotations: { "a b": "c" } }, spec } },
        "dryRun=All",
      ),
    ),
  },
];

export const classes: readonly Case[] = [
  {
    name: "the priority must be that of the priority class",
    steps: [
      post("/apis/scheduling.k8s.io/v1/priorityclasses", {
        metadata: { name: "{ns}" },
        value: 5,
        preemptionPolicy: "Never",
      }),
      settle,
      ...[
        { preemptionPolicy: "PreemptLowerPriority" },
        { priority: 4 },
        { priority: 5, preemptionPolicy: "Never" },
      ].map((more) => post(paths.pods, pod("p", {}, { priorityClassName: "{ns}", ...more }), "dryRun=All")),
      post(paths.pods, pod("p", {}, { preemptionPolicy: "Never" }), "dryRun=All"),
    ],
  },
  {
    name: "the overhead must be that of the runtime class",
    steps: [
      post("/apis/node.k8s.io/v1/runtimeclasses", {
        metadata: { name: "{ns}" },
        handler: "h",
        overhead: { podFixed: { cpu: "1" } },
        scheduling: { nodeSelector: { a: "b" } },
      }),
      settle,
      ...[
        { overhead: { cpu: "1" } },
        { overhead: { cpu: "2" }, runtimeClassName: "{ns}" },
        { overhead: { cpu: "1000m" }, runtimeClassName: "{ns}" },
        { nodeSelector: { a: "c" }, runtimeClassName: "{ns}" },
      ].map((more) => post(paths.pods, pod("p", {}, more), "dryRun=All")),
    ],
  },
];
