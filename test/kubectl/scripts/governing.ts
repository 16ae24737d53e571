/** Objects that govern a cluster: certificates, quotas, policies; and kinds with special columns and descriptions. */
import type { Script } from "../script.ts";
import { pod, settings } from "./manifests.ts";

const request =
  "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlIYU1JR0JBZ0VBTUI4eERqQU1CZ05WQkFvTUJYTjBZV1ptTVEwd0N3WURWUVFEREFScVlXNWxNRmt3RXdZSApLb1pJemowQ0FRWUlLb1pJemowREFRY0RRZ0FFVmV3L0hKL0pVK1FHdVYyV2tZWVVwUWNsdGY3czhVajFrZ3VPCnRMTVd4VElMcUhCdmUvMkk2TUllZDc5d1lZNUFzdXd2bUhQdWxBK1ltcXJsU3JSZy9xQUFNQW9HQ0NxR1NNNDkKQkFNQ0EwZ0FNRVVDSVFDVDdwUEtVOEp1Wmhvd1B2N0YzTGVsKysxZExkRElIdURpSG9HalJsK1YzQUlnSFZmcQp6eUhMTGM1YUw3MFh3eUxoN0FHNXhNYXFWZHVDa1pPemY1RVRvbjg9Ci0tLS0tRU5EIENFUlRJRklDQVRFIFJFUVVFU1QtLS0tLQo=";

const requestNamed = (name: string, more = ""): string => `
apiVersion: certificates.k8s.io/v1
kind: CertificateSigningRequest
metadata: {name: ${name}}
spec: {request: ${request}, signerName: example.com/own, usages: [digital signature, client auth]${more}}
`;

const certifying: Script = {
  name: "certifying",
  files: {
    "a.yaml": requestNamed("certifying-a", ", expirationSeconds: 3600"),
    "b.yaml": requestNamed("certifying-b"),
    "bad.yaml": requestNamed("certifying-bad").replace(request, "bm90aGluZw=="),
  },
  commands: [
    "create -f a.yaml -f b.yaml",
    "create -f bad.yaml",
    "get csr certifying-a certifying-b",
    "get csr --field-selector=spec.signerName=example.com/own -o wide",
    "describe csr certifying-a",
    "certificate approve certifying-a",
    "certificate approve certifying-a",
    "certificate deny certifying-a",
    "certificate deny certifying-b",
    "certificate approve certifying-none",
    "certificate approve -f b.yaml",
    "get csr certifying-a certifying-b",
    "get csr certifying-a -o jsonpath={.status.conditions[*].reason}",
    `patch csr certifying-a --type=merge -p '{"spec":{"signerName":"example.com/other"}}'`,
    "describe csr certifying-b",
    "delete csr certifying-a certifying-b",
  ],
};

