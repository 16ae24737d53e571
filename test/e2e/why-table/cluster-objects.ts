/** Objects of the table that belong to no workload: RBAC, webhooks, CRDs, owner references. */
import { type Hand, type Json, widgets } from "./row.ts";

const rbac = { apiVersion: "rbac.authorization.k8s.io/v1" };

/** A Role or ClusterRole. */
export function role(kind: string, name: string, rules: readonly Json[] = []): Json {
  return { ...rbac, kind, metadata: { name }, rules };
}

/** A RoleBinding or ClusterRoleBinding: binds a Role or ClusterRole to a user. */
export function binding(
  kind: string,
  name: string,
  given: { readonly role: readonly [kind: string, name: string]; readonly user?: string },
): Json {
  const [roleKind, roleName] = given.role;
  return {
    ...rbac,
    kind,
    metadata: { name },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: roleKind, name: roleName },
    subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: given.user ?? "nobody" }],
  };
}

/** A configuration of one webhook, by default for a kind that does not exist. */
export function webhook(
  kind: "ValidatingWebhookConfiguration" | "MutatingWebhookConfiguration",
  name: string,
  { service, ...more }: Json & { readonly service: Json },
): Json {
  const rule = { apiGroups: ["nope.example.com"], apiVersions: ["v1"], operations: ["CREATE"], resources: ["nopes"] };
  const rest = { failurePolicy: "Ignore", sideEffects: "None", admissionReviewVersions: ["v1"], rules: [rule] };
  return {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind,
    metadata: { name },
    webhooks: [{ name: `${name}.example.com`, clientConfig: { service }, ...rest, ...more }],
  };
}

/** A CRD in group example.com, with a status subresource. */
export function definition(plural: string, kind: string, version = "v1"): Json {
  const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.example.com` },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural, singular: plural.slice(0, -1), kind },
      versions: [{ name: version, served: true, storage: true, schema, subresources: { status: {} } }],
    },
  };
}

/** Metadata of an object that the widget controls. */
export async function ofWidget(hand: Hand, name: string): Promise<{ readonly ownerReferences: readonly Json[] }> {
  const uid = await hand.uidOf(`${widgets}/${name}`);
  return { ownerReferences: [{ apiVersion: "example.com/v1", kind: "Widget", name, uid, controller: true }] };
}
