/**
 * In-tree storage plugins migrated to CSI drivers.
 * Source: kubernetes v1.36 staging/src/k8s.io/csi-translation-lib/translate.go, plugins; pkg/volume/csimigration/plugin_manager.go.
 */
import type { PersistentVolume } from "../types.ts";

const drivers: Readonly<Record<string, string>> = {
  "kubernetes.io/aws-ebs": "ebs.csi.aws.com",
  "kubernetes.io/gce-pd": "pd.csi.storage.gke.io",
  "kubernetes.io/azure-file": "file.csi.azure.com",
  "kubernetes.io/azure-disk": "disk.csi.azure.com",
  "kubernetes.io/cinder": "cinder.csi.openstack.org",
  "kubernetes.io/vsphere-volume": "csi.vsphere.vmware.com",
  "kubernetes.io/portworx-volume": "pxd.portworx.com",
};

/** The CSI driver that replaces a plugin; undefined for a plugin without one, and for a driver. */
export function driverOf(plugin: string): string | undefined {
  return drivers[plugin];
}

/** The name of the volume's plugin, if a CSI driver replaces it. */
export function migratedPluginOf({ spec }: PersistentVolume): string | undefined {
  if (spec?.awsElasticBlockStore !== undefined) return "kubernetes.io/aws-ebs";
  if (spec?.gcePersistentDisk !== undefined) return "kubernetes.io/gce-pd";
  if (spec?.azureFile !== undefined) return "kubernetes.io/azure-file";
  if (spec?.azureDisk !== undefined) return "kubernetes.io/azure-disk";
  if (spec?.cinder !== undefined) return "kubernetes.io/cinder";
  if (spec?.vsphereVolume !== undefined) return "kubernetes.io/vsphere-volume";
  return spec?.portworxVolume === undefined ? undefined : "kubernetes.io/portworx-volume";
}