const limiting: Script = {
  name: "limiting",
  files: {
    "quota.yaml": `
apiVersion: v1
kind: ResourceQuota
metadata: {name: small}
spec: {hard: {configmaps: "2", pods: "2", requests.cpu: "1", services.nodeports: "0"}}
`,
    "limits.yaml": `
apiVersion: v1
kind: LimitRange
metadata: {name: sizes}
spec:
  limits:
    - {type: Container, default: {cpu: 200m}, defaultRequest: {cpu: 100m}, max: {cpu: 800m}, min: {cpu: 10m}}
    - {type: PersistentVolumeClaim, max: {storage: 1Gi}}
`,
    "pod.yaml": pod("one"),
    "settings.yaml": settings,
    "claim.yaml": `
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: large}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 2Gi}}}
`,
    "small-claim.yaml": `
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: small}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 512Mi}}}
`,
    "larger-pod.yaml": `
apiVersion: v1
kind: Pod
metadata: {name: larger}
spec:
  initContainers:
    - {name: prepare, image: i, resources: {requests: {cpu: 100m, memory: 1Gi}, limits: {cpu: 200m, memory: 1Gi}}}
  containers:
    - {name: a, image: i, resources: {requests: {cpu: 200m, memory: 1Gi}, limits: {cpu: 400m, memory: 1Gi}}}
    - {name: b, image: i, resources: {requests: {cpu: 200m, memory: 1Gi}, limits: {cpu: 400m, memory: 1Gi}}}
`,
    "policy.yaml": `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: limiting-names}
spec:
  matchConstraints:
    namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: limiting}}
    resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [secrets]}]
  validations: [{expression: "object.metadata.name.startsWith('x')", message: names begin with x}]
`,
    "wrong-policy.yaml": `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: limiting-wrong}
spec:
  matchConstraints:
    resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [secrets]}]
  validations: [{expression: "object.metadata.name +"}]
`,
  },
  commands: [
    "create -f quota.yaml -f limits.yaml",
    "describe limits sizes",
    "describe quota small",
    "get quota,limits",
    `patch quota small --subresource=status --type=merge -p '{"status":{"hard":{"configmaps":"2","pods":"2"},"used":{"configmaps":"2","pods":"0"}}}'`,
    "describe quota small",
    "describe ns limiting",
    "create cm first",
    "create -f settings.yaml",
    'run too-large --image=nginx --overrides=\'{"spec":{"containers":[{"name":"c","image":"i","resources":{"limits":{"cpu":"2"}}}]}}\'',
    "create -f pod.yaml",
    "get pod one -o jsonpath={.spec.containers[0].resources}",
    "create -f claim.yaml",
    "create -f small-claim.yaml",
    `patch limits sizes --type=merge -p '{"spec":{"limits":[{"type":"PersistentVolumeClaim","min":{"storage":"1Gi"}},{"type":"Pod","max":{"cpu":"500m"},"maxLimitRequestRatio":{"memory":"2"}}]}}'`,
    "label pvc small a=b",
    "create -f larger-pod.yaml",
    `patch limits sizes --type=merge -p '{"spec":{"limits":[{"type":"Container","maxLimitRequestRatio":{"cpu":"1.5"}}]}}'`,
    "create -f larger-pod.yaml",
    "delete limits sizes",
    "get quota small",
    "label ns limiting pod-security.kubernetes.io/enforce=restricted pod-security.kubernetes.io/warn=restricted",
    "run root --image=nginx",
    "create deployment root --image=nginx --dry-run=server",
    "label ns limiting pod-security.kubernetes.io/enforce=wrong --overwrite",
    "create -f policy.yaml",
    "create -f wrong-policy.yaml",
    "get validatingadmissionpolicies limiting-names",
    "describe validatingadmissionpolicy limiting-names",
    "delete validatingadmissionpolicy limiting-names",
    "create priorityclass system-limiting --value=1",
    "create priorityclass limiting --value=2000000000",
  ],
};

