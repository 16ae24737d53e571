/** Objects used by several scripts. */

/** A Deployment of three nginx pods. */
export const shop = `
apiVersion: apps/v1
kind: Deployment
metadata:
  name: shop
  labels: {app: shop, tier: front}
spec:
  replicas: 3
  selector: {matchLabels: {app: shop}}
  template:
    metadata: {labels: {app: shop}}
    spec:
      containers:
        - name: main
          image: nginx:1
          ports: [{containerPort: 80, name: http}]
          resources: {requests: {cpu: 100m, memory: 32Mi}}
        - name: side
          image: busybox:1
          command: [sleep, "1000"]
`;

/** Two ConfigMaps, a Secret and a Service. */
export const settings = `
apiVersion: v1
kind: ConfigMap
metadata: {name: first, labels: {app: shop, set: a}}
data: {colour: red, size: "10"}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: second, labels: {app: shop, set: b}}
data: {colour: blue, text: "one\\ntwo\\n"}
binaryData: {bytes: AAEC}
---
apiVersion: v1
kind: Secret
metadata: {name: password, labels: {app: other}}
stringData: {user: me, word: secret}
---
apiVersion: v1
kind: Service
metadata: {name: web, labels: {app: shop}}
spec: {selector: {app: shop}, ports: [{name: http, port: 80, targetPort: http}]}
`;

/** A pod with these options. */
export function pod(name: string, options: { readonly node?: string; readonly labels?: string } = {}): string {
  const { node, labels = "{app: shop}" } = options;
  return `
apiVersion: v1
kind: Pod
metadata: {name: ${name}, labels: ${labels}}
spec:
  ${node === undefined ? "" : `nodeName: ${node}`}
  terminationGracePeriodSeconds: 5
  containers: [{name: main, image: "nginx:1"}]
`;
}

/** A patch of a pod's status: running and ready. */
export const running: string = JSON.stringify({
  status: {
    phase: "Running",
    podIP: "10.1.2.3",
    podIPs: [{ ip: "10.1.2.3" }],
    conditions: [{ type: "Ready", status: "True", lastTransitionTime: "2026-01-01T00:00:00Z" }],
    containerStatuses: [
      {
        name: "main",
        ready: true,
        restartCount: 1,
        image: "nginx:1",
        imageID: "sha256:a",
        state: { running: { startedAt: "2026-01-01T00:00:00Z" } },
      },
    ],
  },
});
