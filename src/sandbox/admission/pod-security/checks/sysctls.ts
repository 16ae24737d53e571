/** Sysctls that affect only the pod. Source: pod-security-admission v0.36 policy/check_sysctls.go. */
import { fieldsIn, textOf } from "../../../meta/object.ts";
import { secured, type Check, type CheckPod } from "./check.ts";

/** Safe sysctls, by the minor version since which they are. */
const harmless: readonly (readonly [since: number, names: readonly string[]])[] = [
  [
    0,
    [
      "kernel.shm_rmid_forced",
      "net.ipv4.ip_local_port_range",
      "net.ipv4.tcp_syncookies",
      "net.ipv4.ping_group_range",
      "net.ipv4.ip_unprivileged_port_start",
    ],
  ],
  [27, ["net.ipv4.ip_local_reserved_ports"]],
  [
    29,
    [
      "net.ipv4.tcp_keepalive_time",
      "net.ipv4.tcp_fin_timeout",
      "net.ipv4.tcp_keepalive_intvl",
      "net.ipv4.tcp_keepalive_probes",
    ],
  ],
  [32, ["net.ipv4.tcp_rmem", "net.ipv4.tcp_wmem"]],
];

const only =
  (names: ReadonlySet<string>): CheckPod =>
  ({ spec }) => {
    const forbidden = fieldsIn(secured(spec, "sysctls"))
      .map(({ name }) => textOf(name))
      .filter((name) => !names.has(name));
    return forbidden.length === 0 ? undefined : { reason: "forbidden sysctls", detail: forbidden.join(", ") };
  };

/** The control for sysctls. */
export const sysctlChecks: readonly Check[] = [
  {
    id: "sysctls",
    level: "baseline",
    revisions: harmless.map(([since], index) => ({
      since,
      check: only(new Set(harmless.slice(0, index + 1).flatMap(([, names]) => names))),
    })),
  },
];
