/**
 * OpenID Connect discovery: lets others verify ServiceAccount tokens.
 * Source: kubernetes v1.36 pkg/routes/openidmetadata.go, pkg/serviceaccount/openidmetadata.go.
 */
import type { TokenMetadata } from "../context/authenticator.ts";
import type { Server } from "../context/server.ts";
import { methodNotAllowed } from "../meta/refusal.ts";
import { bytesOf } from "../serialization/encoding.ts";
import type { HttpRequest, Result } from "./responses.ts";
import { serverAddress } from "./discovery.ts";

/** Keys from files, as here, may be cached for an hour. */
const cacheControl = "public, max-age=3600";

const keysPath = "/openid/v1/jwks";

const documents = new Map<string, { readonly type: string; readonly of: (metadata: TokenMetadata) => object }>([
  [
    "/.well-known/openid-configuration",
    {
      type: "application/json",
      of: ({ issuer, keys }) => ({
        issuer,
        jwks_uri: `https://${serverAddress}${keysPath}`,
        response_types_supported: ["id_token"],
        subject_types_supported: ["public"],
        id_token_signing_alg_values_supported: [...new Set(keys.map(({ alg }) => alg))].sort(),
      }),
    },
  ],
  [keysPath, { type: "application/jwk-set+json", of: ({ keys }) => ({ keys }) }],
]);

/** The issuer's configuration and its keys; undefined for other paths. @throws StatusError 405. */
export function openIdResponse({ tokens }: Server, { path, method }: HttpRequest): Result | undefined {
  const document = documents.get(path);
  if (document === undefined) return undefined;
  if (method !== "GET") throw methodNotAllowed();
  return {
    status: 200,
    headers: { "cache-control": cacheControl, "content-type": document.type },
    body: bytesOf(JSON.stringify(document.of(tokens.metadata()))),
  };
}
