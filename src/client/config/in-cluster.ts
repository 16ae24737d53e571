/** The cluster of the pod that this process runs in. */
import type { Host } from "../../platform/host.ts";
import type { ConfigFlags, RestConfig, AuthInfo } from "./rest-config.ts";
import { checkSendable, impersonationOf } from "./auth-info.ts";
import { pem, pemFile } from "./pem.ts";
import { serverAddress } from "./server-address.ts";

const folder = "/var/run/secrets/kubernetes.io/serviceaccount";

/**
 * Access with the pod's service account; undefined outside a pod, or without a service account. The token and the authority are read again
 * periodically, since the kubelet rotates them. Source: client-go v0.36 rest/config.go InClusterConfig,
 * tools/clientcmd/client_config.go inClusterClientConfig.
 */
export async function inClusterConfig(host: Host, flags: ConfigFlags): Promise<RestConfig | undefined> {
  const { KUBERNETES_SERVICE_HOST: address = "", KUBERNETES_SERVICE_PORT: port = "" } = host.env;
  if (address === "" || port === "") return undefined;
  const token = await host.readFile(`${folder}/token`).catch(() => undefined);
  if (token === undefined) return undefined;
  const caSource = { path: flags.certificateAuthority ?? `${folder}/ca.crt`, folder: "." };
  const ca = await pem(host, caSource, "certificate-authority");
  const caFile = pemFile(host, caSource);
  const ofPod = host.env["POD_NAMESPACE"] ?? (await host.readFile(`${folder}/namespace`).catch(() => undefined)) ?? "";
  const joined = address.includes(":") ? `[${address}]:${port}` : `${address}:${port}`;
  const impersonation = impersonationOf({}, flags, "");
  const { server, userinfo } = serverAddress(`https://${joined}`, "");
  if (flags.token !== undefined) checkSendable(flags.token, "--token");
  const ofPodOrFlag: AuthInfo =
    flags.token === undefined ? { is: "token-file", path: `${folder}/token` } : { is: "token", token: flags.token };
  return {
    context: "",
    clusterName: "in-cluster",
    userName: "service account",
    server,
    namespace: flags.namespace ?? (ofPod.trim() === "" ? "default" : ofPod.trim()),
    tls: { ...(ca !== undefined && { ca }), insecure: false },
    disableCompression: false,
    login: userinfo ?? ofPodOrFlag,
    ...(caFile !== undefined && { files: { ca: caFile } }),
    ...(impersonation !== undefined && { impersonation }),
    ...(flags.requestTimeout !== undefined && flags.requestTimeout > 0 && { requestTimeoutMs: flags.requestTimeout }),
  };
}
