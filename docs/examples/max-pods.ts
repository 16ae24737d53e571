/** A Namespace with the annotation `example.com/max-pods: "20"` gets a ResourceQuota of 20 pods, and keeps it. */
import { type ControllerDefinition, defineController, kinds, rule, watch, watchPrimary } from "kubectl-reconcile";

const annotation = "example.com/max-pods";
const quotaName = "max-pods";

const createQuota = rule<{ namespace: string; pods: string }>({
  id: "create-quota",
  looksAt: [`metadata.annotations["${annotation}"]`, "ResourceQuotas of the namespace"],
  chooses: "A namespace that asks for a limit and has no quota gets one.",
  sentence: ({ namespace, pods }) => `${namespace} asks for at most ${pods} pods → create the quota`,
});

const updateQuota = rule<{ pods: string; was: string }>({
  id: "update-quota",
  looksAt: [`metadata.annotations["${annotation}"]`, "spec.hard of the quota"],
  chooses: "A quota with another limit is changed back to the annotation's.",
  sentence: ({ pods, was }) => `the quota allows ${was} pods, the annotation ${pods} → update it`,
});

export const maxPods: ControllerDefinition = defineController({
  name: "max-pods",
  purpose: "limits the pods of a namespace to what its annotation says",
  for: kinds.Namespaces,
  watches: [
    watchPrimary(kinds.Namespaces),
    // A change or a deletion of any quota enqueues its namespace: the limit is put back.
    watch({
      kind: kinds.ResourceQuotas,
      on: ({ object }, context) => context.enqueue(object.metadata.namespace ?? ""),
    }),
  ],
  workers: 2,
  rules: [createQuota, updateQuota],
  permissions: [{ group: "", resource: "resourcequotas", verbs: ["create", "update"] }],
  async sync(key, context) {
    const namespace = context.cache(kinds.Namespaces).get(key);
    if (namespace === undefined || namespace.metadata.deletionTimestamp !== undefined) return;
    const pods = namespace.metadata.annotations?.[annotation];
    if (pods === undefined) return;
    const quota = context.cache(kinds.ResourceQuotas).getNamespaced(key, quotaName);
    if (quota === undefined) {
      const because = context.decide(createQuota, { namespace: key, pods });
      const wanted = { metadata: { namespace: key, name: quotaName }, spec: { hard: { pods } } };
      await context.client.create(kinds.ResourceQuotas, wanted, { because });
    } else if (quota.spec?.hard?.["pods"] !== pods) {
      const because = context.decide(updateQuota, { pods, was: quota.spec?.hard?.["pods"] ?? "any number of" });
      const changed = { ...quota, spec: { ...quota.spec, hard: { ...quota.spec?.hard, pods } } };
      await context.client.update(kinds.ResourceQuotas, changed, { because });
    }
  },
});
