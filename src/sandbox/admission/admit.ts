/**
 * The API server's built-in admission, in its plugin order. Source: kubernetes v1.36 pkg/kubeapiserver/options/plugins.go
 * AllOrderedPlugins.
 */
import { child, nameOrGenerateName, type ApiObject } from "../meta/object.ts";
import type { RequestScope } from "../context/server.ts";
import type { AdmissionAttributes, Attributes, DeleteAttributes, UpdateAttributes } from "../context/attributes.ts";
import type { Steps } from "../meta/steps.ts";
import { connectAttributes, deleteAttributes, writeAttributes } from "./attributes.ts";
import { admitIntoNamespace } from "./namespace-lifecycle.ts";
import { admitResize } from "./claim-resize.ts";
import { checkSigningRequest } from "./certificates.ts";
import { admitNode, admitRuntimeClass, checkOverhead } from "./cluster-defaults.ts";
import { admitIngressClass, admitStorageClass } from "./default-class.ts";
import { checkLimits, setDefaultLimits, setResizedLimits } from "./limit-ranger.ts";
import { admitPodSecurity } from "./pod-security/admit.ts";
import { admitPodResize } from "./pod-resize.ts";
import { admitPriority, checkDefaultClass } from "./priority.ts";
import { protect } from "./protection.ts";
import { admitQuota } from "./quota/admit.ts";
import { admitServiceAccount, admitTolerations } from "./service-account.ts";
import { warnOfMetrics } from "./simulated-metrics.ts";
import { admitTopologyLabels } from "./topology-labels.ts";
import { hasPolicies } from "./policy/configured.ts";
import { mutateByPolicies, mutatingPolicies } from "./policy/mutating.ts";
import { validateByPolicies } from "./policy/validating.ts";
import { hasHooks } from "./webhook/configurations.ts";
import { callMutating, mutatingCalls } from "./webhook/mutating.ts";
import { callValidating } from "./webhook/validating.ts";

/**
 * Mutating admission of a create or an update: may change the object. A new object may not have a name yet: names are generated afterwards.
 * @throws StatusError, mostly 403.
 */
export function* mutatingAdmission(attributes: Attributes): Steps<void> {
  admitBuiltIn(attributes);
  if (attributes.shownAs === undefined) yield* mutatingHooks(attributes, () => admitBuiltIn(attributes));
}

/**
 * Mutating policies and webhooks, in plugin order. If one of them changed the object, the built-in plugins run again, and then the policies
 * and webhooks that request reinvocation. Source: apiserver v0.36 admission/reinvocation.go.
 */
export function* mutatingHooks(attributes: Attributes, plugins: () => void = () => undefined): Steps<void> {
  if (!hasHooks(attributes.scope, "mutating") && !hasPolicies(attributes.scope, "mutating")) return;
  yield* mutatingRounds(writeAttributes(attributes), plugins);
}

function* mutatingRounds(attributes: AdmissionAttributes, plugins: () => void = () => undefined): Steps<void> {
  const [policies, calls] = [mutatingPolicies(), mutatingCalls()];
  const first = { isReinvoke: false, shouldReinvoke: false };
  yield* mutateByPolicies(attributes, { policies, reinvocation: first });
  yield* callMutating(attributes, calls, first);
  if (!first.shouldReinvoke) return;
  plugins();
  const second = { isReinvoke: true, shouldReinvoke: false };
  yield* mutateByPolicies(attributes, { policies, reinvocation: second });
  yield* callMutating(attributes, calls, second);
}

/**
 * Validating admission of a create or an update: changes nothing. Returns a function that charges quotas for the object; call it once
 * nothing else can reject the write. @throws StatusError, mostly 403.
 */
export function* validatingAdmission(attributes: Attributes): Steps<() => void> {
  validateBuiltIn(attributes);
  yield* validatingHooks(attributes);
  return admitQuota(attributes);
}

/** Validating policies and webhooks, in plugin order. @throws StatusError, mostly 403. */
export function* validatingHooks(attributes: Attributes): Steps<void> {
  const { scope, object, old, shownAs = itself } = attributes;
  if (!hasHooks(scope, "validating") && !hasPolicies(scope, "validating")) return;
  const admissionAttributes = writeAttributes({
    scope,
    object: shownAs(object),
    old: old === undefined ? undefined : shownAs(old),
  });
  yield* validateByPolicies(admissionAttributes);
  yield* callValidating(admissionAttributes);
}

const itself = (object: ApiObject): ApiObject => object;

/** True if a policy or a webhook may match the request. */
export const hasAdmissionHooks = (scope: RequestScope): boolean =>
  (["mutating", "validating"] as const).some((type) => hasHooks(scope, type) || hasPolicies(scope, type));

