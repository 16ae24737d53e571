/**
 * Claims with a class that no volume suits: a provisioner creates a volume for them.
 * Source: kubernetes v1.36 pkg/controller/volume/persistentvolume/pv_controller.go provisionClaim, findProvisionablePlugin;
 * pv_controller_base.go setClaimProvisioner.
 */
import { messageOf } from "../../api/error-message.ts";
import { PersistentVolumeClaims, StorageClasses } from "../../api/kinds.ts";
import type { PersistentVolumeClaim, StorageClass } from "../../api/types.ts";
import { driverOf } from "../../api/storage/migrated-plugins.ts";
import { bindingAnnotations as annotations, classOfClaim } from "../../api/storage/volume-binding.ts";
import type { Because, SyncContext } from "../../controller/api/sync-context.ts";
import { isInTree, migratedAnnotations } from "./migration.ts";
import { cannotProvision, provisionExternally } from "./rules.ts";
import { updateClaim } from "./writes.ts";

/** The plugin that kube-controller-manager has for tests; it provisions only with a flag. */
const hostPath = "kubernetes.io/host-path";
/** A plugin that provisions nothing. */
const nfs = "kubernetes.io/nfs";

/** Annotates the claim with its provisioner, or reports in an Event why not. @throws the API server's refusal. */
export async function provision(context: SyncContext, claim: PersistentVolumeClaim): Promise<void> {
  const name = classOfClaim(claim);
  const storageClass = context.cache(StorageClasses).get(name);
  if (storageClass === undefined)
    return fail(context, { claim, error: `storageclass.storage.k8s.io "${name}" not found` });
  const { provisioner } = storageClass;
  const driver = driverOf(provisioner);
  if (driver === undefined && isInTree(provisioner)) {
    if (provisioner === hostPath) return provisionOnHost(context, { claim, storageClass });
    const matched = provisioner === nfs ? "no provisionable volume plugin matched" : undefined;
    return fail(context, { claim, error: matched ?? `no volume plugin matched name: ${provisioner}` });
  }
  const external = driver ?? provisioner;
  const because = context.decide(provisionExternally, { storageClass: name, provisioner: external });
  const named = await nameProvisioner(context, { claim, provisioner: external, because }).catch((error: unknown) => {
    const message = `Error saving claim: ${messageOf(error)}`;
    context.event(PersistentVolumeClaims, claim, { type: "Warning", reason: "ProvisioningFailed", message });
    throw error;
  });
  const message =
    `Waiting for a volume to be created either by the external provisioner '${external}' or manually by the system ` +
    "administrator. If volume creation is delayed, please verify that the provisioner is running and correctly registered.";
  context.event(PersistentVolumeClaims, named, { type: "Normal", reason: "ExternalProvisioning", message });
}

/** Source: pv_controller.go provisionClaimOperation; pkg/volume/hostpath/host_path.go NewProvisioner. */
async function provisionOnHost(
  context: SyncContext,
  { claim, storageClass }: { readonly claim: PersistentVolumeClaim; readonly storageClass: StorageClass },
): Promise<void> {
  const { mountOptions = [] } = storageClass;
  if (claim.spec?.dataSource !== undefined) {
    const why = "is not a CSI plugin. Only CSI plugin can provision a claim with a datasource";
    return fail(context, { claim, error: `plugin "${hostPath}" ${why}` });
  }
  const error =
    mountOptions.length > 0
      ? `Mount options are not supported by the provisioner but StorageClass "${storageClass.metadata.name}" has mount options [${mountOptions.join(" ")}]`
      : `Failed to create provisioner: provisioning in volume plugin "${hostPath}" is disabled`;
  const because = context.decide(cannotProvision, { error });
  const named = await nameProvisioner(context, { claim, provisioner: hostPath, because });
  context.event(PersistentVolumeClaims, named, { type: "Warning", reason: "ProvisioningFailed", message: error });
}

interface Failure {
  readonly claim: PersistentVolumeClaim;
  readonly error: string;
}

function fail(context: SyncContext, { claim, error }: Failure): void {
  context.decide(cannotProvision, { error });
  context.event(PersistentVolumeClaims, claim, { type: "Warning", reason: "ProvisioningFailed", message: error });
}

async function nameProvisioner(
  context: SyncContext,
  { claim, provisioner, because }: Because & { readonly claim: PersistentVolumeClaim; readonly provisioner: string },
): Promise<PersistentVolumeClaim> {
  if (claim.metadata.annotations?.[annotations.storageProvisioner] === provisioner) return claim;
  const named = {
    ...claim.metadata.annotations,
    [annotations.betaStorageProvisioner]: provisioner,
    [annotations.storageProvisioner]: provisioner,
  };
  const next = migratedAnnotations(named, provisioner) ?? named;
  return updateClaim(context, {
    before: claim,
    next: { ...claim, metadata: { ...claim.metadata, annotations: next } },
    because,
  });
}
