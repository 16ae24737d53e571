/** Manifests for testing dry-run on a real cluster. */

/** A ReplicaSet of nginx in namespace shop; `more` is appended to its container. It begins on the first line. */
export const replicaSet = (replicas: number, more = ""): string => `apiVersion: apps/v1
kind: ReplicaSet
metadata: {name: web, namespace: shop}
spec:
  replicas: ${replicas}
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: nginx${more}}]}
`;

/** The same ReplicaSet with a Service in front of it. */
export const web = (replicas: number, port = 80): string => `
${replicaSet(replicas)}---
apiVersion: v1
kind: Service
metadata: {name: web, namespace: shop}
spec: {selector: {app: web}, ports: [{port: ${port}}]}
`;

/** A user with permission to read few resources. */
export const reader = `
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: reader, namespace: shop}
rules:
- {apiGroups: [""], resources: [pods, services], verbs: [get, list]}
- {apiGroups: [apps], resources: [replicasets], verbs: [get, list]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: reader, namespace: shop}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: reader}
subjects: [{kind: User, name: reader}]
`;

/** A policy that rejects updates to more than 4 replicas, and a webhook that has no server and is ignored when it fails. */
export const policy = `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: few}
spec:
  matchConstraints:
    resourceRules: [{apiGroups: [apps], apiVersions: [v1], operations: [UPDATE], resources: [replicasets]}]
  validations: [{expression: "object.spec.replicas <= 4", message: too many}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: few}
spec: {policyName: few, validationActions: [Deny]}
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingWebhookConfiguration
metadata: {name: inject}
webhooks:
- name: inject.example.com
  admissionReviewVersions: [v1]
  sideEffects: None
  failurePolicy: Ignore
  timeoutSeconds: 1
  clientConfig: {url: "https://127.0.0.1:1/inject"}
  rules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}]
`;

/** A Deployment of nginx; `more` is appended to its container. */
export function deployment(namespace: string, name: string, replicas: number, more = ""): string {
  return `
apiVersion: apps/v1
kind: Deployment
metadata: {name: ${name}, namespace: ${namespace}}
spec:
  replicas: ${replicas}
  selector: {matchLabels: {app: ${name}}}
  template:
    metadata: {labels: {app: ${name}}}
    spec: {terminationGracePeriodSeconds: 0, containers: [{name: main, image: nginx${more}}]}
`;
}

export const quota = `
apiVersion: v1
kind: ResourceQuota
metadata: {name: few, namespace: quota}
spec: {hard: {pods: "2"}}
`;

/** A webhook without a server: it makes every pod creation in namespace wh fail. */
export const failingWebhook = `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: bad}
webhooks:
- name: bad.example.com
  admissionReviewVersions: [v1]
  sideEffects: None
  failurePolicy: Fail
  timeoutSeconds: 1
  clientConfig: {url: "https://127.0.0.1:1/bad"}
  namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: wh}}
  rules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}]
`;

/** A user who can apply ReplicaSets and Services of a namespace but cannot create pods. */
export const deployer = `
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: deployer, namespace: shop}
rules:
- {apiGroups: ["", apps], resources: [replicasets, services], verbs: [get, list, create, update, patch]}
- {apiGroups: [""], resources: [pods, replicationcontrollers, configmaps], verbs: [get, list]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: deployer, namespace: shop}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: deployer}
subjects: [{kind: User, name: deployer}]
`;

/** A namespace that stays in Terminating once it is deleted. */
export const heldNamespace = `
apiVersion: v1
kind: Namespace
metadata: {name: stuck}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: held, namespace: stuck, finalizers: [a.b/c]}
`;

/** A kind with defaults, also inside list items, and a status subresource. */
export const widgetDefinition = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Widget, plural: widgets, singular: widget}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            x-kubernetes-preserve-unknown-fields: true
            properties:
              colour: {type: string, default: red}
              size: {type: integer}
              ports:
                type: array
                items:
                  type: object
                  properties: {port: {type: integer}, protocol: {type: string, default: TCP}}
          status: {type: object, x-kubernetes-preserve-unknown-fields: true}
`;

/** A Widget \`w\`; \`spec\` as in \`size: 1, tags: [a]\`. */
export const widget = (spec: string): string => `
apiVersion: example.com/v1
kind: Widget
metadata: {name: w, namespace: shop}
spec: {${spec}}
`;

/** A manually created volume for claims of class `by-hand`. */
export const volume = `
apiVersion: v1
kind: PersistentVolume
metadata: {name: by-hand}
spec:
  storageClassName: by-hand
  capacity: {storage: 1Gi}
  accessModes: [ReadWriteOnce]
  hostPath: {path: /nowhere}
`;

/** A pod and its claim, both with this name. */
export const podWithClaim = (name: string, storageClass: string): string => `
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: ${name}, namespace: disks}
spec: {storageClassName: ${storageClass}, accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
---
apiVersion: v1
kind: Pod
metadata: {name: ${name}, namespace: disks}
spec:
  containers: [{name: main, image: nginx}]
  volumes: [{name: data, persistentVolumeClaim: {claimName: ${name}}}]
`;
