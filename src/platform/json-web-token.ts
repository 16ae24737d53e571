/** JSON Web Tokens (RFC 7519), signed with ES256 or RS256. */
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  sign,
  verify,
  type KeyObject,
} from "node:crypto";

/** Signs tokens, and recognizes its own. */
export interface TokenSigner {
  /** A signed token with these claims. */
  sign(claims: object): string;
  /** The claims of a token that was signed with one of its keys; undefined for any other string. Times are not checked. */
  verified(token: string): Readonly<Record<string, unknown>> | undefined;
  /** The public halves of its keys, as JSON Web Keys (RFC 7517). */
  readonly publicKeys: readonly PublicJsonWebKey[];
  /** The public half of the key that it signs with, in PEM. */
  readonly publicKey: string;
}

/** A key for verifying tokens; the members after `alg` depend on the type of key. */
export interface PublicJsonWebKey {
  readonly use: "sig";
  readonly kty: string;
  readonly kid: string;
  readonly alg: "ES256" | "RS256";
  readonly [member: string]: string;
}

/** The keys of a signer, in PEM. */
export interface SignerKeys {
  /** By default a new pair, generated on first use. */
  readonly signingKey?: string;
  /** Public or private keys whose tokens are accepted, besides the signing key's own. */
  readonly verifyingKeys?: readonly string[];
}

interface VerifyingKey {
  readonly id: string;
  readonly key: KeyObject;
}

interface SigningKey {
  readonly privateKey: KeyObject;
  readonly own: VerifyingKey;
}

/** Base64url, as in URLs and tokens. */
export const base64url = (value: Uint8Array | string): string => Buffer.from(value).toString("base64url");

/** As kube-apiserver names keys: the hash of the public key's DER. Source: kubernetes v1.36 pkg/serviceaccount/jwt.go keyIDFromPublicKey. */
function verifyingKey(key: KeyObject): VerifyingKey {
  const der = key.export({ type: "spki", format: "der" });
  return { id: createHash("sha256").update(der).digest("base64url"), key };
}

const algorithmOf = (key: KeyObject): "ES256" | "RS256" => (key.asymmetricKeyType === "ec" ? "ES256" : "RS256");

/** What node:crypto needs besides the key: ECDSA signatures are two numbers side by side. */
const withKey = (key: KeyObject): { readonly key: KeyObject; readonly dsaEncoding: "ieee-p1363" } => ({
  key,
  dsaEncoding: "ieee-p1363",
});

/** True for the PEM of a public key that tokens can be verified with. */
export function isVerifyingKey(pem: string): boolean {
  // A private key would be read as its public key.
  if (!/^-----BEGIN (RSA )?PUBLIC KEY-----/.test(pem)) return false;
  try {
    const key = createPublicKey(pem);
    return key.asymmetricKeyType === "rsa" || key.asymmetricKeyDetails?.namedCurve === "prime256v1";
  } catch {
    return false;
  }
}

function signingKeyOf(privateKey: KeyObject): SigningKey {
  return { privateKey, own: verifyingKey(createPublicKey(privateKey)) };
}

/** @throws Error for a key that cannot be read. */
export function tokenSigner({ signingKey, verifyingKeys = [] }: SignerKeys = {}): TokenSigner {
  const others = verifyingKeys.map((pem) => verifyingKey(createPublicKey(pem)));
  const byId = new Map(others.map((one) => [one.id, one.key]));
  let made = signingKey === undefined ? undefined : signingKeyOf(createPrivateKey(signingKey));
  if (made !== undefined) byId.set(made.own.id, made.own.key);
  const signing = (): SigningKey => {
    made ??= signingKeyOf(generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey);
    byId.set(made.own.id, made.own.key);
    return made;
  };
  return {
    get publicKeys() {
      const { own } = signing();
      const rest = [...byId].filter(([id]) => id !== own.id);
      return [[own.id, own.key] as const, ...rest].map(([kid, key]) => publicJsonWebKey(kid, key));
    },
    get publicKey() {
      return signing().own.key.export({ type: "spki", format: "pem" });
    },
    sign(claims) {
      const { privateKey, own } = signing();
      const header = base64url(JSON.stringify({ alg: algorithmOf(privateKey), kid: own.id }));
      const signed = `${header}.${base64url(JSON.stringify(claims))}`;
      return `${signed}.${base64url(sign("sha256", Buffer.from(signed), withKey(privateKey)))}`;
    },
    verified(token) {
      const [header = "", payload = "", signature = "", ...more] = token.split(".");
      if (signature === "" || more.length > 0) return undefined;
      const { alg, kid } = jsonOf(header) ?? {};
      const key = typeof kid === "string" ? byId.get(kid) : undefined;
      if (key === undefined || alg !== algorithmOf(key)) return undefined;
      const signed = Buffer.from(`${header}.${payload}`);
      if (!verify("sha256", signed, withKey(key), Buffer.from(signature, "base64url"))) return undefined;
      return jsonOf(payload);
    },
  };
}

/** The members in Go's order. Source: go-jose v4 jwk.go rawJSONWebKey. */
function publicJsonWebKey(kid: string, key: KeyObject): PublicJsonWebKey {
  const { kty = "", crv, x, y, n, e } = key.export({ format: "jwk" });
  return {
    use: "sig",
    kty,
    kid,
    ...(crv !== undefined && { crv }),
    alg: algorithmOf(key),
    ...(x !== undefined && y !== undefined && { x, y }),
    ...(n !== undefined && e !== undefined && { n, e }),
  };
}

function jsonOf(part: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, "base64url").toString());
    return typeof value === "object" && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}
