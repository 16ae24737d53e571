/** The signer of cluster-info. Source: kubernetes v1.36 pkg/controller/bootstrap/bootstrapsigner.go. */
import { keyOf, objectKey } from "../../api/key.ts";
import { ConfigMaps, Secrets } from "../../api/kinds.ts";
import { isConflict, isNotFound } from "../../api/status-error.ts";
import type { ConfigMap, Secret } from "../../api/types.ts";
import { type ControllerDefinition, defineController, watch } from "../../controller/api/definition.ts";
import type { SyncContext } from "../../controller/api/sync-context.ts";
import { isBootstrapToken } from "../../controller/workload/bootstrap-token.ts";
import { noContent, rules, sign, steady } from "./rules.ts";
import { signed, signingTokens } from "./signatures.ts";

const mapName = "cluster-info";
const mapKey = objectKey("kube-public", mapName);

/**
 * Signs the cluster information for joining nodes, with each bootstrap token. Not part of `all`: kube-controller-manager runs it only when
 * named.
 */
export const bootstrapSigner: ControllerDefinition = defineController<ConfigMap>({
  name: "bootstrap-signer",
  aliases: ["signer", "bootstrapsigner", "bootstrap-signer-controller"],
  purpose: "signs ConfigMap cluster-info with bootstrap tokens",
  source: "pkg/controller/bootstrap/bootstrapsigner.go",
  for: ConfigMaps,
  watches: [
    watch<ConfigMap>({
      kind: ConfigMaps,
      on({ type, object }, context) {
        if (type !== "deleted" && keyOf(object) === mapKey) context.enqueue(mapKey);
      },
    }),
    watch<Secret>({
      kind: Secrets,
      on({ object }, context) {
        if (isBootstrapToken(object)) context.enqueue(mapKey);
      },
    }),
  ],
  workers: 1,
  // Changes of the ConfigMap or of a token enqueue it again. Source: bootstrapsigner.go updateConfigMap, which only reports a refusal.
  retry: { maxRetries: 0 },
  disabledByDefault: true,
  ifRunTwice: "the second of two updates would be refused",
  dryRun: { is: "left out", why: "how nodes join does not affect the result" },
  rules,
  recordsEvents: false,
  // Granted by upstream's role too: kubernetes v1.36 plugin/pkg/auth/authorizer/rbac/bootstrappolicy/namespace_policy.go.
  permissions: [{ group: "", resource: "configmaps", verbs: ["update"], names: [mapName] }],
  sync: (_key, context) => signMap(context),
});

/** @throws the API server's refusal, unless the ConfigMap has changed or gone meanwhile: a delta follows. */
async function signMap(context: SyncContext): Promise<void> {
  // Keys of other ConfigMaps may arrive; they are ignored.
  if (context.key !== mapKey) return;
  const map = context.cache(ConfigMaps).get(mapKey);
  if (map === undefined) return;
  const tokens = signingTokens(context.cache(Secrets).list(), context.now());
  const result = signed(map, tokens);
  if (result === undefined) return void context.decide(noContent, {});
  const { data, changes } = result;
  if (Object.values(changes).every((ids) => ids.length === 0))
    return void context.decide(steady, { tokens: tokens.map(({ id }) => id) });
  const because = context.decide(sign, { ...changes });
  try {
    await context.client.update(ConfigMaps, { ...map, data }, { because, basedOn: map, signal: context.signal });
  } catch (error) {
    if (!isNotFound(error) && !isConflict(error)) throw error;
  }
}
