/** All contract cases. */
import type { Table } from "./case.ts";
import { access } from "./cases/access.ts";
import { addressNotations } from "./cases/addresses.ts";
import { admission } from "./cases/admission.ts";
import { appliedKinds } from "./cases/apply-kinds.ts";
import { appliedLists } from "./cases/apply-lists.ts";
import { appliedManagers } from "./cases/apply-managers.ts";
import { applied } from "./cases/apply-objects.ts";
import { appliedRefusals } from "./cases/apply-refusals.ts";
import { appliedSubresources } from "./cases/apply-subresources.ts";
import { basics } from "./cases/basics.ts";
import { customResourceRules } from "./cases/custom-resource-rules.ts";
import { certificates } from "./cases/certificates.ts";
import { claimRights } from "./cases/claim-rights.ts";
import { evictions } from "./cases/evictions.ts";
import { jobStatuses } from "./cases/job-statuses.ts";
import { secretContents } from "./cases/secrets.ts";
import { largeObjects } from "./cases/large-objects.ts";
import { ownStatuses } from "./cases/statuses.ts";
import { kindWarnings } from "./cases/kind-warnings.ts";
import { kindMetadata } from "./cases/kind-metadata.ts";
import { kindRequests } from "./cases/kind-requests.ts";
import { ownObjects } from "./cases/own-objects.ts";
import { customResourceCases } from "./cases/custom-resources.ts";
import { deviceSelectors } from "./cases/device-selectors.ts";
import { definitionCases } from "./cases/definitions.ts";
import { lifecycle } from "./cases/lifecycle.ts";
import { answers } from "./cases/answers.ts";
import { bodies } from "./cases/bodies.ts";
import { managers } from "./cases/managers.ts";
import { patchForms } from "./cases/patch-forms.ts";
import { proxies } from "./cases/proxies.ts";
import { queries } from "./cases/queries.ts";
import { reviews } from "./cases/reviews.ts";
import { patches } from "./cases/patches.ts";
import { defaultPlugins } from "./cases/default-plugins.ts";
import { mutatingPolicyCases } from "./cases/mutating-policies.ts";
import { policyCases } from "./cases/policies.ts";
import { policyDefinitions } from "./cases/policy-definitions.ts";
import { podParts } from "./cases/pod-parts.ts";
import { podSpecs } from "./cases/pod-spec.ts";
import { podSecurity } from "./cases/pod-security.ts";
import { times } from "./cases/times.ts";
import { services } from "./cases/services.ts";
import { updates } from "./cases/updates.ts";
import { quotaUse } from "./cases/quotas.ts";
import { smallest } from "./cases/smallest.ts";
import { validation } from "./cases/validation.ts";
import { validationOrder } from "./cases/validation-order.ts";
import { wildKinds } from "./cases/kinds.ts";
import { warnings } from "./cases/warnings.ts";
import { connectionCases } from "./cases/connections.ts";
import { limitCases } from "./cases/limits.ts";
import { conversionWebhookCases } from "./cases/conversion-webhooks.ts";
import { mutatingWebhookCases } from "./cases/mutating-webhooks.ts";
import { rareParts } from "./cases/rare-parts.ts";
import { rareValues } from "./cases/rare-values.ts";
import { webhookCases } from "./cases/webhooks.ts";
import { workloads } from "./cases/workloads.ts";
import { yamlBodies } from "./cases/yaml.ts";

export const tables: readonly Table[] = [
  basics,
  patches,
  patchForms,
  managers,
  times,
  bodies,
  queries,
  proxies,
  answers,
  reviews,
  access,
  claimRights,
  deviceSelectors,
  lifecycle,
  workloads,
  admission,
  podSecurity,
  warnings,
  addressNotations,
  kindWarnings,
  yamlBodies,
  updates,
  smallest,
  validation,
  validationOrder,
  podParts,
  podSpecs,
  services,
  rareValues,
  rareParts,
  quotaUse,
  wildKinds,
  certificates,
  ownObjects,
  largeObjects,
  kindRequests,
  ownStatuses,
  kindMetadata,
  applied,
  appliedLists,
  appliedRefusals,
  appliedSubresources,
  appliedManagers,
  appliedKinds,
  definitionCases,
  customResourceCases,
  customResourceRules,
  policyDefinitions,
  policyCases,
  mutatingPolicyCases,
  defaultPlugins,
  webhookCases,
  mutatingWebhookCases,
  conversionWebhookCases,
  secretContents,
  evictions,
  jobStatuses,
  connectionCases,
  limitCases,
];
