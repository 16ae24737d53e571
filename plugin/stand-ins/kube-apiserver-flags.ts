/** The flags of kube-apiserver 1.36.3, and how each is handled here. Source: the output of `kube-apiserver --help`. */
import type { FlagKind } from "./flags.ts";

/**
 * `served`: same effect as there. `unneeded`: no client can observe that it does nothing here. `without effect`: a line on standard error
 * says so. `refused`: a server without it would behave differently than requested.
 */
export type FlagUse = "served" | "unneeded" | "without effect" | "refused";

const served = `
  anonymous-auth api-audiences audit-log-path audit-policy-file authorization-mode bind-address cert-dir client-ca-file disable-admission-plugins
  enable-admission-plugins help secure-port service-account-issuer service-account-key-file service-account-signing-key-file
  service-cluster-ip-range tls-cert-file tls-private-key-file token-auth-file version`;

const unneeded = `
  allow-metric-labels allow-metric-labels-manifest audit-log-batch-buffer-size audit-log-batch-max-size audit-log-batch-max-wait
  audit-log-batch-throttle-burst audit-log-batch-throttle-enable audit-log-batch-throttle-qps contention-profiling
  delete-collection-workers disable-http2-serving disabled-metrics enable-garbage-collector endpoint-reconciler-type
  etcd-cafile etcd-certfile etcd-compaction-interval etcd-count-metric-poll-period etcd-db-metric-poll-interval
  etcd-healthcheck-timeout etcd-keyfile etcd-prefix etcd-readycheck-timeout etcd-servers etcd-servers-overrides goaway-chance
  http2-max-streams-per-connection lease-reuse-duration-seconds log-flush-frequency log-json-info-buffer-size
  log-json-split-stream log-text-info-buffer-size log-text-split-stream logging-format permit-address-sharing
  permit-port-sharing profiling show-hidden-metrics-for-version storage-backend storage-initialization-timeout
  storage-media-type v vmodule watch-cache watch-cache-sizes`;

const withoutEffect = `
  advertise-address aggregator-reject-forwarding-redirect allow-privileged audit-log-compress audit-log-format audit-log-maxage
  audit-log-maxbackup audit-log-maxsize audit-log-mode audit-log-truncate-enabled audit-log-truncate-max-batch-size
  audit-log-truncate-max-event-size audit-log-version authentication-token-webhook-cache-ttl
  authentication-token-webhook-version authorization-webhook-cache-authorized-ttl
  authorization-webhook-cache-unauthorized-ttl authorization-webhook-version coordinated-leadership-lease-duration
  coordinated-leadership-renew-deadline coordinated-leadership-retry-period cors-allowed-origins debug-socket-path
  default-not-ready-toleration-seconds default-unreachable-toleration-seconds egress-selector-config-file
  emulation-forward-compatible enable-aggregator-routing enable-logs-handler enable-priority-and-fairness
  encryption-provider-config-automatic-reload event-ttl external-hostname feature-gates kubelet-certificate-authority
  kubelet-client-certificate kubelet-client-key kubelet-preferred-address-types kubelet-timeout
  kubernetes-service-node-port livez-grace-period max-connection-bytes-per-sec max-mutating-requests-inflight
  max-requests-inflight min-compatibility-version min-request-timeout peer-advertise-ip peer-advertise-port peer-ca-file
  proxy-client-cert-file proxy-client-key-file request-timeout requestheader-allowed-names requestheader-client-ca-file
  requestheader-extra-headers-prefix requestheader-group-headers requestheader-uid-headers requestheader-username-headers
  runtime-config runtime-config-emulation-forward-compatible service-account-extend-token-expiration
  service-account-jwks-uri service-account-lookup service-account-max-token-expiration service-node-port-range shutdown-delay-duration shutdown-send-retry-after shutdown-watch-termination-grace-period
  strict-transport-security-directives tls-cipher-suites tls-curve-preferences tls-min-version tracing-config-file`;

const refused = `
  admission-control admission-control-config-file audit-webhook-batch-buffer-size
  audit-webhook-batch-max-size audit-webhook-batch-max-wait audit-webhook-batch-throttle-burst
  audit-webhook-batch-throttle-enable audit-webhook-batch-throttle-qps audit-webhook-config-file
  audit-webhook-initial-backoff audit-webhook-mode audit-webhook-truncate-enabled audit-webhook-truncate-max-batch-size
  audit-webhook-truncate-max-event-size audit-webhook-version authentication-config
  authentication-token-webhook-config-file authorization-config authorization-policy-file authorization-webhook-config-file
  emulated-version enable-bootstrap-token-auth encryption-provider-config oidc-ca-file oidc-client-id oidc-groups-claim
  oidc-groups-prefix oidc-issuer-url oidc-required-claim oidc-signing-algs oidc-username-claim oidc-username-prefix
  service-account-signing-endpoint tls-sni-cert-key`;

const booleans = `
  aggregator-reject-forwarding-redirect allow-privileged anonymous-auth audit-log-batch-throttle-enable audit-log-compress
  audit-log-truncate-enabled audit-webhook-batch-throttle-enable audit-webhook-truncate-enabled contention-profiling
  disable-http2-serving emulation-forward-compatible enable-aggregator-routing enable-bootstrap-token-auth
  enable-garbage-collector enable-logs-handler enable-priority-and-fairness encryption-provider-config-automatic-reload help
  log-json-split-stream log-text-split-stream permit-address-sharing permit-port-sharing profiling
  runtime-config-emulation-forward-compatible service-account-extend-token-expiration service-account-lookup
  shutdown-send-retry-after version watch-cache`;

const words = (text: string): readonly string[] => text.trim().split(/\s+/);

const uses = new Map<string, FlagUse>([
  ...words(served).map((name) => [name, "served"] as const),
  ...words(unneeded).map((name) => [name, "unneeded"] as const),
  ...words(withoutEffect).map((name) => [name, "without effect"] as const),
  ...words(refused).map((name) => [name, "refused"] as const),
]);
const booleanNames = new Set(words(booleans));

/** The names of all flags with the given use. */
export function flagsWith(use: FlagUse): readonly string[] {
  return [...uses].filter(([, own]) => own === use).map(([name]) => name);
}

/** How a flag is handled; undefined if kube-apiserver does not have it. */
export function useOf(name: string): FlagUse | undefined {
  return uses.get(name);
}

/** For `parseFlags`. */
export function kindOfFlag(name: string): FlagKind | undefined {
  if (!uses.has(name)) return undefined;
  return booleanNames.has(name) ? "boolean" : "value";
}
