/** The credentials of a request, and where they come from. */
import type { Host } from "../../platform/host.ts";
import type { Timeline } from "../../platform/timeline.ts";
import type { KeyPair } from "./rest-config.ts";

/** The credentials of one request. Compared by identity. */
export interface Credential {
  /** The Authorization header. */
  readonly authorization?: string;
  /** A client certificate issued by the login; one in the kubeconfig takes precedence. */
  readonly keyPair?: KeyPair;
}

/** Provides credentials, and new ones after a 401. */
export interface CredentialSource {
  /** Concurrent calls share one run of the program or one read of the file. @throws KubeconfigError */
  current(): Promise<Credential>;
  /** After a 401: a newer credential if there is one, the same otherwise. @throws KubeconfigError */
  renew(refused: Credential): Promise<Credential>;
}

/** What sources of credentials need: the machine, and the time. */
export interface CredentialOptions {
  readonly host: Host;
  readonly timeline: Timeline;
}
