/** How to reach one cluster, and as whom: the result of a kubeconfig and flags. */
import type { ExecEntry } from "./kubeconfig-types.ts";

/** kubectl's global flags that select a cluster and a login. Paths are relative to the working directory. */
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

/** How requests are authenticated, possibly in addition to a client certificate. */
export type AuthInfo =
  | { readonly is: "none" }
  | { readonly is: "token"; readonly token: string }
  /** `token` is used while the file cannot be read. */
  | { readonly is: "token-file"; readonly path: string; readonly token?: string }
  | { readonly is: "basic"; readonly username: string; readonly password: string }
  | { readonly is: "exec"; readonly plugin: ExecEntry; readonly folder: string }
  /** The id token that kubectl stores in the kubeconfig (auth-provider `oidc`). */
  | { readonly is: "oidc"; readonly idToken: string };

/** A client certificate and its key, both PEM, or the files of both. */
export interface KeyPair {
  readonly certificate: string;
  readonly key: string;
}

/** Paths of files that certificates and keys were read from. */
export interface TlsFiles {
  /** The file of `tls.ca`. */
  readonly ca?: string;
  /** The files of `keyPair`, if both halves come from files. */
  readonly keyPair?: KeyPair;
}

/** The identity that requests act as (`--as`). */
export interface Impersonation {
  readonly user: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

/** Everything needed to connect to one cluster; all files have been read, except those that are read repeatedly. */
export interface RestConfig {
  /** Empty if there is none: with flags only, or in a cluster. */
  readonly context: string;
  readonly clusterName: string;
  readonly userName: string;
  /** With scheme, without a trailing slash; may include a path. */
  readonly server: string;
  readonly namespace: string;
  readonly tls: { readonly ca?: string; readonly serverName?: string; readonly insecure: boolean };
  readonly proxyUrl?: string;
  readonly disableCompression: boolean;
  readonly login: AuthInfo;
  readonly keyPair?: KeyPair;
  /** The files of the certificates above, which may be replaced while the program runs. Unset if there are none. */
  readonly files?: TlsFiles;
  readonly impersonation?: Impersonation;
  /** The cluster's extension for exec plugins. */
  readonly execExtension?: unknown;
  readonly requestTimeoutMs?: number;
}
