/** Security contexts of pods and containers. */
import { type Case } from "../../case.ts";
import { container, containers, pods } from "./one-pod-each.ts";

export const security: readonly Case[] = [
  pods(
    "the security context of a pod",
    { securityContext: { fsGroup: -1, runAsUser: -1, runAsGroup: 2 ** 31, supplementalGroups: [1, -1] } },
    { hostPID: true, shareProcessNamespace: true },
    {
      securityContext: {
        sysctls: [
          { name: "", value: "a" },
          { name: "A", value: "a" },
        ],
      },
    },
    {
      securityContext: {
        sysctls: [
          { name: "kernel.sem", value: "a" },
          { name: "kernel.sem", value: "a" },
        ],
      },
    },
    { hostNetwork: true, securityContext: { sysctls: [{ name: "net/ipv4.a", value: "a" }] } },
    { hostIPC: true, securityContext: { sysctls: [{ name: "fs.mqueue.a", value: "a" }] } },
    {
      securityContext: {
        fsGroupChangePolicy: "A",
        supplementalGroupsPolicy: "B",
        seLinuxChangePolicy: "MountOption",
      },
    },
    { securityContext: { seccompProfile: {}, appArmorProfile: {} } },
    { securityContext: { seccompProfile: { type: "A" }, appArmorProfile: { type: "A" } } },
    { securityContext: { seccompProfile: { type: "Localhost" }, appArmorProfile: { type: "Localhost" } } },
    {
      securityContext: {
        seccompProfile: { type: "Localhost", localhostProfile: "/a/.." },
        appArmorProfile: { type: "Localhost", localhostProfile: " a" },
      },
    },
    {
      securityContext: {
        seccompProfile: { type: "Unconfined", localhostProfile: "a" },
        appArmorProfile: { type: "Unconfined", localhostProfile: "a" },
      },
    },
    {
      securityContext: {
        windowsOptions: { gmsaCredentialSpecName: "A_b", gmsaCredentialSpec: "", runAsUserName: "" },
      },
    },
    { securityContext: { windowsOptions: { runAsUserName: "a\\b\\c" } } },
    { securityContext: { windowsOptions: { runAsUserName: ".a\\..." } } },
    { securityContext: { windowsOptions: { runAsUserName: "a\\b?" } } },
  ),
  containers(
    "the security context of a container",
    { securityContext: { runAsUser: -1, runAsGroup: 2 ** 31, procMount: "A" } },
    { securityContext: { procMount: "Unmasked" } },
    { securityContext: { seccompProfile: { type: "RuntimeDefault", localhostProfile: "a" } } },
    { securityContext: { windowsOptions: { hostProcess: true } } },
  ),
  pods(
    "user namespaces",
    { hostUsers: false, hostNetwork: true, hostPID: true, hostIPC: true },
    {
      hostUsers: false,
      volumes: [{ name: "w", persistentVolumeClaim: { claimName: "c" } }],
      containers: [{ ...container, volumeDevices: [{ name: "w", devicePath: "/d" }] }],
    },
  ),
  pods(
    "operating systems",
    { os: {} },
    { os: { name: "plan9" } },
    {
      os: { name: "linux" },
      securityContext: { windowsOptions: {} },
      containers: [{ ...container, securityContext: { windowsOptions: {} } }],
    },
    {
      os: { name: "windows" },
      hostPID: true,
      hostUsers: true,
      shareProcessNamespace: true,
      resources: { limits: { cpu: "1" } },
      securityContext: { runAsUser: 1, fsGroup: 1, sysctls: [{ name: "a", value: "b" }], seLinuxOptions: {} },
      containers: [{ ...container, securityContext: { privileged: true, capabilities: {}, runAsUser: 1 } }],
    },
    {
      securityContext: { windowsOptions: { hostProcess: true } },
      containers: [
        { ...container, securityContext: { windowsOptions: { hostProcess: false } } },
        { name: "d", image: "i" },
      ],
    },
  ),
];