/** Admission of requests whose object is not stored: an Eviction, a Binding, a review. @throws StatusError, mostly 403. */
export function* requestAdmission(attributes: Attributes): Steps<void> {
  admitRequest(attributes.scope, attributes.object.metadata.name ?? attributes.scope.name);
  yield* mutatingHooks(attributes);
  yield* validatingHooks(attributes);
}

/** A create, and a request that stores nothing itself, needs an active namespace. @throws StatusError 403, 404. */
export function admitRequest(scope: RequestScope, name: string): void {
  if (scope.server.admission.has("NamespaceLifecycle")) admitIntoNamespace(scope, name);
}

/** Admission of a deletion. @throws StatusError, mostly 403. */
export function* deletionAdmission(attributes: DeleteAttributes): Steps<void> {
  const { scope } = attributes;
  if (!hasAdmissionHooks(scope)) return;
  const admissionAttributes = deleteAttributes(attributes);
  // Mutating policies do not see deletions; mutating webhooks do, but may change nothing.
  yield* callMutating(admissionAttributes, mutatingCalls(), { isReinvoke: false, shouldReinvoke: false });
  yield* validateByPolicies(admissionAttributes);
  yield* callValidating(admissionAttributes);
}

/** Admission of a connection with these options, which webhooks and policies may change. @throws StatusError, mostly 403. */
export function* connectAdmission(scope: RequestScope, options: ApiObject): Steps<void> {
  if (!hasAdmissionHooks(scope)) return;
  const attributes = connectAttributes(scope, options);
  yield* mutatingRounds(attributes);
  yield* validateByPolicies(attributes);
  yield* callValidating(attributes);
}

function admitBuiltIn({ scope, object, old }: Attributes): void {
  if (old === undefined) admitCreate(scope, object);
  else admitUpdate({ scope, object, old });
}

function validateBuiltIn({ scope, object, old }: Attributes): void {
  const { server, resource, subresource } = scope;
  const plugins = server.admission;
  checkLimits({ scope, object, old });
  admitPodSecurity({ scope, object, old });
  warnOfMetrics({ scope, object, old });
  switch (resource.storage) {
    case "priorityclasses.scheduling.k8s.io":
      if (plugins.has("Priority")) checkDefaultClass({ scope, object, old });
      break;
    case "certificatesigningrequests.certificates.k8s.io":
      checkSigningRequest({ scope, object, old });
      break;
    case "persistentvolumeclaims":
      if (old !== undefined && plugins.has("PersistentVolumeClaimResize")) admitResize({ scope, object, old });
      break;
    case "pods":
      if (old === undefined && plugins.has("RuntimeClass")) checkOverhead(scope, object);
      if (old !== undefined && subresource !== "status") admitPodResize({ scope, object, old });
      break;
    default:
  }
}

function admitUpdate({ scope, object, old }: UpdateAttributes): void {
  if (scope.resource.storage !== "pods") return;
  const plugins = scope.server.admission;
  if (scope.subresource === "resize" && plugins.has("LimitRanger")) setResizedLimits({ scope, object, old });
  if (scope.subresource !== "") return;
  if (plugins.has("DefaultTolerationSeconds")) admitTolerations(object);
  if (!plugins.has("Priority")) return;
  // A pod keeps the priority that it was admitted with.
  const spec = child(object, "spec");
  for (const key of ["priority", "preemptionPolicy"]) {
    if (spec[key] === undefined && old.spec?.[key] !== undefined) spec[key] = old.spec[key];
  }
}

function admitCreate(scope: RequestScope, object: ApiObject): void {
  const plugins = scope.server.admission;
  admitRequest(scope, nameOrGenerateName(object));
  switch (scope.resource.storage) {
    case "nodes":
      if (plugins.has("TaintNodesByCondition")) admitNode(object);
      break;
    case "persistentvolumeclaims":
      if (plugins.has("DefaultStorageClass")) admitStorageClass(scope, object);
      break;
    case "ingresses.networking.k8s.io":
      if (plugins.has("DefaultIngressClass")) admitIngressClass(scope, object);
      break;
    case "pods":
      if (plugins.has("ServiceAccount")) admitServiceAccount(scope, object);
      if (plugins.has("DefaultTolerationSeconds")) admitTolerations(object);
      if (plugins.has("Priority")) admitPriority(scope, object);
      if (plugins.has("RuntimeClass")) admitRuntimeClass(scope, object);
      if (plugins.has("PodTopologyLabels")) admitTopologyLabels(scope.server, object);
      if (plugins.has("LimitRanger")) setDefaultLimits(scope, object);
      break;
    default:
  }
  if (plugins.has("StorageObjectInUseProtection")) protect(scope.resource.storage, object);
}
