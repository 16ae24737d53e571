/** Warnings when a Service is written. Source: kubernetes v1.36 pkg/api/service/warnings.go. */
import { textOf, textsIn, type ApiObject } from "../../../meta/object.ts";
import { addressWarnings, rangeWarnings } from "../../../validation/address-warnings.ts";

const hints = "service.kubernetes.io/topology-aware-hints";
const mode = "service.kubernetes.io/topology-mode";

/** In the real server's order. */
export function serviceWarnings({ spec = {}, metadata }: ApiObject): string[] {
  const [ip, type, externalName] = [textOf(spec["clusterIP"]), spec["type"], textOf(spec["externalName"])];
  const externalIps = textsIn(spec["externalIPs"]);
  const isHeadless = type === "ClusterIP" && ip === "None";
  const balancerIp = textOf(spec["loadBalancerIP"]);
  const isElsewhere = type === "ExternalName";
  const [hasExternal, ignored] = [externalIps.length > 0, "is ignored for headless services"];
  const warnings: readonly (readonly [boolean, string])[] = [
    [metadata.annotations?.[hints] !== undefined, `annotation ${hints} is deprecated, please use ${mode} instead`],
    ...(ip === "" || ip === "None" ? [] : listWarnings("spec.clusterIPs", textsIn(spec["clusterIPs"]))),
    [isHeadless && balancerIp !== "", `spec.loadBalancerIP ${ignored}`],
    [isHeadless && hasExternal, `spec.externalIPs ${ignored}`],
    [isHeadless && spec["sessionAffinity"] !== "None", `spec.SessionAffinity ${ignored}`],
    ...listWarnings("spec.externalIPs", externalIps),
    [
      hasExternal && !isHeadless && !isElsewhere,
      "spec.externalIPs is deprecated and may no longer be implemented in some clusters",
    ],
    ...(balancerIp === "" ? [] : all(addressWarnings(balancerIp, "spec.loadBalancerIP"))),
    ...textsIn(spec["loadBalancerSourceRanges"]).flatMap((range, index) =>
      all(rangeWarnings(range, `spec.loadBalancerSourceRanges[${index}]`)),
    ),
    [isElsewhere && hasExternal, 'spec.externalIPs is ignored when spec.type is "ExternalName"'],
    [!isElsewhere && externalName !== "", 'spec.externalName is ignored when spec.type is not "ExternalName"'],
    [
      spec["trafficDistribution"] === "PreferClose",
      'spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"',
    ],
  ];
  return warnings.flatMap(([isSo, text]) => (isSo ? [text] : []));
}

type Warning = readonly [isSo: true, text: string];

const all = (texts: readonly string[]): Warning[] => texts.map((text): Warning => [true, text]);

const listWarnings = (field: string, ips: readonly string[]): Warning[] =>
  all(ips.flatMap((ip, index) => addressWarnings(ip, `${field}[${index}]`)));
