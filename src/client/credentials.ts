/** Credentials that may change while the program runs. */
import type { ClusterAccess } from "./access.ts";
import type { Credential, CredentialOptions, CredentialSource } from "./credential.ts";
import { execCredentials } from "./exec-credentials.ts";
import { KubeconfigError } from "./kubeconfig-types.ts";

/** The credentials of a login. */
export function credentialsOf(access: ClusterAccess, options: CredentialOptions): CredentialSource {
  const { login } = access;
  switch (login.is) {
    case "none":
      return fixed({});
    case "token":
      return fixed(bearer(login.token));
    case "basic":
      return fixed({ authorization: `Basic ${base64(`${login.username}:${login.password}`)}` });
    case "token-file":
      return tokenFile(login.path, options);
    case "exec":
      return execCredentials(login.plugin, login.folder, access, options);
    case "other":
      return otherLogin(access);
  }
}

export function bearer(token: string): Credential {
  return { authorization: `Bearer ${token}` };
}

function fixed(credential: Credential): CredentialSource {
  return { current: () => Promise.resolve(credential), renew: () => Promise.resolve(credential) };
}

/** Of the UTF-8 bytes, where btoa takes Latin-1 alone. */
function base64(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)));
}

/** Client-go's period of a minute, less its leeway of 10 s. */
const tokenFileMs = 50_000;

/**
 * The token in a file, read again after 50 s, and after a 401. While the file cannot be read, the last token goes on.
 * Source: client-go v0.36 transport/token_source.go.
 */
function tokenFile(path: string, { host, timeline }: CredentialOptions): CredentialSource {
  let known: Credential | undefined;
  let readAt = -Infinity;
  let reading: Promise<Credential> | undefined;
  const read = async (): Promise<Credential> => {
    const text = (await host.readFile(path).catch(() => undefined))?.trim() ?? "";
    if (text === "" && known === undefined)
      throw new KubeconfigError(`Cannot read the token in ${path}: there is none`);
    // The same token stays the same credential, so that a refused one is not sent again.
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

/** A login that only client-node knows; it is loaded when the first request needs it. */
function otherLogin(access: ClusterAccess): CredentialSource {
  const ask = async (): Promise<Credential> => {
    const { askOtherLogin } = await import("./other-login.ts");
    return askOtherLogin(access);
  };
  return { current: ask, renew: ask };
}
