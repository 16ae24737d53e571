/** Resolves a kubeconfig and flags to one cluster and one login. */
import type { Host } from "../../platform/host.ts";
import type { ConfigFlags, RestConfig } from "./rest-config.ts";
import { inClusterConfig } from "./in-cluster.ts";
import { loadKubeconfig } from "./kubeconfig.ts";
import {
  KubeconfigError,
  type ClusterEntry,
  type ContextEntry,
  type From,
  type Kubeconfig,
} from "./kubeconfig-types.ts";
import { authInfoOf } from "./auth-info.ts";
import { pem, pemFile, type PemSource } from "./pem.ts";
import { checkedProxy } from "./proxy.ts";
import { serverAddress } from "./server-address.ts";

/**
 * The cluster and login that kubectl would use with these flags: from the kubeconfig or, if it names no cluster, from
 * the pod that this process runs in.
 * @throws KubeconfigError
 */
export async function loadRestConfig(host: Host, given: ConfigFlags = {}): Promise<RestConfig> {
  const flags = withoutEmpty(given);
  const kubeconfig = await loadKubeconfig(host, flags);
  const empty = kubeconfig.contexts.size === 0 && kubeconfig.clusters.size === 0 && kubeconfig.currentContext === "";
  if (empty && flags.kubeconfig === undefined && !namesAnother(flags)) {
    const inCluster = await inClusterConfig(host, flags);
    if (inCluster !== undefined) return inCluster;
  }
  return resolveRestConfig(host, kubeconfig, flags);
}

/** A flag with an empty value, as from an unset variable of a script, is as good as none. Source: clientcmd merge.go. */
function withoutEmpty(flags: ConfigFlags): ConfigFlags {
  const { asGroup, ...rest } = flags;
  const groups = asGroup?.filter((group) => group !== "") ?? [];
  return {
    ...Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== "")),
    ...(groups.length > 0 && { asGroup: groups }),
  };
}

/** Whether flags choose another cluster or login than the pod's, which must not get its token. Source: merged_client_builder.go. */
function namesAnother({ server, context, cluster, user }: ConfigFlags): boolean {
  return [server, context, cluster, user].some((flag) => flag !== undefined);
}

/**
 * One context of a kubeconfig, overridden by flags.
 *
 * @throws KubeconfigError if a name does not exist, or its entry is invalid.
 * Source: client-go v0.36 tools/clientcmd/client_config.go, validation.go; differs: no cluster is an error, where
 * kubectl would connect to localhost:8080.
 */
async function resolveRestConfig(host: Host, kubeconfig: Kubeconfig, flags: ConfigFlags): Promise<RestConfig> {
  const contextName = flags.context ?? kubeconfig.currentContext;
  const context = contextOf(kubeconfig, contextName, flags);
  const clusterName = flags.cluster ?? context.cluster ?? "";
  const userName = flags.user ?? context.user ?? "";
  const cluster = named(kubeconfig.clusters, clusterName, "cluster", flags.cluster, contextName, kubeconfig);
  const user = named(kubeconfig.users, userName, "user", flags.user, contextName, kubeconfig);
  const where = contextName === "" ? "" : ` (context ${contextName})`;
  const { caFile, ...tls } = await tlsOf(host, cluster, flags, where);
  const { login, keyPair, files: userFiles, impersonation } = await authInfoOf(host, user, flags, userName);
  const tlsFiles = { ...(caFile !== undefined && { ca: caFile }), ...userFiles };
  const address = nonEmpty(flags.server) ?? nonEmpty(cluster.entry.server);
  if (address === undefined) {
    throw new KubeconfigError(`Cannot find the API server: ${files(kubeconfig)} names none${where}`, {
      next: "set it with kubectl config set-cluster NAME --server=URL, or --server",
    });
  }
  const { server, userinfo } = serverAddress(address, where);
  const proxyUrl = cluster.entry["proxy-url"];
  const extension = cluster.entry.extensions?.find(({ name }) => name === "client.authentication.k8s.io/exec");
  const plain = server.startsWith("http:");
  return {
    context: contextName,
    clusterName,
    userName,
    server,
    namespace: flags.namespace ?? nonEmpty(context.namespace) ?? "default",
    tls,
    ...(nonEmpty(proxyUrl) !== undefined && {
      proxyUrl: checkedProxy(proxyUrl ?? "", `the proxy-url of cluster ${clusterName}`),
    }),
    disableCompression: cluster.entry["disable-compression"] === true,
    // No credentials are sent without TLS; those in the address itself take precedence, as in Go's HTTP client.
    login: userinfo ?? (plain ? { is: "none" } : login),
    ...(keyPair !== undefined && !plain && { keyPair }),
    ...(Object.keys(tlsFiles).length > 0 && !plain && { files: tlsFiles }),
    ...(impersonation !== undefined && { impersonation }),
    ...(extension !== undefined && { execExtension: extension.extension }),
    ...(flags.requestTimeout !== undefined && flags.requestTimeout > 0 && { requestTimeoutMs: flags.requestTimeout }),
  };
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === "" ? undefined : text;
}

