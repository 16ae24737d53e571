/** How a user of a kubeconfig authenticates. */
import type { Host } from "../../platform/host.ts";
import type { ConfigFlags, Impersonation, KeyPair, AuthInfo, TlsFiles } from "./rest-config.ts";
import { KubeconfigError, type From, type UserEntry } from "./kubeconfig-types.ts";
import { pem, pemFile, type PemSource } from "./pem.ts";

/** The authentication of a user entry. */
export interface UserAuth {
  readonly login: AuthInfo;
  readonly keyPair?: KeyPair;
  /** Where `keyPair` was read from. */
  readonly files: Pick<TlsFiles, "keyPair">;
  readonly impersonation?: Impersonation;
}

/**
 * The authentication of a user entry, overridden by flags. Precedence: `--token`, token file, token, exec plugin.
 *
 * @throws KubeconfigError
 * Source: client-go v0.36 tools/clientcmd/client_config.go getAuthInfo, validation.go validateAuthInfo,
 * rest/transport.go; differs: in kubectl a token file of the kubeconfig overrides --token.
 */
export async function authInfoOf(
  host: Host,
  user: From<UserEntry>,
  flags: ConfigFlags,
  userName: string,
): Promise<UserAuth> {
  const { keyPair, files } = await keyPairOf(host, user, flags, userName);
  const impersonation = impersonationOf(user.entry, flags, userName);
  return {
    login: loginMethod(host, user, flags, userName),
    files,
    ...(keyPair !== undefined && { keyPair }),
    ...(impersonation !== undefined && { impersonation }),
  };
}

function loginMethod(host: Host, user: From<UserEntry>, flags: ConfigFlags, userName: string): AuthInfo {
  const { entry } = user;
  const oidc = oidcLogin(entry, userName);
  const token = flags.token ?? entry.token ?? "";
  const basic = (entry.username ?? "") !== "" || (entry.password ?? "") !== "";
  const hasToken = token !== "" || (entry.tokenFile ?? "") !== "";
  if (hasToken && basic && flags.token === undefined) {
    throw new KubeconfigError(`Cannot log in as user ${userName}: it has both a token and a password`, {
      next: "leave one of them in the kubeconfig",
    });
  }
  if (token !== "") checkSendable(token, flags.token === undefined ? `the token of user ${userName}` : "--token");
  if (flags.token !== undefined && token !== "") return { is: "token", token };
  if (entry.tokenFile !== undefined && entry.tokenFile !== "") {
    const path = host.pathFrom(host.folderOf(user.file), entry.tokenFile);
    return { is: "token-file", path, ...(token !== "" && { token }) };
  }
  if (token !== "") return { is: "token", token };
  if (basic) return { is: "basic", username: entry.username ?? "", password: entry.password ?? "" };
  if (entry.exec !== undefined && entry.exec !== null) {
    return { is: "exec", plugin: entry.exec, folder: host.folderOf(user.file) };
  }
  return oidc ?? { is: "none" };
}

/**
 * The id token of an `oidc` entry. It is never refreshed here: a refresh token may be valid only once, so only kubectl, which stores the
 * next one in the kubeconfig, may use it.
 * @throws KubeconfigError for any other provider, as in kubectl, and if there is also an exec plugin.
 * Source: client-go v0.36 plugin/pkg/client/auth/oidc/oidc.go, rest/plugin.go, tools/clientcmd/validation.go.
 */
function oidcLogin({ "auth-provider": provider, exec }: UserEntry, userName: string): AuthInfo | undefined {
  if (provider === undefined || provider === null) return undefined;
  const cannot = `Cannot log in as user ${userName}: `;
  if (exec !== undefined && exec !== null) {
    throw new KubeconfigError(`${cannot}it has both an auth-provider and an exec plugin`);
  }
  if (provider.name !== "oidc") {
    throw new KubeconfigError(`${cannot}its auth-provider ${provider.name} is not known`, {
      next: "kubectl has removed all but oidc: an exec plugin takes their place",
    });
  }
  const idToken = provider.config?.["id-token"] ?? "";
  if (idToken === "") {
    throw new KubeconfigError(`${cannot}its auth-provider oidc has no id-token`, { next: renewal });
  }
  checkSendable(idToken, `the id-token of user ${userName}`);
  return { is: "oidc", idToken };
}

/** How to get a new id token into the kubeconfig. */
export const renewal = "any request of kubectl's renews it, such as `kubectl auth whoami`";

/**
 * Whether an HTTP header can carry the text: no line breaks or other control characters. Source:
 * golang.org/x/net/http/httpguts.
 */
export function isSendable(text: string): boolean {
  return /^[\t\x20-\x7e\x80-\xff]*$/.test(text);
}

/** @throws KubeconfigError for text that an HTTP header cannot carry. */
export function checkSendable(text: string, what: string): void {
  if (isSendable(text)) return;
  throw new KubeconfigError(`Cannot send ${what}: it contains a character that is not allowed in an HTTP header`, {
    next: "is there a line break in it?",
  });
}

/** Certificate and key belong together; a flag for one replaces only that one. Also returns their files, if both are files. */
async function keyPairOf(
  host: Host,
  user: From<UserEntry>,
  flags: ConfigFlags,
  userName: string,
): Promise<Pick<UserAuth, "keyPair" | "files">> {
  const { entry } = user;
  const half = async (
    flag: string | undefined,
    name: "client-certificate" | "client-key",
  ): Promise<{ readonly text: string | undefined; readonly file: string | undefined }> => {
    const own = { data: entry[`${name}-data`], path: entry[name], folder: host.folderOf(user.file) };
    const source: PemSource = flag === undefined ? own : { path: flag, folder: "." };
    const what = flag === undefined ? `${name} of user ${userName}` : `--${name}`;
    return { text: await pem(host, source, what), file: pemFile(host, source) };
  };
  const { text: certificate, file: certificateFile } = await half(flags.clientCertificate, "client-certificate");
  const { text: key, file: keyFile } = await half(flags.clientKey, "client-key");
  if (certificate !== undefined && key !== undefined) {
    const areFiles = certificateFile !== undefined && keyFile !== undefined;
    const files = areFiles ? { keyPair: { certificate: certificateFile, key: keyFile } } : {};
    return { keyPair: { certificate, key }, files };
  }
  if (certificate === undefined && key === undefined) return { files: {} };
  const missing = certificate === undefined ? "certificate" : "key";
  throw new KubeconfigError(`Cannot log in as user ${userName}: the client ${missing} is missing`, {
    next: `name it with --client-${missing}, or client-${missing} in the kubeconfig`,
  });
}

/** The identity to impersonate, if any. @throws KubeconfigError for a group or uid without a user. */
export function impersonationOf(entry: UserEntry, flags: ConfigFlags, userName: string): Impersonation | undefined {
  const user = flags.as ?? entry.as ?? "";
  const uid = flags.asUid ?? entry["as-uid"] ?? "";
  const groups = flags.asGroup ?? entry["as-groups"] ?? [];
  const extra = entry["as-user-extra"] ?? {};
  if (user === "" && (uid !== "" || groups.length > 0 || Object.keys(extra).length > 0)) {
    const of = userName === "" ? "" : ` of user ${userName}`;
    throw new KubeconfigError(`Cannot impersonate a group or uid${of} without a user`, { next: "add --as" });
  }
  const group = groups.join("");
  for (const [what, value] of Object.entries({ user, uid, group, extra: Object.values(extra).flat().join("") })) {
    checkSendable(value, `the ${what} to impersonate`);
  }
  return user === "" ? undefined : { user, ...(uid !== "" && { uid }), groups, extra };
}
