/** The rules of the simulated provisioner. */
import { type Facts, type Rule, rule } from "../../controller/api/rule.ts";

interface ProvisionFacts extends Facts {
  readonly provisioner: string;
  readonly size: string;
}

/** A claim gets its own volume. */
export const provision: Rule<ProvisionFacts> = rule<ProvisionFacts>({
  id: "provision",
  looksAt: [
    "the annotation volume.kubernetes.io/storage-provisioner",
    "spec.volumeName",
    "StorageClasses: provisioner, reclaimPolicy, mountOptions",
  ],
  chooses: "A claim that names the provisioner of its class, and no volume, gets one of the size that it requests.",
  sentence: ({ provisioner, size }) => `it waits for ${provisioner} → create a volume of ${size}`,
  example: { provisioner: "volumes.sandbox.kubectl-reconcile.io", size: "1Gi" },
});

interface RemoveFacts extends Facts {
  readonly provisioner: string;
}

/** A released volume is deleted. */
export const remove: Rule<RemoveFacts> = rule<RemoveFacts>({
  id: "remove",
  looksAt: ["status.phase", "spec.persistentVolumeReclaimPolicy", "the annotation pv.kubernetes.io/provisioned-by"],
  chooses: "A volume that was created for a claim is deleted when it is Released and its policy is Delete.",
  sentence: ({ provisioner }) => `provisioned by ${provisioner}, released, policy Delete → delete it`,
  example: { provisioner: "volumes.sandbox.kubectl-reconcile.io" },
});

/** All of them. */
export const rules: readonly Rule[] = [provision, remove];
