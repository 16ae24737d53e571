/** Objects of every kind for which `kubectl get` has special columns, with the statuses that these need. */

export const replicaSet = (replicas: number): string => `
apiVersion: apps/v1
kind: ReplicaSet
metadata: {name: web}
spec:
  replicas: ${replicas}
  selector: {matchLabels: {app: web}}
  template: {metadata: {labels: {app: web}}, spec: {containers: [{name: c, image: i}]}}
`;

export const deployment = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: shop, labels: {app: shop}}
spec:
  replicas: 3
  selector: {matchLabels: {app: shop}}
  strategy: {rollingUpdate: {maxSurge: 1, maxUnavailable: 0}}
  template:
    metadata: {labels: {app: shop}}
    spec:
      containers:
        - name: main
          image: nginx:1
          ports: [{containerPort: 80, name: http}]
          env: [{name: A, value: b}, {name: P, valueFrom: {fieldRef: {fieldPath: metadata.name}}}]
          resources: {limits: {cpu: 500m, memory: 64Mi}, requests: {cpu: 100m}}
          readinessProbe: {httpGet: {path: /, port: http}}
          volumeMounts: [{name: cfg, mountPath: /cfg}]
      volumes: [{name: cfg, configMap: {name: cfg}}]
`;

export const pod = `
apiVersion: v1
kind: Pod
metadata: {name: one, labels: {app: one}, annotations: {note: hello there}}
spec:
  nodeName: node-a
  tolerations: [{key: x, operator: Exists, effect: NoSchedule}]
  initContainers: [{name: init, image: busybox, command: [sh, -c, "true"]}]
  containers:
    - name: main
      image: nginx:1
      livenessProbe: {exec: {command: [cat, /x]}, initialDelaySeconds: 3}
      resources: {limits: {cpu: "1", memory: 1Gi}}
      ports: [{containerPort: 8080}]
      env: [{name: S, valueFrom: {secretKeyRef: {name: s, key: k}}}]
`;

export const podStatus: string = JSON.stringify({
  status: {
    phase: "Running",
    podIP: "10.1.2.3",
    podIPs: [{ ip: "10.1.2.3" }],
    hostIP: "192.168.1.1",
    startTime: "2026-01-01T00:00:00Z",
    conditions: [
      { type: "Ready", status: "True" },
      { type: "PodScheduled", status: "True" },
    ],
    containerStatuses: [
      {
        name: "main",
        ready: true,
        restartCount: 2,
        image: "nginx:1",
        imageID: "sha256:a",
        containerID: "c://1",
        started: true,
        state: { running: { startedAt: "2026-01-01T00:00:00Z" } },
        lastState: {
          terminated: {
            exitCode: 137,
            reason: "OOMKilled",
            startedAt: "2026-01-01T00:00:00Z",
            finishedAt: "2026-01-01T00:00:01Z",
          },
        },
      },
    ],
  },
});

export const node = `
apiVersion: v1
kind: Node
metadata: {name: node-a, labels: {zone: a, kubernetes.io/hostname: node-a, node-role.kubernetes.io/worker: ""}}
spec: {taints: [{key: t, value: v, effect: NoSchedule}]}
`;

export const nodeStatus: string = JSON.stringify({
  status: {
    capacity: { cpu: "4", memory: "8Gi", pods: "110" },
    allocatable: { cpu: "4", memory: "8Gi", pods: "110" },
    addresses: [
      { type: "InternalIP", address: "192.168.1.1" },
      { type: "Hostname", address: "node-a" },
    ],
    conditions: [
      {
        type: "Ready",
        status: "True",
        reason: "KubeletReady",
        message: "kubelet-is-posting-ready-status",
        lastHeartbeatTime: "2026-01-01T00:00:00Z",
        lastTransitionTime: "2026-01-01T00:00:00Z",
      },
    ],
    nodeInfo: {
      kubeletVersion: "v1.36.3",
      osImage: "Linux",
      kernelVersion: "6",
      containerRuntimeVersion: "sim://1",
      machineID: "",
      systemUUID: "",
      bootID: "",
      kubeProxyVersion: "",
      operatingSystem: "linux",
      architecture: "amd64",
    },
  },
});

export const events = `
apiVersion: v1
kind: Event
metadata: {name: one.1, namespace: shop}
involvedObject: {kind: Pod, name: one, namespace: shop, fieldPath: "spec.containers{main}"}
reason: BackOff
message: Back-off restarting failed container
type: Warning
source: {component: kubelet, host: node-a}
firstTimestamp: "2026-01-01T00:00:00Z"
lastTimestamp: "2026-01-01T00:10:00Z"
count: 3
---
apiVersion: events.k8s.io/v1
kind: Event
metadata: {name: shop.1, namespace: shop}
regarding: {apiVersion: apps/v1, kind: Deployment, name: shop, namespace: shop}
reason: ScalingReplicaSet
action: Scale
note: Scaled up
type: Normal
reportingController: deployment-controller
reportingInstance: here
eventTime: "2026-01-01T00:00:00.000000Z"
series: {count: 4, lastObservedTime: "2026-01-01T00:20:00.000000Z"}
`;

/** One object of each kind for which `kubectl get` has special columns. */
export const oneOfEach = `
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: ds}
spec: {selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {nodeSelector: {z: x}, containers: [{name: c, image: i}]}}}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: ss}
spec: {serviceName: x, selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c, image: i}]}}}
---
apiVersion: batch/v1
kind: CronJob
metadata: {name: cj}
spec: {schedule: "*/5 * * * *", timeZone: UTC, jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: c, image: i}]}}}}}
---
apiVersion: batch/v1
kind: Job
metadata: {name: jb}
spec: {parallelism: 3, template: {spec: {restartPolicy: Never, containers: [{name: c, image: i}]}}}
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: hpa}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: shop}
  maxReplicas: 5
  metrics:
    - {type: Resource, resource: {name: memory, target: {type: Utilization, averageUtilization: 70}}}
    - {type: Resource, resource: {name: cpu, target: {type: AverageValue, averageValue: 500m}}}
    - {type: Pods, pods: {metric: {name: m}, target: {type: AverageValue, averageValue: "5"}}}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: pdb}
