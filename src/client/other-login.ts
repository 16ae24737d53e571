/** Logins of before exec plugins (`auth-provider`), left to client-node. The one file that imports its code. */
import type { ClusterAccess } from "./access.ts";
import type { Credential } from "./credential.ts";
import { KubeconfigError } from "./kubeconfig-types.ts";

/** A KubeConfig for each login: it keeps and refreshes the tokens itself. */
const known = new WeakMap<ClusterAccess, Promise<(options: { headers: Record<string, string> }) => Promise<void>>>();

async function open(access: ClusterAccess): Promise<(options: { headers: Record<string, string> }) => Promise<void>> {
  const { KubeConfig } = await import("@kubernetes/client-node");
  const config = new KubeConfig();
  const { login } = access;
  if (login.is !== "other") return () => Promise.resolve();
  config.loadFromClusterAndUser(
    { name: "cluster", server: access.server, skipTLSVerify: access.tls.insecure },
    { name: access.userName, authProvider: login.provider },
  );
  return (options) => config.applyToHTTPSOptions(options);
}

/** @throws KubeconfigError when the login fails. */
export async function askOtherLogin(access: ClusterAccess): Promise<Credential> {
  const { login } = access;
  const provider = login.is === "other" ? login.provider.name : "";
  try {
    let apply = known.get(access);
    if (apply === undefined) known.set(access, (apply = open(access)));
    const options: { headers: Record<string, string> } = { headers: {} };
    await (
      await apply
    )(options);
    const authorization = options.headers["Authorization"];
    // Of a provider that it does not know, client-node says nothing.
    if (authorization === undefined) throw new Error("this kind of login is not known");
    return { authorization };
  } catch (error) {
    throw new KubeconfigError(`Cannot log in as user ${access.userName} by ${provider}: ${(error as Error).message}`, {
      cause: error,
      next: "logins of this kind were removed from kubectl: an exec plugin takes their place",
    });
  }
}
