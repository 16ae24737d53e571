/** Warnings when a Service is written. Source: kubernetes v1.36 pkg/api/service/warnings.go; apimachinery v0.36 util/validation/ip.go. */
import { addressText, isMapped, readAddress } from "../../../meta/go-addresses.ts";
import { textOf, textsIn, type ApiObject } from "../../../meta/object.ts";

const hints = "service.kubernetes.io/topology-aware-hints";
const mode = "service.kubernetes.io/topology-mode";

/** In the real server's order; the notation of load balancer source ranges is not checked. */
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
    ...(balancerIp === "" ? [] : addressWarnings("spec.loadBalancerIP", balancerIp)),
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

const listWarnings = (field: string, ips: readonly string[]): Warning[] =>
  ips.flatMap((ip, index) => addressWarnings(`${field}[${index}]`, ip));

/** Warns about addresses that are not in canonical form. */
function addressWarnings(field: string, text: string): Warning[] {
  const quoted = JSON.stringify(text);
  const use = (better: string): Warning[] => [
    [true, `${field}: non-standard IP address ${quoted} is invalid: use ${JSON.stringify(better)}`],
  ];
  const read = readAddress(text);
  // Of unparsable addresses, only those with leading zeros are accepted.
  if ("problem" in read) return use(text.split(".").map(Number).join("."));
  const { value } = read;
  if (isMapped(value)) return use(addressText({ bits: 32, value: value.value & 0xffff_ffffn, zone: "" }));
  const canonical = addressText(value);
  if (value.bits === 32 || canonical === text) return [];
  const form = `should be in RFC 5952 canonical format (${JSON.stringify(canonical)})`;
  return [[true, `${field}: IPv6 address ${quoted} ${form}`]];
}
