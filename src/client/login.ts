/** How a user of a kubeconfig logs in. */
import type { Host } from "../platform/host.ts";
import type { AccessFlags, Impersonation, KeyPair, Login } from "./access.ts";
import { KubeconfigError, type From, type UserEntry } from "./kubeconfig-types.ts";
import { pem } from "./pem.ts";

export interface UserAccess {
  readonly login: Login;
  readonly keyPair?: KeyPair;
  readonly impersonation?: Impersonation;
}

/**
 * The login of a user entry, with flags on top. A token goes before a token file, both go before a plugin.
 * @throws KubeconfigError
 * Source: client-go v0.36 tools/clientcmd/client_config.go getAuthInfo, validation.go validateAuthInfo, rest/transport.go.
 */
export async function loginOf(
  host: Host,
  user: From<UserEntry>,
  flags: AccessFlags,
  userName: string,
): Promise<UserAccess> {
  const keyPair = await keyPairOf(host, user, flags, userName);
  const impersonation = impersonationOf(user.entry, flags, userName);
  return {
    login: loginMethod(host, user, flags, userName),
    ...(keyPair !== undefined && { keyPair }),
    ...(impersonation !== undefined && { impersonation }),
  };
}

function loginMethod(host: Host, user: From<UserEntry>, flags: AccessFlags, userName: string): Login {
  const { entry } = user;
  const token = flags.token ?? entry.token ?? "";
  const basic = (entry.username ?? "") !== "" || (entry.password ?? "") !== "";
  const hasToken = token !== "" || (entry.tokenFile ?? "") !== "";
  if (hasToken && basic && flags.token === undefined) {
    throw new KubeconfigError(`Cannot log in as user ${userName}: it has both a token and a password`, {
      next: "leave one of them in the kubeconfig",
    });
  }
  if (token !== "") return { is: "token", token };
  if (entry.tokenFile !== undefined && entry.tokenFile !== "") {
    return { is: "token-file", path: host.pathFrom(host.folderOf(user.file), entry.tokenFile) };
  }
  if (basic) return { is: "basic", username: entry.username ?? "", password: entry.password ?? "" };
  if (entry.exec !== undefined) return { is: "exec", plugin: entry.exec, folder: host.folderOf(user.file) };
  const provider = entry["auth-provider"];
  if (provider !== undefined) return { is: "other", provider };
  return { is: "none" };
}

/** Certificate and key come as a pair; a flag for one takes its place alone. */
async function keyPairOf(
  host: Host,
  user: From<UserEntry>,
  flags: AccessFlags,
  userName: string,
): Promise<KeyPair | undefined> {
  const { entry } = user;
  const folder = host.folderOf(user.file);
  const half = (
    flag: string | undefined,
    path: string | undefined,
    data: string | undefined,
    name: string,
  ): Promise<string | undefined> =>
    flag !== undefined
      ? pem(host, { path: flag, folder: "." }, `--${name}`)
      : pem(host, { data, path, folder }, `${name} of user ${userName}`);
  const certificate = await half(
    flags.clientCertificate,
    entry["client-certificate"],
    entry["client-certificate-data"],
    "client-certificate",
  );
  const key = await half(flags.clientKey, entry["client-key"], entry["client-key-data"], "client-key");
  if (certificate !== undefined && key !== undefined) return { certificate, key };
  if (certificate === undefined && key === undefined) return undefined;
  const missing = certificate === undefined ? "certificate" : "key";
  throw new KubeconfigError(`Cannot log in as user ${userName}: the client ${missing} is missing`, {
    next: `name it with --client-${missing}, or client-${missing} in the kubeconfig`,
  });
}

/** @throws KubeconfigError for a group or uid without a user. */
export function impersonationOf(entry: UserEntry, flags: AccessFlags, userName: string): Impersonation | undefined {
  const user = flags.as ?? entry.as ?? "";
  const uid = flags.asUid ?? entry["as-uid"] ?? "";
  const groups = flags.asGroup ?? entry["as-groups"] ?? [];
  const extra = entry["as-user-extra"] ?? {};
  if (user === "" && (uid !== "" || groups.length > 0 || Object.keys(extra).length > 0)) {
    const of = userName === "" ? "" : ` of user ${userName}`;
    throw new KubeconfigError(`Cannot impersonate a group or uid${of} without a user`, { next: "add --as" });
  }
  return user === "" ? undefined : { user, ...(uid !== "" && { uid }), groups, extra };
}
