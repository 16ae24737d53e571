/**
 * What users see with kubectl in a living cluster: Services whose endpoints follow readiness, a node that falls silent, bound claims,
 * quotas, budgets that block a drain, tokens, certificates, device claims. A command whose output depends on progress first waits for it.
 */
import { certificateRequest, type RequestParts } from "../../support/certificate-request.ts";
import type { Script } from "../script.ts";

/** A StatefulSet, because the names of its pods are known. `pod` is the rest of its pods' spec, in YAML flow style. */
function statefulSet(name: string, replicas: number, pod: string): string {
  return `
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: ${name}}
spec:
  replicas: ${replicas}
  serviceName: ${name}
  podManagementPolicy: Parallel
  selector: {matchLabels: {app: ${name}}}
  template: {metadata: {labels: {app: ${name}}}, spec: {terminationGracePeriodSeconds: 1, ${pod}}}
`;
}

/** Two simulated nodes only for pods of this pool, so that no pods of other scripts run on them. */
function nodesOf(pool: string, [one, two]: readonly [string, string]): string {
  const node = (name: string): string => `
apiVersion: v1
kind: Node
metadata:
  name: ${name}
  labels: {kubernetes.io/hostname: ${name}, pool: ${pool}}
  annotations: {sandbox.kubectl-reconcile.io/node: simulated}
spec: {taints: [{key: pool, value: ${pool}, effect: NoSchedule}]}
`;
  return [node(one), node(two)].join("---");
}

/** The spec of a pod of a pool, on this node if possible. The pod tolerates the loss of its node for 20 s. */
function inPool(pool: string, preferred: string): string {
  const lost = ["not-ready", "unreachable"].map(
    (key) => `{key: node.kubernetes.io/${key}, operator: Exists, effect: NoExecute, tolerationSeconds: 20}`,
  );
  const expression = (key: string, value: string): string =>
    `{matchExpressions: [{key: ${key}, operator: In, values: [${value}]}]}`;
  return `
    tolerations: [{key: pool, value: ${pool}}, ${lost.join(", ")}],
    affinity: {nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [${expression("pool", pool)}]},
      preferredDuringSchedulingIgnoredDuringExecution: [{weight: 100, preference: ${expression("kubernetes.io/hostname", preferred)}}]}},
    containers: [{name: main, image: nginx}]`;
}

const slice = "endpointslice -l kubernetes.io/service-name=web";
const ofOne = '.endpoints[?(@.targetRef.name=="web-1")].conditions';

const endpoints: Script = {
  name: "living-endpoints",
  files: {
    "web.yaml": `
apiVersion: v1
kind: Service
metadata: {name: web}
spec: {selector: {app: web}, ports: [{port: 80, targetPort: 8080}]}
---
${statefulSet("web", 2, "containers: [{name: main, image: nginx, readinessProbe: {httpGet: {port: 8080}, periodSeconds: 1, failureThreshold: 1}}]")}`,
  },
  commands: [
    "apply -f web.yaml",
    "wait sts/web --for=jsonpath={.status.readyReplicas}=2 --timeout=60s",
    `wait ${slice} --for=jsonpath='{${ofOne}.ready}'=true --timeout=60s`,
    "get sts,pods",
    "annotate pod web-1 sandbox.kubectl-reconcile.io/readiness-fails-after=1s",
    "wait pod/web-1 --for=condition=Ready=False --timeout=60s",
    `wait ${slice} --for=jsonpath='{${ofOne}.ready}'=false --timeout=60s`,
    `get ${slice} -o 'jsonpath={.items[*]${ofOne}}'`,
    "get pods",
    "get endpoints web -o 'jsonpath={.subsets[*].addresses[*].targetRef.name} {.subsets[*].notReadyAddresses[*].targetRef.name}'",
    "annotate pod web-1 sandbox.kubectl-reconcile.io/readiness-fails-after-",
    "wait pod/web-1 --for=condition=Ready --timeout=60s",
    `wait ${slice} --for=jsonpath='{${ofOne}.ready}'=true --timeout=60s`,
    "scale sts web --replicas=1",
    "wait pod/web-1 --for=delete --timeout=60s",
    "delete svc web",
    `wait ${slice} --for=delete --timeout=60s`,
    "get endpoints,endpointslices",
  ],
};

