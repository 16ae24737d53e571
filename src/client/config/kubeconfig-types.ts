/** The contents of a kubeconfig file, as written. */

/** A problem of the kubeconfig or the flags, not of the cluster. One line, and what to do next. */
export class KubeconfigError extends Error {
  override readonly name = "KubeconfigError";
  readonly next: string | undefined;

  constructor(message: string, options?: ErrorOptions & { readonly next?: string }) {
    super(message, options);
    this.next = options?.next;
  }
}

/** `clusters[].cluster`. Source: client-go v0.36 tools/clientcmd/api/v1/types.go, as the other entries. */
export interface ClusterEntry {
  readonly server?: string;
  readonly "tls-server-name"?: string;
  readonly "insecure-skip-tls-verify"?: boolean;
  readonly "certificate-authority"?: string;
  /** Base64 of PEM. */
  readonly "certificate-authority-data"?: string;
  readonly "proxy-url"?: string;
  readonly "disable-compression"?: boolean;
  readonly extensions?: readonly { readonly name: string; readonly extension: unknown }[];
}

/** `users[].user`. */
export interface UserEntry {
  readonly "client-certificate"?: string;
  readonly "client-certificate-data"?: string;
  readonly "client-key"?: string;
  readonly "client-key-data"?: string;
  readonly token?: string;
  readonly tokenFile?: string;
  readonly username?: string;
  readonly password?: string;
  readonly as?: string;
  readonly "as-uid"?: string;
  readonly "as-groups"?: readonly string[];
  readonly "as-user-extra"?: Readonly<Record<string, readonly string[]>>;
  readonly exec?: ExecEntry | null;
  /** Authentication from before exec plugins; only `oidc` is supported. */
  readonly "auth-provider"?: {
    readonly name: string;
    readonly config?: Readonly<Record<string, string>> | null;
  } | null;
}

/** `users[].user.exec`: a program that prints credentials. */
export interface ExecEntry {
  readonly apiVersion?: string;
  readonly command: string;
  readonly args?: readonly string[] | null;
  readonly env?: readonly { readonly name: string; readonly value: string }[] | null;
  readonly installHint?: string;
  readonly provideClusterInfo?: boolean;
  readonly interactiveMode?: string;
}

/** `contexts[].context`. */
export interface ContextEntry {
  readonly cluster?: string;
  readonly user?: string;
  readonly namespace?: string;
}

/** An entry and its file: relative paths are relative to the file. */
export interface From<T> {
  readonly entry: T;
  readonly file: string;
}

/** One or more files, merged. */
export interface Kubeconfig {
  readonly clusters: ReadonlyMap<string, From<ClusterEntry>>;
  readonly users: ReadonlyMap<string, From<UserEntry>>;
  readonly contexts: ReadonlyMap<string, From<ContextEntry>>;
  /** Empty if no file names one. */
  readonly currentContext: string;
  /** The files that exist, in order. */
  readonly files: readonly string[];
  /** The requested files that do not exist. */
  readonly missing: readonly string[];
}
