/** What a pod refers to and needs to start: ConfigMaps, Secrets, claims of volumes and devices, its ServiceAccount. */
import { type Kind } from "../api/kind.ts";
import { isControlledBy, meantBy, type PodClaim, podClaimsOf } from "../api/device-claims.ts";
import { PersistentVolumeClaims, ResourceClaims, ResourceClaimTemplates, ServiceAccounts } from "../api/kinds.ts";
import { claimNamesOf } from "../api/pod-claims.ts";
import { configurationOfContainer, configurationOfVolume, isNeeded } from "../api/pod-configuration.ts";
import type { Container, PersistentVolumeClaim, Pod, PodSpec } from "../api/types.ts";
import type { Unseen } from "../verdict/verdict.ts";
import { type Finding, findingsOf, type Item } from "./diagnosis.ts";
import { lackOfDevices } from "./device-claims.ts";
import type { Look } from "./look.ts";
import { isPending, unboundCause } from "./unbound-claims.ts";

interface References {
  readonly findings: readonly Finding[];
  readonly unseen: readonly Unseen[];
  /** No scheduler tries the pod, nor reports that, before its claims of devices are there. */
  readonly isHeld?: true;
}

const none: References = { findings: [], unseen: [] };

interface Reference {
  readonly kind: Kind;
  readonly name: string;
}

/**
 * Missing objects, and claims that are not bound. `creating`: the containers are about to be created, so that all
 * references count.
 */
export function missingReferences(look: Look, { object }: Item, creating: boolean): References {
  const pod: Pod = object;
  const namespace = pod.metadata.namespace ?? "";
  const findings: Finding[] = [];
  const unseen: Unseen[] = [];
  for (const name of claimNamesOf(pod)) {
    const at = { kind: PersistentVolumeClaims, namespace, name };
    const claim = look.get(PersistentVolumeClaims, namespace, name);
    if (claim.is === "missing") findings.push({ at, why: "there is no such claim" });
    else if (claim.is === "unseen") unseen.push(claim.unseen);
    // A claim that is bound once the pod has a node does not hold it back.
    else if (creating || !waitsForPod(look, claim.object)) {
      const diagnosis = look.diagnose({ kind: PersistentVolumeClaims, object: claim.object });
      if (diagnosis !== undefined) findings.push(...findingsOf(diagnosis));
    }
  }
  const devices = deviceFindings(look, pod);
  findings.push(...devices.findings);
  unseen.push(...devices.unseen);
  for (const { kind, name } of creating ? namedBy(pod.spec) : []) {
    const found = look.exists(kind, namespace, name);
    if (found.is === "missing") {
      findings.push({ at: { kind, namespace, name }, why: `there is no such ${kind.kind}, but the pod refers to it` });
    }
    if (found.is === "unseen") unseen.push(found.unseen);
  }
  return { findings, unseen, ...(devices.isHeld === true && { isHeld: true }) };
}

function waitsForPod(look: Look, claim: PersistentVolumeClaim): boolean {
  return isPending(claim) && unboundCause(look, claim)?.waitsFor !== undefined;
}

/** ResourceClaims that are missing, not for this pod, or can never be allocated. An unallocated claim is covered by the pod's scheduling. */
function deviceFindings(look: Look, pod: Pod): References {
  const namespace = pod.metadata.namespace ?? "";
  const all = podClaimsOf(pod).map((entry): References => {
    const meant = meantBy(pod, entry);
    if (meant.is === "not-created") return templateFindings(look, { namespace, entry });
    if (meant.is !== "named") return none;
    const claim = look.get(ResourceClaims, namespace, meant.name);
    if (claim.is === "unseen") return { findings: [], unseen: [claim.unseen] };
    const at = { kind: ResourceClaims, namespace, name: meant.name };
    const only = (why: string): References => ({ findings: [{ at, why }], unseen: [], isHeld: true });
    if (claim.is === "missing") return only("there is no such ResourceClaim, but the pod refers to it");
    const { object } = claim;
    if (object.metadata.deletionTimestamp !== undefined)
      return only("it is being deleted, and the pod waits for another of its name");
    if (meant.isGenerated && !isControlledBy(object, pod)) return only("it was not created for this pod");
    return object.status?.allocation === undefined
      ? lackOfDevices(look, { kind: ResourceClaims, object })
      : { findings: [], unseen: [] };
  });
  return {
    findings: all.flatMap(({ findings }) => findings),
    unseen: all.flatMap(({ unseen }) => unseen),
    ...(all.some(({ isHeld }) => isHeld) && { isHeld: true }),
  };
}

function templateFindings(
  look: Look,
  { namespace, entry }: { readonly namespace: string; readonly entry: PodClaim },
): References {
  const name = entry.resourceClaimTemplateName ?? "";
  const at = { kind: ResourceClaimTemplates, namespace, name };
  const template = look.get(ResourceClaimTemplates, namespace, name);
  if (template.is === "unseen") return { findings: [], unseen: [template.unseen] };
  const why =
    template.is === "missing"
      ? "there is no such ResourceClaimTemplate, but the pod refers to it"
      : `the controller resourceclaim has to create a ResourceClaim from it for ${entry.name}`;
  return { findings: [{ at, why }], unseen: [], isHeld: true };
}

function namedBy(spec: PodSpec | undefined): readonly Reference[] {
  const all: Reference[] = [
    ...(spec?.volumes ?? []).flatMap(configurationOfVolume).filter(isNeeded),
    ...containersOf(spec).flatMap(configurationOfContainer).filter(isNeeded),
  ];
  if ((spec?.serviceAccountName ?? "") !== "") {
    all.push({ kind: ServiceAccounts, name: spec?.serviceAccountName ?? "" });
  }
  return [...new Map(all.map((each) => [`${each.kind.kind} ${each.name}`, each])).values()];
}

function containersOf(spec: PodSpec | undefined): readonly Container[] {
  return [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])];
}
