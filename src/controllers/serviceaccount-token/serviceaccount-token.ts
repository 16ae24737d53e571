/**
 * Tokens of ServiceAccounts in Secrets.
 * Source: kubernetes v1.36 pkg/controller/serviceaccount/tokens_controller.go, cmd/kube-controller-manager/app/service_accounts.go.
 */
import { keyOf } from "../../api/key.ts";
import { Secrets, ServiceAccounts } from "../../api/kinds.ts";
import { accountNamedIn } from "../../api/token-secrets.ts";
import type { Secret, ServiceAccount } from "../../api/types.ts";
import { type ControllerDefinition, defineController, watch } from "../../controller/api/definition.ts";
import { tokenSigner } from "../../platform/json-web-token.ts";
import { rules } from "./rules.ts";
import { deletedTokens, syncSecret, type TokenParts } from "./sync.ts";

/** The key that signs tokens, and the CA that pods trust. */
export interface ServiceAccountTokensOptions {
  /** PEM of a private key (ECDSA on P-256, or RSA) whose public key kube-apiserver has: `--service-account-private-key-file`. */
  readonly key: string;
  /** PEM of the CAs that verify the API server, for `ca.crt`: `--root-ca-file`. Default: no Secret gets a `ca.crt`. */
  readonly rootCa?: string;
}

/**
 * A controller that fills Secrets of the type kubernetes.io/service-account-token with a token of their ServiceAccount, and deletes them
 * with it, as kube-controller-manager does with `--service-account-private-key-file`: for clusters where it does not.
 *
 * @throws Error for a key that cannot be read.
 * Source: kubernetes v1.36 pkg/controller/serviceaccount/tokens_controller.go; differs: one queue, of Secrets.
 * @example
 * ```ts
 * import { readFile } from "node:fs/promises";
 * import { type ControllerDefinition, serviceAccountTokens } from "kubectl-reconcile";
 *
 * async function tokens(folder: string): Promise<ControllerDefinition> {
 *   const key = await readFile(`${folder}/sa.key`, "utf8");
 *   return serviceAccountTokens({ key, rootCa: await readFile(`${folder}/ca.crt`, "utf8") });
 * }
 * await tokens("/etc/kubernetes/pki").then(({ name }) => console.log(name), console.error);
 * ```
 */
export function serviceAccountTokens({ key, rootCa }: ServiceAccountTokensOptions): ControllerDefinition {
  const signer = tokenSigner({ signingKey: key });
  return definition({ signToken: (claims) => signer.sign(claims), rootCa });
}

/** The same without keys, for the catalogue. */
export const serviceaccountToken: ControllerDefinition = {
  ...definition(undefined),
  disabledByDefault: true,
  withKeys: ({ signToken, rootCa }) => definition({ signToken, rootCa }),
};

function definition(parts: TokenParts | undefined): ControllerDefinition {
  return defineController<Secret>({
    name: "serviceaccount-token",
    aliases: ["serviceaccount-token-controller"],
    purpose: "fills Secrets with tokens of ServiceAccounts",
    source: "pkg/controller/serviceaccount/tokens_controller.go",
    component: "tokens-controller",
    for: Secrets,
    watches: [
      watch<Secret>({
        kind: Secrets,
        on({ type, object }, context) {
          const named = accountNamedIn(object);
          if (named === undefined) return;
          if (type === "deleted") context.state(deletedTokens).set(keyOf(object), named);
          context.enqueue(keyOf(object));
        },
      }),
      watch<ServiceAccount>({
        kind: ServiceAccounts,
        // A new ServiceAccount has no Secrets yet: earlier ones that named it were deleted.
        on({ type, object: { metadata } }, context) {
          if (type !== "deleted") return;
          for (const secret of context.cache(Secrets).list(metadata.namespace)) {
            const named = accountNamedIn(secret);
            if (named?.name === metadata.name && named.uid === metadata.uid) context.enqueue(keyOf(secret));
          }
        },
      }),
    ],
    workers: 5,
    retry: { maxRetries: 10 },
    ifRunTwice: "the second of two tokens would be refused; of two authorities, each would write over the other's",
    dryRun: { is: "left out", why: "it needs the private keys of the cluster" },
    rules,
    recordsEvents: false,
    // Granted by upstream's role too, that of kube-controller-manager itself: kubernetes v1.36 plugin/pkg/auth/authorizer/rbac/bootstrappolicy/policy.go.
    permissions: [
      { group: "", resource: "secrets", verbs: ["get", "update", "delete"] },
      { group: "", resource: "serviceaccounts", verbs: ["get", "update"] },
    ],
    sync: (_key, context) => syncSecret(context, parts),
  });
}
