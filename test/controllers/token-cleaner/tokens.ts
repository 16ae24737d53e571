/** Secrets of bootstrap tokens in the form in which a server stores them. */
import { formatTime } from "../../../src/api/time.ts";
import type { Secret } from "../../../src/api/types.ts";
import { sceneStart } from "../../support/sync-context.ts";

export interface TokenParts {
  readonly namespace?: string;
  readonly name?: string;
  readonly type?: string;
  /** The decoded data; undefined fields are omitted. */
  readonly data?: Readonly<Record<string, string | undefined>>;
}

/** The token `abc123`, which by default is used for signing and does not expire. */
export function tokenSecret(parts: TokenParts = {}): Secret {
  const { namespace = "kube-system", name = "bootstrap-token-abc123", type = "bootstrap.kubernetes.io/token" } = parts;
  const data = {
    "token-id": "abc123",
    "token-secret": "tokenSecret",
    "usage-bootstrap-signing": "true",
    ...parts.data,
  };
  return {
    metadata: { namespace, name, uid: `uid-${name}`, resourceVersion: "1", creationTimestamp: formatTime(sceneStart) },
    type,
    data: Object.fromEntries(
      Object.entries(data).flatMap(([key, value]) => (value === undefined ? [] : [[key, btoa(value)]])),
    ),
  };
}

/** The field `expiration` with a time relative to the start of the scene. */
export const expiresIn = (ms: number): Readonly<Record<string, string>> => ({
  expiration: formatTime(sceneStart + ms),
});
