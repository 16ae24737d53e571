/** Small controllers that have lost a behavior. */
import { CertificateSigningRequests, Pods } from "../../../src/api/kinds.ts";
import { listsNone, type Mutant, noPatches, oneTooFew, skipsDeletions, withClient, withoutUpdates } from "./mutants.ts";

export const smallMutants: readonly Mutant[] = [
  {
    controller: "endpointslice-mirroring",
    does: "creates one slice too few",
    shownBy: "create endpointslices.discovery.k8s.io",
    mutation: oneTooFew,
  },
  {
    controller: "resourceclaim",
    does: "creates one claim too few",
    shownBy: "create resourceclaims.resource.k8s.io",
    mutation: oneTooFew,
  },
  {
    controller: "resourceclaim",
    does: "never deletes a claim",
    shownBy: "delete resourceclaims.resource.k8s.io",
    mutation: skipsDeletions,
  },
  {
    controller: "certificatesigningrequest-approving",
    does: "approves nothing",
    shownBy: "update certificatesigningrequests.certificates.k8s.io/approval",
    mutation: withClient(withoutUpdates(CertificateSigningRequests)),
  },
  {
    controller: "service-cidr",
    does: "writes no condition",
    shownBy: "patch servicecidrs.networking.k8s.io/status",
    mutation: withClient(noPatches),
  },
  {
    controller: "clusterrole-aggregation",
    does: "applies no rules",
    shownBy: "patch clusterroles.rbac.authorization.k8s.io",
    mutation: withClient(noPatches),
  },
  {
    controller: "ephemeral-volume",
    does: "creates one claim too few",
    shownBy: "create persistentvolumeclaims",
    mutation: oneTooFew,
  },
  { controller: "taint-eviction", does: "deletes no pod", shownBy: "delete pods", mutation: skipsDeletions },
  {
    controller: "resourcequota",
    does: "counts no pod",
    shownBy: "update resourcequotas/status",
    mutation: listsNone(Pods),
  },
  {
    controller: "serviceaccount",
    does: "creates one account too few",
    shownBy: "create serviceaccounts",
    mutation: oneTooFew,
  },
  { controller: "device-taint-eviction", does: "deletes no pod", shownBy: "delete pods", mutation: skipsDeletions },
];
