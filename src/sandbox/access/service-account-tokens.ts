/**
 * ServiceAccount tokens. Source: kubernetes v1.36 pkg/serviceaccount/{claims,jwt}.go; apiserver v0.36
 * authentication/serviceaccount/util.go.
 */
import { goQuotedList } from "../../api/go-text.ts";
import { tokenSigner, type SignerKeys, type TokenSigner } from "../../platform/json-web-token.ts";
import { randomUuid, type Random } from "../../platform/random.ts";
import type { Timeline } from "../../platform/timeline.ts";
import { parseTime } from "../../api/time.ts";
import { sameSecret } from "../../platform/secret.ts";
import { at, textOf, type ApiObject } from "../meta/object.ts";
import type { Store } from "../storage/store.ts";
import type {
  Authenticated,
  Rejected,
  TokenAuthenticator,
  TokenGrant,
  TokenKey,
  TokenMetadata,
} from "../context/authenticator.ts";
import type { User } from "../context/authorizer.ts";

/** The issuer of ServiceAccount tokens, their audiences, and the signing keys. */
export interface TokenIssuer {
  /** Default: `https://kubernetes.default.svc`. */
  readonly issuer?: string;
  /** The default audiences of tokens. Default: the issuer. */
  readonly audiences?: readonly string[];
  /** Default: those of `SignerKeys`. */
  readonly keys?: SignerKeys;
}

/** Options of a token authenticator. */
export interface TokenOptions extends TokenIssuer {
  readonly store: Store;
  readonly timeline: Timeline;
  readonly random: Random;
  /** Keys of earlier servers, whose tokens are accepted. */
  readonly earlierKeys: readonly TokenKey[];
  /** Users by static token. */
  readonly logins: ReadonlyMap<string, User>;
  /** Called when a Secret's token was used, even if the Secret is marked as invalid. */
  readonly onSecretUsed: (secret: ApiObject) => void;
}

type Claims = Readonly<Record<string, unknown>>;

/** Tolerated clock skew, and how long deleted objects still count, in seconds. Source: go-jose jwt DefaultLeeway. */
const leewaySeconds = 60;

const defaultIssuer = "https://kubernetes.default.svc";
/** The issuer of tokens in Secrets. Source: kubernetes v1.36 pkg/serviceaccount/legacy.go LegacyIssuer. */
const secretIssuer = "kubernetes/serviceaccount";
/** 9999-12-31T23:59:59Z */
const forEver = 253_402_300_799;

/** Static tokens, and tokens signed here. */
export class ServiceAccountTokens implements TokenAuthenticator {
  readonly audiences: readonly string[];
  readonly #options: TokenOptions;
  #signer: TokenSigner | undefined;
  /** When the last token signed here expires, in seconds since 1970; 0 if there is none. */
  #signedUntil = 0;

  constructor(options: TokenOptions) {
    this.#options = options;
    this.audiences = options.audiences ?? [options.issuer ?? defaultIssuer];
  }