spec: {maxUnavailable: 30%, selector: {matchLabels: {a: b}}}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: pvc}
spec: {accessModes: [ReadWriteOnce, ReadOnlyMany], resources: {requests: {storage: 1Gi}}, storageClassName: fast}
---
apiVersion: v1
kind: PersistentVolume
metadata: {name: pv}
spec: {accessModes: [ReadWriteMany, ReadWriteOnce], capacity: {storage: 1Gi}, hostPath: {path: /x}, claimRef: {namespace: shop, name: pvc}}
---
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: fast, annotations: {storageclass.kubernetes.io/is-default-class: "true"}}
provisioner: example.com/disk
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: in}
spec:
  ingressClassName: nginx
  tls: [{hosts: [a.b]}]
  rules:
    - {host: a.b, http: {paths: [{path: /, pathType: Prefix, backend: {service: {name: s, port: {number: 80}}}}]}}
    - {host: c.d}
    - {host: e.f}
    - {host: g.h}
---
apiVersion: networking.k8s.io/v1
kind: IngressClass
metadata: {name: nginx}
spec: {controller: example.com/ingress, parameters: {kind: P, apiGroup: g.h, name: p}}
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: np}
spec: {podSelector: {matchLabels: {b: c}, matchExpressions: [{key: a, operator: In, values: [z, x]}, {key: d, operator: DoesNotExist}]}}
---
apiVersion: v1
kind: Service
metadata: {name: lb}
spec:
  type: LoadBalancer
  selector: {a: b}
  ports: [{port: 80, nodePort: 30080, name: h}, {port: 53, protocol: UDP, name: d, nodePort: 30053}]
---
apiVersion: v1
kind: Service
metadata: {name: en}
spec: {type: ExternalName, externalName: x.example.com}
---
apiVersion: v1
kind: Service
metadata: {name: hl}
spec: {clusterIP: None, selector: {a: b}, ports: [{port: 80}]}
---
apiVersion: v1
kind: Endpoints
metadata: {name: ep}
subsets: [{addresses: [{ip: 1.2.3.4}, {ip: 1.2.3.5}], ports: [{port: 80, name: a}, {port: 81, name: b}]}]
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: es}
addressType: IPv4
ports: [{port: 80, name: a}]
endpoints: [{addresses: [1.2.3.4]}, {addresses: [1.2.3.5]}, {addresses: [1.2.3.6]}, {addresses: [1.2.3.7]}]
---
apiVersion: v1
kind: ReplicationController
metadata: {name: rc}
spec: {replicas: 1, selector: {a: b}, template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c, image: i}]}}}
---
apiVersion: v1
kind: LimitRange
metadata: {name: lr}
spec: {limits: [{type: Container, max: {cpu: "8"}}]}
---
apiVersion: coordination.k8s.io/v1
kind: Lease
metadata: {name: le}
spec: {holderIdentity: me}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: rb}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: r}
subjects:
  - {kind: User, name: u, apiGroup: rbac.authorization.k8s.io}
  - {kind: ServiceAccount, name: default, namespace: shop}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: ro}
rules: [{apiGroups: [""], resources: [pods], verbs: [get]}]
---
apiVersion: node.k8s.io/v1
kind: RuntimeClass
metadata: {name: rtc}
handler: h
---
apiVersion: apps/v1
kind: ControllerRevision
metadata: {name: cr, ownerReferences: [{apiVersion: apps/v1, kind: StatefulSet, name: ss, uid: a-b, controller: true}]}
revision: 3
data: {a: 1}
---
apiVersion: v1
kind: PodTemplate
metadata: {name: pt}
template: {metadata: {labels: {q: r}}, spec: {containers: [{name: c, image: i}]}}
`;
