/** Authentication of requests. Source: apiserver v0.36 pkg/authentication/authenticator/interfaces.go. */
import type { PublicJsonWebKey } from "../../platform/json-web-token.ts";
import type { User } from "./authorizer.ts";

/** A user whose token was accepted, and the token's audiences. */
export interface Authenticated {
  readonly user: User;
  readonly audiences: readonly string[];
}

/** A token that was rejected. */
export interface Rejected {
  /** Why a token signed by this server is invalid, in the real server's words; undefined for other tokens. */
  readonly why: string | undefined;
}

/** The object that a ServiceAccount token is bound to: when it is deleted, the token becomes invalid. */
export interface BoundObject {
  readonly kind: "Pod" | "Secret" | "Node";
  readonly name: string;
  readonly uid: string;
  /** For a pod: its node; `uid` is `""` if that node does not exist. */
  readonly node?: { readonly name: string; readonly uid: string };
}

/** The content of a token to sign. */
export interface TokenGrant {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly audiences: readonly string[];
  /** Its validity. */
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

/** What OpenID Connect discovery publishes about tokens. */
export interface TokenMetadata {
  readonly issuer: string;
  readonly keys: readonly PublicJsonWebKey[];
}

/** Signs ServiceAccount tokens, and authenticates tokens of requests. */
export interface TokenAuthenticator {
  /** The default audiences of tokens. */
  readonly audiences: readonly string[];
  sign(grant: TokenGrant): string;
  /** A token for a Secret, with these claims: it does not expire. */
  signForSecret(claims: Readonly<Record<string, string>>): string;
  /** For verifying these tokens without the server: their issuer and public keys. */
  metadata(): TokenMetadata;
  /** The keys of tokens that may still be valid, including those of earlier servers: a server needs them to keep accepting these tokens. */
  keysInUse(): readonly TokenKey[];
  /** The user of a token, static tokens included. It must be for one of the audiences; default: the server itself. */
  authenticate(token: string, audiences?: readonly string[]): Authenticated | Rejected;
}
