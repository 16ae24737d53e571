import { Namespaces, ServiceAccounts } from "../../api/kinds.ts";
import { keyOf, objectKey, type ObjectKey, splitKey } from "../../api/key.ts";
import { isAlreadyExists, isNamespaceTerminating, isNotFound } from "../../api/status-error.ts";
import type { Namespace, ServiceAccount } from "../../api/types.ts";
import { type ControllerDefinition, defineController, watch } from "../../controller/api/definition.ts";
import { type Rule, rule } from "../../controller/api/rule.ts";
import type { SyncContext } from "../../controller/api/sync-context.ts";

const accountName = "default";

interface MissingFacts extends Readonly<Record<string, unknown>> {
  readonly namespace: string;
}

const createDefault: Rule<MissingFacts> = rule<MissingFacts>({
  id: "create-default",
  looksAt: ["status.phase of the Namespace", "ServiceAccount default in it"],
  chooses: "Every namespace that is not being deleted has a ServiceAccount named default.",
  sentence: ({ namespace }) => `namespace ${namespace} has no ServiceAccount default → create it`,
  example: { namespace: "shop" },
  source: "pkg/controller/serviceaccount/serviceaccounts_controller.go syncNamespace",
});

/** Maintains a ServiceAccount `default` in every namespace: without it, no pod is admitted. Keys name the ServiceAccounts. */
export const serviceaccount: ControllerDefinition = defineController<ServiceAccount>({
  name: "serviceaccount",
  aliases: ["sa", "serviceaccount-controller"],
  purpose: "creates the ServiceAccount default in every namespace",
  component: "serviceaccount-controller",
  ifRunTwice: "both would create the same ServiceAccount, and one of them would be refused each time",
  source: "pkg/controller/serviceaccount/serviceaccounts_controller.go",
  for: ServiceAccounts,
  watches: [
    watch<Namespace>({
      kind: Namespaces,
      on({ type, object }, context) {
        if (type !== "deleted") context.enqueue(objectKey(object.metadata.name, accountName));
      },
    }),
    watch<ServiceAccount>({
      kind: ServiceAccounts,
      on({ type, object }, context) {
        if (type === "deleted" && object.metadata.name === accountName) context.enqueue(keyOf(object));
      },
    }),
  ],
  workers: 1,
  dryRun: { is: "left out", why: "each namespace has its default account anyway" },
  rules: [createDefault],
  permissions: [{ group: "", resource: "serviceaccounts", verbs: ["create"] }],
  sync: syncAccount,
});

/** Source: kubernetes v1.36 pkg/controller/serviceaccount/serviceaccounts_controller.go syncNamespace. */
async function syncAccount(key: ObjectKey, context: SyncContext): Promise<void> {
  const { namespace } = splitKey(key);
  const owner = context.cache(Namespaces).get(namespace);
  if (owner === undefined || owner.status?.phase !== "Active") return;
  if (context.cache(ServiceAccounts).get(key) !== undefined) return;
  const because = context.decide(createDefault, { namespace });
  try {
    await context.client.create(
      ServiceAccounts,
      { metadata: { namespace, name: accountName } },
      { because, signal: context.signal },
    );
  } catch (error) {
    // The cache is stale, or the namespace has been deleted meanwhile.
    if (!isAlreadyExists(error) && !isNotFound(error) && !isNamespaceTerminating(error)) throw error;
  }
}
