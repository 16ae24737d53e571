/** Which signatures cluster-info should have. Pure. Source: kubernetes v1.36 pkg/controller/bootstrap/bootstrapsigner.go signConfigMap. */
import type { ConfigMap, Secret } from "../../api/types.ts";
import { isBootstrapToken, type SigningToken, signingTokenOf } from "../../controller/workload/bootstrap-token.ts";
import { detachedSignature } from "../../platform/detached-signature.ts";

const prefix = "jws-kubeconfig-";

/** The ids of tokens whose signatures are new, wrong, or without a token. */
export interface Changes {
  readonly added: readonly string[];
  readonly replaced: readonly string[];
  readonly removed: readonly string[];
}

/** The data as it should be, and how it differs from the current data. */
export interface Signed {
  readonly data: Readonly<Record<string, string>>;
  readonly changes: Changes;
}

/** Undefined for a ConfigMap without anything to sign: its signatures stay as they are. */
export function signed({ data = {} }: ConfigMap, tokens: readonly SigningToken[]): Signed | undefined {
  const content = data["kubeconfig"];
  if (content === undefined) return undefined;
  const wanted = new Map(tokens.map((token) => [token.id, detachedSignature(content, token)]));
  const ids = Object.keys(data).flatMap((key) => (key.startsWith(prefix) ? [key.slice(prefix.length)] : []));
  const others = Object.entries(data).filter(([key]) => !key.startsWith(prefix));
  const known = [...wanted.keys()];
  return {
    data: Object.fromEntries([...others, ...[...wanted].map(([id, signature]) => [prefix + id, signature] as const)]),
    changes: {
      added: known.filter((id) => !ids.includes(id)),
      replaced: known.filter((id) => ids.includes(id) && data[prefix + id] !== wanted.get(id)),
      removed: ids.filter((id) => !wanted.has(id)),
    },
  };
}

/** The tokens that sign, by their ids. */
export function signingTokens(secrets: readonly Secret[], now: number): readonly SigningToken[] {
  return secrets
    .filter(isBootstrapToken)
    .flatMap((secret) => {
      const token = signingTokenOf(secret, now);
      return typeof token === "string" ? [] : [token];
    })
    .sort((one, other) => (one.id < other.id ? -1 : 1));
}
