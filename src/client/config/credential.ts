/** What a request logs in with, and where it comes from. */
import type { Host } from "../../platform/host.ts";
import type { Timeline } from "../../platform/timeline.ts";
import type { KeyPair } from "./rest-config.ts";

/** What one request is sent with. Compared by identity. */
export interface Credential {
  /** The Authorization header. */
  readonly authorization?: string;
  /** A client certificate of the login's own; the kubeconfig's goes before it. */
  readonly keyPair?: KeyPair;
}

export interface CredentialSource {
  /** Many may ask at once; one program runs, or one file is read, for all of them. @throws KubeconfigError */
  current(): Promise<Credential>;
  /** The server answered 401 to this one: a newer one if there is, the same otherwise. @throws KubeconfigError */
  renew(refused: Credential): Promise<Credential>;
}

export interface CredentialOptions {
  readonly host: Host;
  readonly timeline: Timeline;
}