const silence: Script = {
  name: "living-silence",
  files: {
    "nodes.yaml": nodesOf("silence", ["east", "west"]),
    "web.yaml": `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template: {metadata: {labels: {app: web}}, spec: {${inPool("silence", "west")}}}
`,
  },
  commands: [
    "apply -f nodes.yaml",
    "wait node/east node/west --for=condition=Ready --timeout=60s",
    "apply -f web.yaml",
    "wait deploy/web --for=condition=Available --timeout=60s",
    "get pods -o custom-columns=NODE:.spec.nodeName,PHASE:.status.phase",
    "annotate node west sandbox.kubectl-reconcile.io/silent=true",
    "wait node/west --for=condition=Ready=Unknown --timeout=120s",
    "get node west",
    `wait node/west --for=jsonpath='{.spec.taints[?(@.effect=="NoExecute")].key}'=node.kubernetes.io/unreachable --timeout=60s`,
    "wait deploy/web --for=condition=Available=False --timeout=60s",
    "get deploy web",
    "wait deploy/web --for=condition=Available --timeout=120s",
    "get pods --sort-by=.spec.nodeName -o custom-columns=NODE:.spec.nodeName,READY:.status.containerStatuses[*].ready,GRACE:.metadata.deletionGracePeriodSeconds",
    "get deploy web",
    "annotate node west sandbox.kubectl-reconcile.io/silent-",
    "wait node/west --for=condition=Ready --timeout=60s",
    "wait pods --field-selector=spec.nodeName=west --for=delete --timeout=60s",
    "get node west",
    "get pods -o custom-columns=NODE:.spec.nodeName,PHASE:.status.phase",
    "delete deploy web",
    "delete node east west",
  ],
};

const claims: Script = {
  name: "living-claims",
  files: {
    "claim.yaml": `
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
`,
    "reader.yaml": `
apiVersion: v1
kind: Pod
metadata: {name: reader}
spec:
  terminationGracePeriodSeconds: 1
  containers: [{name: main, image: nginx, volumeMounts: [{name: data, mountPath: /data}]}]
  volumes: [{name: data, persistentVolumeClaim: {claimName: data}}]
`,
    "disk.yaml": `
apiVersion: v1
kind: PersistentVolume
metadata: {name: disk}
spec: {capacity: {storage: 5Gi}, accessModes: [ReadWriteOnce], storageClassName: manual, hostPath: {path: /disk}}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: kept}
spec: {accessModes: [ReadWriteOnce], storageClassName: manual, resources: {requests: {storage: 2Gi}}}
`,
  },
  commands: [
    "get storageclass",
    "apply -f claim.yaml",
    "get pvc data",
    "apply -f reader.yaml",
    "wait pod/reader --for=condition=Ready --timeout=60s",
    "get pvc data",
    "get pv -o custom-columns=CLAIM:.spec.claimRef.name,SIZE:.spec.capacity.storage,CLASS:.spec.storageClassName,POLICY:.spec.persistentVolumeReclaimPolicy,STATUS:.status.phase",
    "delete pvc data --wait=false",
    "get pvc data",
    "delete pod reader",
    "wait pvc/data --for=delete --timeout=60s",
    "apply -f disk.yaml",
    "wait pvc/kept --for=jsonpath={.status.phase}=Bound --timeout=60s",
    "get pvc kept",
    "delete pvc kept",
    "wait pv/disk --for=jsonpath={.status.phase}=Released --timeout=60s",
    "get pv disk",
    "delete pv disk",
  ],
};

