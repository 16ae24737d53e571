/** Tokens of service accounts. Source: kubernetes v1.36 pkg/serviceaccount/{claims,jwt}.go; apiserver v0.36 authentication/serviceaccount/util.go. */
import { tokenSigner, type SignerKeys, type TokenSigner } from "../../platform/json-web-token.ts";
import { randomUuid, type Random } from "../../platform/random.ts";
import type { Timeline } from "../../platform/timeline.ts";
import { parseTime } from "../../api/time.ts";
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

/** Who signs tokens of service accounts, for whom, and with which keys. */
export interface TokenIssuer {
  /** By default `https://kubernetes.default.svc`. */
  readonly issuer?: string;
  /** The audiences of tokens that name none. By default, the issuer. */
  readonly audiences?: readonly string[];
  /** By default, those of `SignerKeys`. */
  readonly keys?: SignerKeys;
}

/** What a token authenticator is made of. */
export interface TokenOptions extends TokenIssuer {
  readonly store: Store;
  readonly timeline: Timeline;
  readonly random: Random;
  /** Keys of earlier servers whose tokens are accepted. */
  readonly earlierKeys: readonly TokenKey[];
  /** Users by static token. */
  readonly logins: ReadonlyMap<string, User>;
}

type Claims = Readonly<Record<string, unknown>>;

/** Clocks may differ by so many seconds, and deleted objects count for so long. Source: go-jose jwt DefaultLeeway. */
const leewaySeconds = 60;

const defaultIssuer = "https://kubernetes.default.svc";

/** Static tokens, and tokens that are signed here. */
export class ServiceAccountTokens implements TokenAuthenticator {
  readonly audiences: readonly string[];
  readonly #options: TokenOptions;
  #signer: TokenSigner | undefined;
  /** When the last token that was signed here expires, in seconds since 1970; 0 for none. */
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
    if (claims === undefined || claims["iss"] !== (this.#options.issuer ?? defaultIssuer)) return unknownToken;
    const own = Array.isArray(claims["aud"]) ? claims["aud"].map(textOf) : [];
    const audiences = wanted.filter((audience) => own.includes(audience));
    if (audiences.length === 0)
      return { why: `token audiences ${quoted(own)} is invalid for the target audiences ${quoted(wanted)}` };
    const why = this.#problemOf(claims);
    return why === undefined ? { user: userOf(claims), audiences } : { why };
  }

  #signing(): TokenSigner {
    const { keys = {}, earlierKeys } = this.#options;
    const verifyingKeys = [...(keys.verifyingKeys ?? []), ...earlierKeys.map(({ publicKey }) => publicKey)];
    this.#signer ??= tokenSigner({ ...keys, verifyingKeys });
    return this.#signer;
  }

  /** Why a token is not valid any more. */
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
      // The node of a pod's token is only reported.
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

/** Texts as Go prints them with %q. */
const quoted = (texts: readonly string[]): string => `[${texts.map((text) => JSON.stringify(text)).join(" ")}]`;

interface Reference {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

const nothing: Reference = { namespace: "", name: "", uid: "" };

/** What a token refers to; undefined if it does not refer to such an object. */
function referenceIn(claims: Claims, kind: string): Reference | undefined {
  const own = (...path: string[]): string => textOf(at(claims["kubernetes.io"], ...path));
  const name = own(kind, "name");
  return name === "" ? undefined : { namespace: own("namespace"), name, uid: own(kind, "uid") };
}

function userOf(claims: Claims): User {
  const [account = nothing, pod = nothing, node = nothing] = ["serviceaccount", "pod", "node"].map((of) =>
    referenceIn(claims, of),
  );
  const { namespace, name, uid } = account;
  return {
    name: `system:serviceaccount:${namespace}:${name}`,
    uid,
    groups: ["system:serviceaccounts", `system:serviceaccounts:${namespace}`, "system:authenticated"],
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