const kinds: Script = {
  name: "kinds",
  files: {
    "cluster.yaml": `
apiVersion: storage.k8s.io/v1
kind: CSIDriver
metadata: {name: kinds.example.com}
spec: {attachRequired: false, podInfoOnMount: true}
---
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: kinds-slow}
provisioner: kinds.example.com
parameters: {type: slow}
allowVolumeExpansion: true
volumeBindingMode: WaitForFirstConsumer
---
apiVersion: v1
kind: PersistentVolume
metadata: {name: kinds-disk}
spec:
  capacity: {storage: 1Gi}
  accessModes: [ReadWriteOnce]
  storageClassName: kinds-slow
  csi: {driver: kinds.example.com, volumeHandle: h}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: kinds-hook}
webhooks: []
---
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: kinds-device}
spec: {selectors: [{cel: {expression: "device.driver == 'kinds.example.com'"}}]}
---
apiVersion: node.k8s.io/v1
kind: RuntimeClass
metadata: {name: kinds-runtime}
handler: fast
---
apiVersion: networking.k8s.io/v1
kind: IngressClass
metadata: {name: kinds-ingress}
spec: {controller: example.com/ingress}
`,
    "own.yaml": `
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: claim}
spec: {accessModes: [ReadWriteOnce], storageClassName: kinds-slow, resources: {requests: {storage: 1Gi}}}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: device}
spec: {devices: {requests: [{name: d, exactly: {deviceClassName: kinds-device}}]}}
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: wall}
spec:
  podSelector: {matchLabels: {app: db}}
  policyTypes: [Ingress, Egress]
  ingress: [{from: [{podSelector: {matchLabels: {app: web}}}, {ipBlock: {cidr: 10.0.0.0/8, except: [10.1.0.0/16]}}], ports: [{port: 5432}]}]
---
apiVersion: coordination.k8s.io/v1
kind: Lease
metadata: {name: lock}
spec: {holderIdentity: me, leaseDurationSeconds: 15}
---
apiVersion: batch/v1
kind: Job
metadata: {name: indexed}
spec:
  completions: 3
  parallelism: 2
  completionMode: Indexed
  backoffLimitPerIndex: 1
  template: {spec: {restartPolicy: Never, containers: [{name: c, image: i}]}}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db}
spec:
  serviceName: db
  selector: {matchLabels: {app: db}}
  template: {metadata: {labels: {app: db}}, spec: {containers: [{name: c, image: i, volumeMounts: [{name: data, mountPath: /d}]}]}}
  volumeClaimTemplates: [{metadata: {name: data}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}]
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: grow}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: StatefulSet, name: db}
  minReplicas: 2
  maxReplicas: 9
  metrics: [{type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 50}}}]
  behavior: {scaleDown: {stabilizationWindowSeconds: 10, policies: [{type: Pods, value: 1, periodSeconds: 5}]}}
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: ends, labels: {kubernetes.io/service-name: db}}
addressType: IPv4
ports: [{name: sql, port: 5432}]
endpoints: [{addresses: [10.9.8.7], conditions: {ready: true}, nodeName: n}]
`,
  },
  commands: [
    "create -f cluster.yaml",
    "create -f own.yaml",
    "get -f cluster.yaml",
    "get -f own.yaml",
    "get -f own.yaml -o wide",
    "describe -f cluster.yaml",
    "describe -f own.yaml",
    `patch job indexed --subresource=status --type=merge -p '{"status":{"active":2,"startTime":"2026-01-01T00:00:00Z","completedIndexes":"0"}}'`,
    "get job indexed",
    "describe job indexed",
    `patch pvc claim --subresource=status --type=merge -p '{"status":{"phase":"Bound","capacity":{"storage":"1Gi"},"accessModes":["ReadWriteOnce"]}}'`,
    `patch pvc claim --type=merge -p '{"spec":{"volumeName":"kinds-disk"}}'`,
    "get pvc claim -o wide",
    `patch hpa grow --subresource=status --type=merge -p '{"status":{"currentReplicas":3,"desiredReplicas":4,"currentMetrics":[{"type":"Resource","resource":{"name":"cpu","current":{"averageUtilization":40,"averageValue":"20m"}}}]}}'`,
    "get hpa grow",
    "describe hpa grow",
    `patch sts db --type=merge -p '{"spec":{"serviceName":"other"}}'`,
    `patch job indexed --type=merge -p '{"spec":{"completions":4}}'`,
    `patch sc kinds-slow --type=merge -p '{"provisioner":"other.example.com"}'`,
    `patch pv kinds-disk --type=merge -p '{"spec":{"csi":{"volumeHandle":"x"}}}'`,
    `patch pvc claim --type=merge -p '{"spec":{"resources":{"requests":{"storage":"512Mi"}}}}'`,
    "delete -f own.yaml --wait=false",
    "delete -f cluster.yaml --wait=false",
    `patch pv kinds-disk --type=merge -p '{"metadata":{"finalizers":null}}'`,
  ],
};

export const governing: readonly Script[] = [certifying, limiting, kinds];
