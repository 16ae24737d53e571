/** Credentials that may change while the program runs. */
import { base64OfText } from "../../api/base64.ts";
import { formatTime } from "../../api/time.ts";
import type { RestConfig } from "./rest-config.ts";
import type { Credential, CredentialOptions, CredentialSource } from "./credential.ts";
import { execCredentials } from "./exec-credentials.ts";
import { KubeconfigError } from "./kubeconfig-types.ts";
import { checkSendable, renewal } from "./auth-info.ts";
import { shownPath } from "./redacted.ts";

/** The source of a login's credentials. */
export function credentialsOf(access: RestConfig, options: CredentialOptions): CredentialSource {
  const { login } = access;
  switch (login.is) {
    case "none":
      return fixed({});
    case "token":
      return fixed(bearer(login.token));
    case "basic":
      return fixed({ authorization: `Basic ${base64OfText(`${login.username}:${login.password}`)}` });
    case "token-file":
      return tokenFile(login.path, login.token, options);
    case "exec":
      return execCredentials(login.plugin, login.folder, access, options);
    case "oidc":
      return idToken(login.idToken, access.userName, options);
  }
}

/** An Authorization header with a bearer token. */
export function bearer(token: string): Credential {
  return { authorization: `Bearer ${token}` };
}

function fixed(credential: Credential): CredentialSource {
  return { current: () => Promise.resolve(credential), renew: () => Promise.resolve(credential) };
}

/** client-go's period of a minute, minus its leeway of 10 s. */
const tokenFileMs = 50_000;

/**
 * The token in a file, read again after 50 s and after a 401. While the file cannot be read, the last token stays in
 * use, initially `token`. Source: client-go v0.36 transport/token_source.go.
 */
function tokenFile(path: string, token: string | undefined, { host, timeline }: CredentialOptions): CredentialSource {
  let known = token === undefined ? undefined : bearer(token);
  let readAt = -Infinity;
  let reading: Promise<Credential> | undefined;
  const read = async (): Promise<Credential> => {
    const text = (await host.readFile(path).catch(() => undefined))?.trim() ?? "";
    if (text === "" && known === undefined)
      throw new KubeconfigError(`Cannot read the token in ${shownPath(path)}: there is none`);
    checkSendable(text, `the token in ${shownPath(path)}`);
    // An unchanged token stays the same credential, so that a refused one is not sent again.
    const next = text === "" ? undefined : bearer(text);
    if (next !== undefined && next.authorization !== known?.authorization) known = next;
    readAt = timeline.now();
    return known ?? {};
  };
  const readOnce = (): Promise<Credential> => {
    reading ??= read().finally(() => {
      reading = undefined;
    });
    return reading;
  };
  return {
    current: () => (known !== undefined && timeline.now() - readAt < tokenFileMs ? Promise.resolve(known) : readOnce()),
    renew: readOnce,
  };
}

/** A token is no longer used this long before it expires: requests take time, and clocks differ. */
const leewayMs = 10_000;

/**
 * The id token of the kubeconfig, until it expires. Source: client-go v0.36 plugin/pkg/client/auth/oidc/oidc.go
 * idTokenExpired; differs: it is not refreshed.
 */
function idToken(token: string, userName: string, { timeline }: CredentialOptions): CredentialSource {
  const credential = bearer(token);
  const endsAt = endOf(token);
  const current = async (): Promise<Credential> => {
    if (timeline.now() < endsAt - leewayMs) return credential;
    const verb = timeline.now() < endsAt ? "expires" : "expired";
    const since = Number.isFinite(endsAt) ? `${verb} at ${formatTime(endsAt)}` : "does not say when it expires";
    throw new KubeconfigError(`Cannot log in as user ${userName}: its id-token ${since}`, { next: renewal });
  };
  return { current, renew: () => Promise.resolve(credential) };
}

/** When a JSON web token expires, in ms; -Infinity if it does not say. */
function endOf(token: string): number {
  try {
    const payload = atob((token.split(".")[1] ?? "").replaceAll("-", "+").replaceAll("_", "/"));
    const { exp } = JSON.parse(payload) as { readonly exp?: unknown };
    return typeof exp === "number" ? exp * 1000 : -Infinity;
  } catch {
    return -Infinity;
  }
}
