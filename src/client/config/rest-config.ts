/** How to reach one cluster, and as whom: what a kubeconfig and flags come down to. */
import type { ExecEntry } from "./kubeconfig-types.ts";

/** kubectl's global flags, as far as they choose a cluster and a login. Files are seen from the current folder. */
export interface ConfigFlags {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly cluster?: string;
  readonly user?: string;
  readonly namespace?: string;
  readonly server?: string;
  readonly token?: string;
  readonly as?: string;
  readonly asGroup?: readonly string[];
  readonly asUid?: string;
  readonly certificateAuthority?: string;
  readonly clientCertificate?: string;
  readonly clientKey?: string;
  readonly insecureSkipTlsVerify?: boolean;
  readonly tlsServerName?: string;
  /** Milliseconds; 0 or unset: none. */
  readonly requestTimeout?: number;
}

/** How a request says who sends it. A client certificate may come on top. */
export type AuthInfo =
  | { readonly is: "none" }
  | { readonly is: "token"; readonly token: string }
  /** The token counts while the file cannot be read. */
  | { readonly is: "token-file"; readonly path: string; readonly token?: string }
  | { readonly is: "basic"; readonly username: string; readonly password: string }
  | { readonly is: "exec"; readonly plugin: ExecEntry; readonly folder: string }
  /** The id token that kubectl keeps in the kubeconfig (auth-provider `oidc`). */
  | { readonly is: "oidc"; readonly idToken: string };

/** PEM both. */
export interface KeyPair {
  readonly certificate: string;
  readonly key: string;
}

export interface Impersonation {
  readonly user: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

/** All that is needed to talk to one cluster, with every file read except those that are read again and again. */
export interface RestConfig {
  /** Empty where there is none: flags alone, or in a cluster. */
  readonly context: string;
  readonly clusterName: string;
  readonly userName: string;
  /** With scheme, without a slash at the end; a path may follow. */
  readonly server: string;
  readonly namespace: string;
  readonly tls: { readonly ca?: string; readonly serverName?: string; readonly insecure: boolean };
  readonly proxyUrl?: string;
  readonly disableCompression: boolean;
  readonly login: AuthInfo;
  readonly keyPair?: KeyPair;
  readonly impersonation?: Impersonation;
  /** The cluster's extension for exec plugins. */
  readonly execExtension?: unknown;
  readonly requestTimeoutMs?: number;
}
