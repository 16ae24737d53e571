/** Who a request is from. Source: apiserver v0.36 pkg/authentication/authenticator/interfaces.go. */
import type { PublicJsonWebKey } from "../../platform/json-web-token.ts";
import type { User } from "./authorizer.ts";

/** A user whose token was accepted, and for whom the token is. */
export interface Authenticated {
  readonly user: User;
  readonly audiences: readonly string[];
}

/** A token that was not accepted. */
export interface Rejected {
  /** What is wrong with a token that the server signed, in the real server's words; undefined for one that is not its own. */
  readonly why: string | undefined;
}

/** What a token of a service account may be bound to: it becomes invalid when that object is deleted. */
export interface BoundObject {
  readonly kind: "Pod" | "Secret" | "Node";
  readonly name: string;
  readonly uid: string;
  /** Of a pod: the node that it runs on; `uid` is `""` if that node does not exist. */
  readonly node?: { readonly name: string; readonly uid: string };
}

/** A token to be signed. */
export interface TokenGrant {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly audiences: readonly string[];
  /** How long it is valid. */
  readonly seconds: number;
  readonly boundTo?: BoundObject;
}

/** A key that tokens were signed with. */
export interface TokenKey {
  /** Its public half, in PEM. */
  readonly publicKey: string;
  /** When the last of these tokens expires, in seconds since 1970. */
  readonly until: number;
}

/** What OpenID Connect discovery says of tokens. */
export interface TokenMetadata {
  readonly issuer: string;
  readonly keys: readonly PublicJsonWebKey[];
}

/** Signs tokens for service accounts, and tells whose token a request has. */
export interface TokenAuthenticator {
  /** The audiences of tokens that name none. */
  readonly audiences: readonly string[];
  sign(grant: TokenGrant): string;
  /** A token of a Secret, with these claims: it has no end of its own. */
  signForSecret(claims: Readonly<Record<string, string>>): string;
  /** For who verifies these tokens without the server: their issuer, and the keys that they are signed with. */
  metadata(): TokenMetadata;
  /** The keys of tokens that may be valid still, those of earlier servers too: what a server needs to go on accepting them. */
  keysInUse(): readonly TokenKey[];
  /** Whose token it is, static tokens included. It must be for one of the audiences; by default, for the server itself. */
  authenticate(token: string, audiences?: readonly string[]): Authenticated | Rejected;
}
