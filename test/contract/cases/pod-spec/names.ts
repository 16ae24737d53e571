/** Names of pods and of the objects to which they refer. */
import { type Case } from "../../case.ts";
import { container, pods } from "./one-pod-each.ts";

export const names: readonly Case[] = [
  pods(
    "hostname and subdomain",
    { hostnameOverride: "" },
    { hostnameOverride: "x".repeat(65), setHostnameAsFQDN: true, hostNetwork: true },
    { hostname: "A_b", subdomain: "a.b" },
    { hostAliases: [{ ip: "a", hostnames: ["b c"] }, { ip: "010.0.0.1" }, {}] },
  ),
  pods(
    "DNS",
    { dnsPolicy: "None" },
    { dnsPolicy: "None", dnsConfig: {} },
    { dnsPolicy: "Some" },
    {
      dnsConfig: {
        nameservers: ["a", "10.0.0.1", "010.0.0.1", "::1"],
        searches: [".", "a_b.", "A", "x".repeat(254)],
        options: [{}, { name: "a" }],
      },
    },
    { dnsConfig: { searches: Array.from({ length: 33 }, (_, index) => `${"x".repeat(63)}.n${index}`) } },
  ),
  pods(
    "classes and policies",
    { runtimeClassName: "" },
    { preemptionPolicy: "" },
    { restartPolicy: "Sometimes" },
    { containers: [{ ...container, imagePullPolicy: "Sometimes", terminationMessagePolicy: "Stdout" }] },
    { containers: [{ ...container, image: " i" }], initContainers: [{ name: "d", image: "i " }] },
    { activeDeadlineSeconds: 0 },
    { nodeName: "A_b", serviceAccountName: "A_b" },
  ),
  pods(
    "resource claims",
    { resourceClaims: [{}, { name: "a.b", resourceClaimName: "A_b" }] },
    { resourceClaims: [{ name: "a", resourceClaimName: "b", resourceClaimTemplateName: "c_d" }] },
    {
      resourceClaims: [{ name: "a", resourceClaimName: "b" }],
      containers: [
        {
          ...container,
          resources: {
            claims: [
              { name: "a", request: "r" },
              { name: "a" },
              { name: "a", request: "s" },
              { name: "x" },
              { name: "" },
            ],
          },
        },
      ],
    },
    { containers: [{ ...container, resources: { claims: [{ name: "a", request: "A_b" }] } }] },
  ),
];
