/** Shadow beside the small controllers that publish, approve, mirror, name or evict: most of them write an object once for each change. */
import { certificateSigningRequestApproving } from "../../../src/controllers/certificatesigningrequest-approving/certificatesigningrequest-approving.ts";
import { clusterroleAggregation } from "../../../src/controllers/clusterrole-aggregation/clusterrole-aggregation.ts";
import { defineMirroringController } from "../../../src/controllers/endpointslice-mirroring/endpointslice-mirroring.ts";
import { deviceTaintEviction } from "../../../src/controllers/device-taint-eviction/device-taint-eviction.ts";
import { ephemeralVolume } from "../../../src/controllers/ephemeral-volume/ephemeral-volume.ts";
import { persistentVolumeExpander } from "../../../src/controllers/persistentvolume-expander/persistentvolume-expander.ts";
import { resourceclaim } from "../../../src/controllers/resourceclaim/resourceclaim.ts";
import { resourcequota } from "../../../src/controllers/resourcequota/resourcequota.ts";
import { rootCaCertificatePublisher } from "../../../src/controllers/root-ca-certificate-publisher/root-ca-certificate-publisher.ts";
import { serviceaccount } from "../../../src/controllers/serviceaccount/serviceaccount.ts";
import { serviceCidr } from "../../../src/controllers/service-cidr/service-cidr.ts";
import { taintEviction } from "../../../src/controllers/taint-eviction/taint-eviction.ts";
import { validatingAdmissionPolicyStatus } from "../../../src/controllers/validatingadmissionpolicy-status/validatingadmissionpolicy-status.ts";
import { randomScript as certificates } from "../../differential/scripts/certificates/grammar.ts";
import { randomScript as devices } from "../../differential/scripts/device-taint-eviction/grammar.ts";
import { mostOfSubset } from "../../differential/scripts/endpointslice-mirroring/acts.ts";
import { randomScript as mirroring } from "../../differential/scripts/endpointslice-mirroring/grammar.ts";
import { randomScript as expansion } from "../../differential/scripts/persistentvolume-expander/grammar.ts";
import { randomScript as published } from "../../differential/scripts/published/grammar.ts";
import { randomScript as claims } from "../../differential/scripts/resourceclaim/grammar.ts";
import { randomScript as quotas } from "../../differential/scripts/resourcequota/grammar.ts";
import { randomScript as ranges } from "../../differential/scripts/service-cidr/grammar.ts";
import { randomScript as taints } from "../../differential/scripts/taint-eviction/grammar.ts";
import { tries } from "../../support/long.ts";
import { accountsDeleted } from "./account-scripts.ts";
import { describeCasts, part, slowly } from "./casts.ts";
import { smallMutants } from "./small-mutants.ts";

describeCasts([
  {
    title: "small controllers",
    owners: [
      "endpointslice-mirroring-controller",
      "resourceclaim-controller",
      "certificatesigningrequest-approving-controller",
      "persistentvolume-expander-controller",
      "service-cidr-controller",
      "root-ca-certificate-publisher-controller",
      "clusterrole-aggregation-controller",
      "ephemeral-volume-controller",
      "validatingadmissionpolicy-status-controller",
      "taint-eviction-controller",
      "device-taint-eviction-controller",
      "resourcequota-controller",
      "serviceaccount-controller",
      // Adds the node index of pods that the eviction needs.
      "daemonset-controller",
    ],
    kcmFlags: [...slowly, `--mirroring-max-endpoints-per-subset=${mostOfSubset}`],
    apiServerFlags: ["--service-cluster-ip-range=10.0.0.0/16,fd00::/108"],
    playing: { rounds: tries(8, 20), objects: 3 },
    parts: [
      part({
        controller: defineMirroringController({ maxPerSubset: mostOfSubset }),
        script: mirroring,
        first: 3,
        // The owner may confuse new slices, which have no names yet, with existing ones.
        without: /a slice (loses|is deleted)/,
        side: { recycles: "endpointslices.discovery.k8s.io" },
        shows: ["create endpointslices.discovery.k8s.io", "delete endpointslices.discovery.k8s.io"],
      }),
      part({
        controller: resourceclaim,
        script: claims,
        first: 2,
        // The claims of a finished pod are created again unless they are still known, which lasts until the cache contains them.
        without: /set the phase (Succeeded|Failed)|\d\. remove p/,
        shows: ["create resourceclaims.resource.k8s.io", "patch pods/status"],
      }),
      part({
        controller: certificateSigningRequestApproving,
        script: certificates,
        shows: ["update certificatesigningrequests.certificates.k8s.io/approval"],
      }),
      part({
        controller: persistentVolumeExpander,
        script: expansion,
        first: 6,
        shows: ["patch persistentvolumeclaims/status"],
      }),
      part({
        controller: serviceCidr,
        script: ranges,
        // A deleted one loses its finalizer ten seconds later on both sides: at the boundary of two rounds that would belong to neither.
        without: /^\d+\. delete ServiceCIDR/,
        shows: ["patch servicecidrs.networking.k8s.io/status", "patch servicecidrs.networking.k8s.io"],
      }),
      part({ controller: rootCaCertificatePublisher, script: published, shows: ["create configmaps"] }),
      part({
        controller: clusterroleAggregation,
        script: published,
        // Leaves the steps about ClusterRoles.
        without: /^\d+\. (create (pod|claim|or change policy)|delete a |set .* in the ConfigMap)/,
        first: 4,
        shows: ["patch clusterroles.rbac.authorization.k8s.io"],
      }),
      part({ controller: ephemeralVolume, script: published, shows: ["create persistentvolumeclaims"] }),
      part({
        controller: validatingAdmissionPolicyStatus,
        script: published,
        shows: ["patch validatingadmissionpolicies.admissionregistration.k8s.io/status"],
      }),
      part({ controller: taintEviction, script: taints, first: 2, shows: ["delete pods"] }),
      part({
        controller: deviceTaintEviction,
        script: devices,
        first: 3,
        shows: ["patch pods/status", "delete pods"],
      }),
      part({ controller: resourcequota, script: quotas, shows: ["update resourcequotas/status"] }),
      part({ controller: serviceaccount, script: accountsDeleted, shows: ["create serviceaccounts"] }),
    ],
    mutants: smallMutants,
  },
]);