function listed(names: Iterable<string>): string {
  const all = [...names].sort();
  if (all.length === 0) return "none";
  return all.length > 8 ? `${all.slice(0, 8).join(", ")}, and ${all.length - 8} more` : all.join(", ");
}

function files(kubeconfig: Kubeconfig): string {
  return kubeconfig.files.length === 0 ? "the kubeconfig" : kubeconfig.files.join(", ");
}

function contextOf(kubeconfig: Kubeconfig, name: string, flags: ConfigFlags): ContextEntry {
  const context = kubeconfig.contexts.get(name);
  if (context !== undefined) return context.entry;
  if (name === "" && (flags.server !== undefined || flags.cluster !== undefined)) return {};
  if (kubeconfig.files.length === 0 && name === "") {
    const looked = kubeconfig.missing.length === 0 ? "" : `: ${kubeconfig.missing.join(", ")} is missing`;
    throw new KubeconfigError(`Cannot find a cluster: there is no kubeconfig${looked}`, {
      next: "set KUBECONFIG or --kubeconfig, or --server",
    });
  }
  const there = `contexts there: ${listed(kubeconfig.contexts.keys())}`;
  if (name === "") {
    throw new KubeconfigError(`Cannot choose a cluster: ${files(kubeconfig)} sets no current context`, {
      next: `choose one with --context, or kubectl config use-context (${there})`,
    });
  }
  throw new KubeconfigError(`Cannot use the context ${name}: it is not in ${files(kubeconfig)}`, { next: there });
}

function named<T>(
  entries: ReadonlyMap<string, From<T>>,
  name: string,
  what: "cluster" | "user",
  flag: string | undefined,
  contextName: string,
  kubeconfig: Kubeconfig,
): From<T> {
  const entry = entries.get(name);
  if (entry !== undefined) return entry;
  // A context may name no user; --server may replace a cluster.
  if (name === "") return { entry: {} as T, file: "" };
  const by = flag !== undefined ? `--${what}` : `context ${contextName}`;
  throw new KubeconfigError(`Cannot use the ${what} ${name} of ${by}: it is not in ${files(kubeconfig)}`, {
    next: `${what}s there: ${listed(entries.keys())}`,
  });
}

/** A flag about the server's certificate replaces everything that the kubeconfig specifies about it. */
async function tlsOf(
  host: Host,
  cluster: From<ClusterEntry>,
  flags: ConfigFlags,
  where: string,
): Promise<RestConfig["tls"] & { readonly caFile?: string }> {
  const { entry } = cluster;
  const overridden = flags.insecureSkipTlsVerify === true || flags.certificateAuthority !== undefined;
  const insecure = overridden ? flags.insecureSkipTlsVerify === true : entry["insecure-skip-tls-verify"] === true;
  const source: PemSource = overridden
    ? { path: flags.certificateAuthority, folder: "." }
    : {
        data: entry["certificate-authority-data"],
        path: entry["certificate-authority"],
        folder: host.folderOf(cluster.file),
      };
  const ca = await pem(host, source, overridden ? "--certificate-authority" : `certificate-authority${where}`);
  const caFile = pemFile(host, source);
  if (insecure && ca !== undefined) {
    throw new KubeconfigError(`Cannot both skip the check of the server's certificate and check it${where}`, {
      next: "omit insecure-skip-tls-verify or the certificate authority",
    });
  }
  const serverName =
    flags.tlsServerName ?? (flags.server === undefined ? nonEmpty(entry["tls-server-name"]) : undefined);
  return {
    ...(ca !== undefined && { ca }),
    ...(serverName !== undefined && { serverName }),
    insecure,
    ...(caFile !== undefined && { caFile }),
  };
}