const quotas: Script = {
  name: "living-quotas",
  files: {
    "web.yaml": `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 3
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: main, image: nginx, resources: {requests: {cpu: 100m}}}]}
`,
  },
  commands: [
    "create quota small --hard=pods=2,requests.cpu=1,services=0",
    "wait quota/small --for=jsonpath={.status.hard.pods}=2 --timeout=60s",
    "apply -f web.yaml",
    "wait deploy/web --for=jsonpath={.status.readyReplicas}=2 --timeout=60s",
    "wait deploy/web --for=condition=ReplicaFailure --timeout=60s",
    "get deploy web",
    `get deploy web -o 'jsonpath={.status.conditions[?(@.type=="ReplicaFailure")].message}'`,
    "wait quota/small --for=jsonpath={.status.used.pods}=2 --timeout=60s",
    "describe quota small",
    "run loose --image=nginx",
    "expose deploy web --port=80",
    `patch quota small -p '{"spec": {"hard": {"pods": "5"}}}'`,
    "wait deploy/web --for=jsonpath={.status.readyReplicas}=3 --timeout=120s",
    "wait quota/small --for=jsonpath={.status.used.pods}=3 --timeout=60s",
    "describe quota small",
    "scale deploy web --replicas=0",
    "wait quota/small --for=jsonpath={.status.used.pods}=0 --timeout=60s",
    "get quota small",
  ],
};

const budgets: Script = {
  name: "living-budgets",
  files: {
    "nodes.yaml": nodesOf("budgets", ["north", "south"]),
    "db.yaml": statefulSet("db", 1, inPool("budgets", "north")),
  },
  commands: [
    "apply -f nodes.yaml",
    "wait node/north node/south --for=condition=Ready --timeout=60s",
    "apply -f db.yaml",
    "wait sts/db --for=jsonpath={.status.readyReplicas}=1 --timeout=60s",
    "create pdb db --selector=app=db --min-available=1",
    "wait pdb/db --for=jsonpath={.status.currentHealthy}=1 --timeout=60s",
    "get pdb db",
    "drain north --timeout=7s",
    "get node north",
    "get pods",
    "delete pdb db",
    "drain north --timeout=60s",
    "wait sts/db --for=jsonpath={.status.readyReplicas}=1 --timeout=60s",
    "get pod db-0 -o custom-columns=NODE:.spec.nodeName,PHASE:.status.phase",
    "uncordon north",
    "delete sts db",
    "delete node north south",
  ],
};

const tokens: Script = {
  name: "living-tokens",
  commands: [
    "wait cm/kube-root-ca.crt --for=create --timeout=60s",
    "get sa,cm",
    "create sa robot",
    { run: "create token robot --duration=15m", keeps: "TOKEN" },
    "auth whoami --token=$TOKEN",
    "get pods --token=$TOKEN",
    "create rolebinding robot --clusterrole=view --serviceaccount=living-tokens:robot",
    "get pods --token=$TOKEN",
    "delete cm kube-root-ca.crt --token=$TOKEN",
    'run web --image=nginx --overrides=\'{"spec": {"serviceAccountName": "robot", "terminationGracePeriodSeconds": 1}}\'',
    "wait pod/web --for=condition=Ready --timeout=60s",
    "get pod web -o 'jsonpath={.spec.volumes[0].projected.sources}'",
    "delete cm kube-root-ca.crt",
    "wait cm/kube-root-ca.crt --for=create --timeout=60s",
    "delete pod web",
    "delete sa robot",
    "create token robot",
    "delete sa default",
    "wait sa/default --for=create --timeout=60s",
  ],
};

/** A Secret for a token of a ServiceAccount. */
const tokenSecret = (name: string, account: string): string => `
apiVersion: v1
kind: Secret
metadata: {name: ${name}, annotations: {kubernetes.io/service-account.name: ${account}}}
type: kubernetes.io/service-account-token
`;

