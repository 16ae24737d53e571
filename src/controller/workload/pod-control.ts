/**
 * Creates and deletes the pods of an owner, and records Events about it.
 * Source: kubernetes v1.36 pkg/controller/controller_utils.go RealPodControl, GetPodFromTemplate. The texts of Events and errors are
 * upstream's, because people and programs look for them in Events and conditions.
 */
import { messageOf } from "../../api/error-message.ts";
import { objectKey } from "../../api/key.ts";
import { apiVersionOf, type Kind } from "../../api/kind.ts";
import { Pods } from "../../api/kinds.ts";
import type { ObjectMeta, StoredObject, CreateInput } from "../../api/object.ts";
import { controllerOf, controllerReference } from "../../api/owner-references.ts";
import { isNamespaceTerminating, isNotFound } from "../../api/status-error.ts";
import type { Pod, PodTemplateSpec } from "../../api/types.ts";
import type { Consistency } from "../api/consistency.ts";
import type { Decision } from "../api/rule.ts";
import type { SyncContext } from "../api/sync-context.ts";

/** The object that owns the pods; Events are about it. */
export interface PodOwner<O extends StoredObject = StoredObject> {
  readonly kind: Kind<O>;
  readonly object: O;
}

/** A DNS subdomain: at most 253 characters, lower-case labels of letters, digits and dashes, joined by dots. */
const subdomain = /^(?=.{1,253}$)[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/** `web-`, or `web` if the dash would lead to invalid names. */
export function generateNamePrefix(ownerName: string): string {
  // A prefix is validated with its last two characters replaced by one valid letter, because the API server appends to it.
  return subdomain.test(`${ownerName.slice(0, -1)}a`) ? `${ownerName}-` : ownerName;
}

function hasEntries(record: object | undefined): boolean {
  return record !== undefined && Object.keys(record).length > 0;
}

/** Records a write of a pod for its current controller, which then waits until its cache shows it; no-op for a released pod. */
export function podWritten(consistency: Consistency, pod: StoredObject): void {
  const controller = controllerOf(pod);
  if (controller === undefined) return;
  const key = objectKey(pod.metadata.namespace, controller.name);
  consistency.wrote({ key, uid: controller.uid }, Pods, pod.metadata.resourceVersion);
}

/** The request body of a pod made from the owner's template, with fields in the order of the Go types and without empty ones. */
export function podFromTemplate(template: PodTemplateSpec | undefined, owner: PodOwner): CreateInput<Pod> {
  const { labels, annotations, finalizers } = template?.metadata ?? {};
  const metadata: ObjectMeta = {
    generateName: generateNamePrefix(owner.object.metadata.name),
    namespace: owner.object.metadata.namespace ?? "",
    ...(labels !== undefined && hasEntries(labels) && { labels }),
    ...(annotations !== undefined && hasEntries(annotations) && { annotations }),
    ownerReferences: [controllerReference(owner.kind, owner.object)],
    ...(finalizers !== undefined && hasEntries(finalizers) && { finalizers }),
  };
  return {
    kind: Pods.kind,
    apiVersion: apiVersionOf(Pods),
    metadata,
    ...(template?.spec !== undefined && { spec: template.spec }),
    status: {},
  };
}

/**
 * Creates one pod and records an Event about the owner, except for a failure in a namespace that is being deleted. Returns the metadata of
 * the pod.
 * @throws the refusal; Error for a pod without labels, which its owner would not find again.
 */
export async function createPod(
  context: SyncContext,
  pod: CreateInput<Pod>,
  options: { readonly owner: PodOwner; readonly because: Decision },
): Promise<StoredObject> {
  const { owner, because } = options;
  if (!hasEntries(pod.metadata.labels)) throw new Error("unable to create pods, no labels");
  let created: StoredObject;
  try {
    created = await context.client.create(Pods, pod, { because, metadataSuffices: true, signal: context.signal });
  } catch (error) {
    if (!isNamespaceTerminating(error)) {
      const message = `Error creating: ${messageOf(error)}`;
      context.event(owner.kind, owner.object, { type: "Warning", reason: "FailedCreate", message });
    }
    throw error;
  }
  const message = `Created pod: ${created.metadata.name}`;
  context.event(owner.kind, owner.object, { type: "Normal", reason: "SuccessfulCreate", message });
  return created;
}

/**
 * Deletes one pod and records an Event about the owner.
 * @throws the refusal itself, without an Event, if the pod no longer exists; for other failures an Error with the refusal as its cause.
 */
export async function deletePod(
  context: SyncContext,
  pod: Pod,
  options: { readonly owner: PodOwner; readonly because: Decision },
): Promise<void> {
  const { owner, because } = options;
  const { namespace = "", name } = pod.metadata;
  try {
    await context.client.delete(
      Pods,
      { namespace, name },
      { because, basedOn: pod, metadataSuffices: true, signal: context.signal },
    );
  } catch (cause) {
    if (isNotFound(cause)) throw cause;
    const why = messageOf(cause);
    context.event(owner.kind, owner.object, {
      type: "Warning",
      reason: "FailedDelete",
      message: `Error deleting: ${why}`,
    });
    throw new Error(`unable to delete pods: ${why}`, { cause });
  }
  context.event(owner.kind, owner.object, {
    type: "Normal",
    reason: "SuccessfulDelete",
    message: `Deleted pod: ${name}`,
  });
}