  sign({ namespace, name, uid, audiences, seconds, boundTo }: TokenGrant): string {
    const { timeline, random, issuer = defaultIssuer } = this.#options;
    const now = Math.floor(timeline.now() / 1000);
    this.#signedUntil = Math.max(this.#signedUntil, now + seconds);
    const ref = (object: { readonly name: string; readonly uid: string }): object =>
      object.uid === "" ? { name: object.name } : { name: object.name, uid: object.uid };
    const bound = boundTo === undefined ? {} : { [boundTo.kind.toLowerCase()]: ref(boundTo) };
    const node = boundTo?.node === undefined ? {} : { node: ref(boundTo.node) };
    return this.#signing().sign({
      aud: audiences,
      exp: now + seconds,
      iat: now,
      iss: issuer,
      jti: randomUuid(random),
      "kubernetes.io": { namespace, ...node, ...bound, serviceaccount: { name, uid } },
      nbf: now,
      sub: `system:serviceaccount:${namespace}:${name}`,
    });
  }

  signForSecret(claims: Claims): string {
    this.#signedUntil = forEver;
    return this.#signing().sign(claims);
  }

  metadata(): TokenMetadata {
    return { issuer: this.#options.issuer ?? defaultIssuer, keys: this.#signing().publicKeys };
  }

  keysInUse(): readonly TokenKey[] {
    const now = this.#options.timeline.now() / 1000;
    const all = new Map(this.#options.earlierKeys.map(({ publicKey, until }) => [publicKey, until]));
    if (this.#signedUntil > 0) {
      const { publicKey } = this.#signing();
      all.set(publicKey, Math.max(this.#signedUntil, all.get(publicKey) ?? 0));
    }
    const keys = [...all].map(([publicKey, until]) => ({ publicKey, until }));
    return keys.filter(({ until }) => until + leewaySeconds >= now);
  }

  authenticate(token: string, wanted: readonly string[] = this.audiences): Authenticated | Rejected {
    const login = this.#options.logins.get(token);
    if (login !== undefined) {
      const audiences = wanted.filter((audience) => this.audiences.includes(audience));
      return audiences.length === 0 ? unknownToken : { user: login, audiences };
    }
    const claims = token.includes(".") ? this.#signing().verified(token) : undefined;
    if (claims === undefined) return unknownToken;
    const isOfSecret = claims["iss"] === secretIssuer;
    if (!isOfSecret && claims["iss"] !== (this.#options.issuer ?? defaultIssuer)) return unknownToken;
    // Tokens in Secrets are only for this server.
    const own = Array.isArray(claims["aud"]) ? claims["aud"].map(textOf) : isOfSecret ? this.audiences : [];
    const audiences = wanted.filter((audience) => own.includes(audience));
    if (audiences.length === 0)
      return {
        why: `token audiences ${goQuotedList(own)} is invalid for the target audiences ${goQuotedList(wanted)}`,
      };
    if (isOfSecret) return this.#ofSecret(claims, { token, audiences });
    const why = this.#problemOf(claims);
    return why === undefined ? { user: userOf(claims), audiences } : { why };
  }

  /** Source: kubernetes v1.36 pkg/serviceaccount/legacy.go Validate. */
  #ofSecret(
    claims: Claims,
    { token, audiences }: { readonly token: string; readonly audiences: readonly string[] },
  ): Authenticated | Rejected {
    const own = (claim: string): string => textOf(claims[`kubernetes.io/serviceaccount/${claim}`]);
    const namespace = own("namespace");
    const account = { namespace, name: own("service-account.name"), uid: own("service-account.uid") };
    if (claims["sub"] !== nameOf(account)) return { why: "sub claim is invalid" };
    const secret = this.#find("secrets", { namespace, name: own("secret.name") });
    if (secret === undefined || secret.metadata.deletionTimestamp !== undefined)
      return { why: "Token has been invalidated" };
    if (!sameSecret(Buffer.from(textOf(at(secret, "data", "token")), "base64").toString(), token))
      return { why: "Token does not match server's copy" };
    const why = this.#problemOfSecretAccount(account) ?? problemOfMark(secret, account);
    // Also for a marked Secret, as long as its ServiceAccount exists.
    if (why === undefined || isMarked(secret)) this.#options.onSecretUsed(secret);
    return why === undefined ? { user: accountUser(account), audiences } : { why };
  }

  #problemOfSecretAccount({ namespace, name, uid }: Reference): string | undefined {
    const account = this.#find("serviceaccounts", { namespace, name });
    if (account === undefined) return `serviceaccounts ${JSON.stringify(name)} not found`;
    const { deletionTimestamp, uid: current } = account.metadata;
    if (deletionTimestamp !== undefined) return `ServiceAccount ${namespace}/${name} has been deleted`;
    return current === uid ? undefined : `ServiceAccount UID (${current}) does not match claim (${uid})`;
  }

  #signing(): TokenSigner {
    const { keys = {}, earlierKeys } = this.#options;
    const verifyingKeys = [...(keys.verifyingKeys ?? []), ...earlierKeys.map(({ publicKey }) => publicKey)];
    this.#signer ??= tokenSigner({ ...keys, verifyingKeys });
    return this.#signer;
  }

  /** Why a token is no longer valid. */
  #problemOf(claims: Claims): string | undefined {
    const now = this.#options.timeline.now() / 1000;
    if (Number(claims["exp"]) + leewaySeconds < now) return "service account token has expired";
    if (Number(claims["nbf"]) - leewaySeconds > now) return "service account token is not valid yet";
    const [account, secret, pod, node] = ["serviceaccount", "secret", "pod", "node"].map((of) =>
      referenceIn(claims, of),
    );
    return (
      this.#problemOfAccount(account) ??
      this.#problemOfBound("secret", secret) ??
      this.#problemOfBound("pod", pod) ??
      // A pod token's node is only reported, not checked.
      (pod === undefined ? this.#problemOfBound("node", node) : undefined)
    );
  }

  #problemOfAccount({ namespace, name, uid }: Reference = nothing): string | undefined {
    const account = this.#find("serviceaccounts", { namespace, name });
    if (account === undefined) return `serviceaccounts ${JSON.stringify(name)} not found`;
    if (account.metadata.uid !== uid)
      return `service account UID (${account.metadata.uid}) does not match claim (${uid})`;
    return this.#isLongDeleted(account) ? `service account ${namespace}/${name} has been deleted` : undefined;
  }

  #problemOfBound(kind: "secret" | "pod" | "node", bound: Reference | undefined): string | undefined {
    if (bound === undefined) return undefined;
    const object = this.#find(`${kind}s`, kind === "node" ? { ...bound, namespace: "" } : bound);
    const invalidated = "service account token has been invalidated";
    if (object === undefined) return invalidated;
    const { uid } = object.metadata;
    if (uid !== bound.uid)
      return `${kind} UID (${uid}) does not match service account ${kind} ref claim (${bound.uid})`;
    return this.#isLongDeleted(object) ? invalidated : undefined;
  }

  #find(storage: string, { namespace, name }: Omit<Reference, "uid">): ApiObject | undefined {
    return this.#options.store.collection(storage, storage !== "nodes").get(namespace, name)?.object;
  }

  #isLongDeleted({ metadata: { deletionTimestamp } }: ApiObject): boolean {
    const now = this.#options.timeline.now();
    return deletionTimestamp !== undefined && parseTime(deletionTimestamp) < now - leewaySeconds * 1000;
  }
}