const secrets: Script = {
  name: "living-secrets",
  files: { "token.yaml": tokenSecret("robot", "robot"), "stray.yaml": tokenSecret("stray", "nobody") },
  commands: [
    "create sa robot",
    "create -f token.yaml",
    "wait secret/robot --for=jsonpath={.data.token} --timeout=60s",
    "get secret robot",
    "get secret robot -o 'jsonpath={.metadata.annotations} {.data.namespace}'",
    { run: "get secret robot -o 'go-template={{base64decode .data.token}}'", keeps: "TOKEN" },
    "auth whoami --token=$TOKEN",
    "get pods --token=$TOKEN",
    "create rolebinding robot --clusterrole=view --serviceaccount=living-secrets:robot",
    "get pods --token=$TOKEN",
    "create -f stray.yaml",
    "wait secret/stray --for=delete --timeout=60s",
    "delete secret robot",
    // A kube-apiserver caches an accepted token for ten seconds.
    "wait sa/robot --for=jsonpath={.metadata.name}=nobody --timeout=12s",
    "auth whoami --token=$TOKEN",
    "create -f token.yaml",
    "wait secret/robot --for=jsonpath={.data.token} --timeout=60s",
    "delete sa robot",
    "wait secret/robot --for=delete --timeout=60s",
    "get secrets",
  ],
};

interface CertificateWanted extends RequestParts {
  readonly signer: string;
  readonly usages: string;
}

/** A request whose name begins with that of the script, because it has no namespace. */
const certificateWanted = (name: string, { signer, usages, ...parts }: CertificateWanted): string => `
apiVersion: certificates.k8s.io/v1
kind: CertificateSigningRequest
metadata: {name: living-${name}}
spec:
  signerName: kubernetes.io/${signer}
  usages: [${usages}]
  expirationSeconds: 86400
  request: ${btoa(certificateRequest(parts))}
`;

const node = { commonName: "system:node:east", organizations: ["system:nodes"] };

const certificates: Script = {
  name: "living-certificates",
  files: {
    "jane.yaml": certificateWanted("jane", {
      signer: "kube-apiserver-client",
      usages: "client auth",
      commonName: "jane",
      organizations: ["dev"],
    }),
    "node.yaml": certificateWanted("node", {
      signer: "kube-apiserver-client-kubelet",
      usages: "client auth, digital signature",
      ...node,
    }),
    "serving.yaml": certificateWanted("serving", {
      signer: "kubelet-serving",
      usages: "server auth, digital signature",
      ...node,
    }),
  },
  commands: [
    "create -f jane.yaml",
    "get csr living-jane",
    "certificate approve living-jane",
    "wait csr/living-jane --for=jsonpath={.status.certificate} --timeout=60s",
    "get csr living-jane",
    "describe csr living-jane",
    "get csr living-jane -o 'jsonpath={.status.conditions}'",
    "certificate deny living-jane",
    "create -f node.yaml",
    "wait csr/living-node --for=jsonpath={.status.certificate} --timeout=60s",
    "get csr living-node",
    "get csr living-node -o 'jsonpath={.status.conditions[*].message}'",
    "create -f serving.yaml",
    "certificate approve living-serving",
    "wait csr/living-serving --for=condition=Failed --timeout=60s",
    "get csr living-serving",
    `get csr living-serving -o 'jsonpath={.status.conditions[?(@.type=="Failed")]}'`,
    "delete csr living-jane living-node living-serving",
  ],
};

/** A pod with a device claim; `entry` names the source of the claim, in YAML flow style. */
function deviceUser(name: string, entry: string): string {
  return `
apiVersion: v1
kind: Pod
metadata: {name: ${name}}
spec:
  terminationGracePeriodSeconds: 1
  containers: [{name: main, image: nginx}]
  resourceClaims: [{name: gpu, ${entry}}]
`;
}

