/**
 * Warnings about the types in the expressions of ValidatingAdmissionPolicies.
 * Source: kubernetes v1.36 pkg/controller/validatingadmissionpolicystatus/controller.go.
 */
import { keyOf } from "../../api/key.ts";
import { apiVersionOf } from "../../api/kind.ts";
import { ValidatingAdmissionPolicies } from "../../api/kinds.ts";
import type { ValidatingAdmissionPolicy } from "../../api/types.ts";
import { type ControllerDefinition, defineController, watch } from "../../controller/api/definition.ts";
import type { SyncContext } from "../../controller/api/sync-context.ts";
import { check, checked, rules } from "./rules.ts";
import { typesOf } from "./types.ts";
import { expressionsOf, warningsFor } from "./warnings.ts";

/**
 * Upstream's field manager, not our own: a manager cannot remove warnings applied by another by applying none, so they would stay forever
 * when a cluster switches between kube-controller-manager and this controller.
 */
const statusManager = "validatingadmissionpolicy-status";

/** Checks the expressions of policies against the types that they concern. */
export const validatingAdmissionPolicyStatus: ControllerDefinition = defineController<ValidatingAdmissionPolicy>({
  name: "validatingadmissionpolicy-status",
  aliases: ["vap-status", "validatingadmissionpolicy-status-controller"],
  purpose: "warns of type errors in ValidatingAdmissionPolicies",
  source: "pkg/controller/validatingadmissionpolicystatus/controller.go",
  for: ValidatingAdmissionPolicies,
  watches: [
    watch<ValidatingAdmissionPolicy>({
      kind: ValidatingAdmissionPolicies,
      on({ type, object }, context) {
        if (type !== "deleted") context.enqueue(keyOf(object));
      },
    }),
  ],
  workers: 5,
  appliesAs: statusManager,
  ifRunTwice: "both would apply the same status",
  isLeftUndone: isUnchecked,
  dryRun: { is: "left out", why: "its warnings refuse nothing" },
  rules,
  recordsEvents: false,
  // Granted by upstream's role too: kubernetes v1.36 plugin/pkg/auth/authorizer/rbac/bootstrappolicy/controller_policy.go.
  permissions: [
    { group: "admissionregistration.k8s.io", resource: "validatingadmissionpolicies/status", verbs: ["patch"] },
  ],
  sync: (_key, context) => syncPolicy(context),
});

function isUnchecked({ metadata, status }: ValidatingAdmissionPolicy): boolean {
  return (metadata.generation ?? 0) > (status?.observedGeneration ?? 0);
}

/** @throws the API server's refusal, including of discovery and OpenAPI. */
async function syncPolicy(context: SyncContext): Promise<void> {
  const policy = context.cache(ValidatingAdmissionPolicies).get(context.key);
  if (policy === undefined) return;
  const { name, generation = 0 } = policy.metadata;
  if (!isUnchecked(policy)) return void context.decide(checked, { generation });
  const types = await typesOf(policy, context);
  const warnings = await warningsFor(policy, types);
  const because = context.decide(check, {
    generation,
    kinds: types.kinds.map((each) => `${apiVersionOf(each)} ${each.kind}`),
    expressions: expressionsOf(policy).length,
    warnings: warnings.length,
  });
  const body = {
    apiVersion: apiVersionOf(ValidatingAdmissionPolicies),
    kind: ValidatingAdmissionPolicies.kind,
    metadata: { name },
    status: {
      observedGeneration: generation,
      typeChecking: warnings.length === 0 ? {} : { expressionWarnings: warnings },
    },
  };
  const options = {
    because,
    fieldManager: statusManager,
    basedOn: policy,
    subresource: "status",
    signal: context.signal,
  };
  await context.client.patch(
    ValidatingAdmissionPolicies,
    { namespace: "", name },
    { type: "apply", body, force: true },
    options,
  );
}