const unknownToken: Rejected = { why: undefined };

interface Reference {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

const nothing: Reference = { namespace: "", name: "", uid: "" };

/** The object that a token refers to; undefined if there is none. */
function referenceIn(claims: Claims, kind: string): Reference | undefined {
  const own = (...path: string[]): string => textOf(at(claims["kubernetes.io"], ...path));
  const name = own(kind, "name");
  return name === "" ? undefined : { namespace: own("namespace"), name, uid: own(kind, "uid") };
}

const invalidSince = "kubernetes.io/legacy-token-invalid-since";

const isMarked = ({ metadata }: ApiObject): boolean => textOf(at(metadata, "labels", invalidSince)) !== "";

function problemOfMark(secret: ApiObject, account: Reference): string | undefined {
  if (!isMarked(secret)) return undefined;
  const where = `${account.namespace}/${textOf(secret.metadata.name)}`;
  return `the token in secret ${where} for service account ${account.namespace}/${account.name} has been marked invalid. Use tokens from the TokenRequest API or manually created secret-based tokens, or remove the '${invalidSince}' label from the secret to temporarily allow use of this token`;
}

const nameOf = ({ namespace, name }: Reference): string => `system:serviceaccount:${namespace}:${name}`;

function accountUser(account: Reference): User {
  const { namespace, uid } = account;
  const groups = ["system:serviceaccounts", `system:serviceaccounts:${namespace}`, "system:authenticated"];
  return { name: nameOf(account), uid, groups };
}

function userOf(claims: Claims): User {
  const [account = nothing, pod = nothing, node = nothing] = ["serviceaccount", "pod", "node"].map((of) =>
    referenceIn(claims, of),
  );
  return {
    ...accountUser(account),
    extra: {
      "authentication.kubernetes.io/credential-id": [`JTI=${textOf(claims["jti"])}`],
      ...extraOf("node-name", node.name),
      ...extraOf("node-uid", node.uid),
      ...extraOf("pod-name", pod.name),
      ...extraOf("pod-uid", pod.uid),
    },
  };
}

const extraOf = (key: string, value: string): Readonly<Record<string, readonly string[]>> =>
  value === "" ? {} : { [`authentication.kubernetes.io/${key}`]: [value] };