const deviceRequest = "{devices: {requests: [{name: one, exactly: {deviceClassName: living.example.com}}]}}";

const deviceClaimOf = (name: string): string => `
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: ${name}}
spec: ${deviceRequest}
`;

/** What the driver and the scheduler would write, with a node selector if a node is given. */
function givesDevice(
  claim: string,
  device: string,
  { node, isTimed = true }: { node?: string; isTimed?: boolean } = {},
): string {
  const results = [{ request: "one", driver: "living.example.com", pool: "pool", device }];
  const matchExpressions = [{ key: "kubernetes.io/hostname", operator: "In", values: [node] }];
  const allocation = {
    devices: { results },
    ...(node !== undefined && { nodeSelector: { nodeSelectorTerms: [{ matchExpressions }] } }),
    ...(isTimed && { allocationTimestamp: "2026-01-01T00:00:00Z" }),
  };
  return `patch resourceclaim ${claim} --subresource=status --type=merge -p '${JSON.stringify({ status: { allocation } })}'`;
}

const scheduledReason = `-o 'jsonpath={.status.conditions[?(@.type=="PodScheduled")].reason}'`;

/** No driver lists devices, so that no scheduler allocates any. */
const devices: Script = {
  name: "living-devices",
  files: {
    "web.yaml": [
      `
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: living.example.com}
spec: {}
`,
      `
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: one}
spec: {spec: ${deviceRequest}}
`,
      deviceUser("web", "resourceClaimTemplateName: one"),
      deviceUser("lost", "resourceClaimName: later"),
    ].join("---"),
    "shared.yaml": [
      deviceClaimOf("shared"),
      deviceUser("reader", "resourceClaimName: shared"),
      deviceUser("writer", "resourceClaimName: shared"),
    ].join("---"),
    "later.yaml": deviceClaimOf("later"),
  },
  commands: [
    "apply -f web.yaml",
    "wait pod/web --for=condition=PodScheduled=False --timeout=60s",
    `get pod web ${scheduledReason}`,
    "get pod lost -o 'jsonpath={.status.phase} {.status.conditions}'",
    "get events --field-selector=involvedObject.name=lost",
    { run: "get pod web -o 'jsonpath={.status.resourceClaimStatuses[0].resourceClaimName}'", keeps: "CLAIM" },
    "get resourceclaims",
    givesDevice("$CLAIM", "gpu-0"),
    "wait pod/web --for=condition=Ready --timeout=60s",
    "get resourceclaim $CLAIM -o 'jsonpath={.status.reservedFor[*].resource} {.status.reservedFor[*].name}'",
    "get resourceclaims",
    "apply -f shared.yaml",
    "wait pod/reader pod/writer --for=condition=PodScheduled=False --timeout=60s",
    givesDevice("shared", "gpu-1", { node: "node-2" }),
    "wait pod/reader pod/writer --for=condition=Ready --timeout=60s",
    "get pods reader writer -o custom-columns=NAME:.metadata.name,NODE:.spec.nodeName,PHASE:.status.phase",
    "apply -f later.yaml",
    "wait pod/lost --for=condition=PodScheduled=False --timeout=60s",
    `get pod lost ${scheduledReason}`,
    givesDevice("later", "gpu-2", { isTimed: false }),
    `wait pod/lost --for=jsonpath='{.status.conditions[?(@.type=="PodScheduled")].reason}'=SchedulerError --timeout=60s`,
    "get resourceclaim later -o 'jsonpath={.status.reservedFor}'",
    "delete pod lost web reader writer",
    "wait resourceclaim/$CLAIM --for=delete --timeout=60s",
    "delete resourceclaim shared later",
    "get resourceclaims",
    "delete deviceclass living.example.com",
  ],
};

export const livingScripts: readonly Script[] = [
  silence,
  endpoints,
  claims,
  quotas,
  budgets,
  tokens,
  secrets,
  certificates,
  devices,
];
