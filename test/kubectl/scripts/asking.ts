/** What the server reports about itself and its users. */
import type { Script } from "../script.ts";
import { settings } from "./manifests.ts";

const serving: Script = {
  name: "serving",
  alone: "the lists have the kinds and the namespaces of the others in them",
  commands: [
    "api-resources",
    "api-resources -o wide",
    "api-resources -o name",
    "api-resources --api-group=apps",
    "api-resources --namespaced=false --verbs=list,create --sort-by=name",
    "api-resources --categories=all",
    "api-resources --api-group=none --no-headers",
    "api-versions",
    "version",
    "version -o json",
    "cluster-info",
    "cluster-info dump --output-directory=dumped",
    {
      run: "get --raw /",
      differs: {
        because: "no metrics are served, nor pages about flags and status",
        prints: '"/livez/poststarthook/storage-readiness",\n|     "/openapi/v2"',
      },
    },
    "get --raw /api",
    "get --raw /apis",
    "get --raw /apis/apps",
    "get --raw /apis/apps/v1",
    "get --raw /api/v1",
    "get --raw /apis/none",
    "get --raw /nothing",
    "get --raw /healthz",
    "get --raw /readyz?verbose",
    "get --raw /livez?verbose",
    "get --raw '/healthz?verbose&exclude=etcd&exclude=none'",
    "get --raw /livez/ping",
    "get --raw /readyz/poststarthook/rbac/bootstrap-roles",
    "get --raw /readyz/none",
    "get --raw /version",
    "get --raw /openid/v1/jwks/x",
    "get --raw /.well-known/openid-configuration",
    "get --raw /openapi/v3",
    "get --raw /openapi/v3/.well-known/openid-configuration",
    "get --raw /openapi/v3/openid/v1/jwks",
    "get ns",
    "get all -A",
    "get apiservices",
    "get apiservice v1.apps -o yaml",
    "get flowschemas,prioritylevelconfigurations",
    "get priorityclasses",
    "get servicecidrs,ipaddresses -o wide",
    "get clusterroles",
    "get clusterrolebindings -o wide",
    "get roles,rolebindings -A",
    "get cm -n kube-system",
    "describe flowschema catch-all",
    "describe clusterrole view system:discovery",
    "describe ns default",
    "get componentstatuses none",
  ],
};

const explaining: Script = {
  name: "explaining",
  long: "each of its commands reads a whole OpenAPI document, in half a second of processor time and more",
  commands: [
    "explain pod",
    "explain pods.spec",
    "explain pods.spec.containers.env.valueFrom",
    "explain pod.status.phase",
    "explain deployment --recursive",
    "explain deploy.spec.template.spec.volumes --recursive",
    "explain svc.spec --recursive",
    "explain cm.data",
    "explain secret.stringData",
    "explain ing.spec.rules.http.paths.backend",
    "explain hpa.spec.metrics --recursive",
    "explain pdb.spec.maxUnavailable",
    "explain jobs.spec.podFailurePolicy.rules.action",
    "explain crd.spec.names",
    "explain crd.spec.versions.schema.openAPIV3Schema",
    "explain validatingadmissionpolicies.spec.validations",
    "explain events.series --api-version=events.k8s.io/v1",
    "explain events.count --api-version=v1",
    "explain pvc.spec.resources.requests",
    "explain node.status.capacity",
    "explain lease.spec.renewTime",
    "explain quota.spec --output=plaintext-openapiv2",
    "explain pod.spec.none",
    "explain none.spec",
    "explain deployments.spec.strategy.rollingUpdate.maxSurge",
    "explain pod.spec.containers.lifecycle --recursive",
    "explain cronjobs --recursive",
    "explain hpa --api-version=autoscaling/v1",
    "explain rs.spec.replica",
    "explain pod --api-version=apps/v1",
    "explain",
  ],
};

const asking: Script = {
  name: "asking",
  files: {
    "settings.yaml": settings,
    "rbac.yaml": `
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: reader}
rules:
  - {apiGroups: [""], resources: [configmaps], verbs: [get, list]}
  - {apiGroups: [apps], resources: [deployments, deployments/scale], verbs: ["*"], resourceNames: [shop]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: reader}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: reader}
subjects:
  - {kind: User, name: asking-ann, apiGroup: rbac.authorization.k8s.io}
  - {kind: ServiceAccount, name: default, namespace: asking}
`,
  },
  commands: [
    "apply -f settings.yaml",
    "apply -f rbac.yaml",
    "auth reconcile -f rbac.yaml --dry-run=server",
    "auth whoami -o jsonpath={.status.userInfo.groups}",
    "auth whoami --as=asking-ann --as-group=staff",
    "auth whoami --as=asking-ann --as-uid=u-1 --as-user-extra=scopes=a -o yaml",
    "auth whoami --as=system:serviceaccount:asking:default",
    "auth can-i get cm",
    "auth can-i '*' '*' --all-namespaces",
    "auth can-i get cm --as=asking-ann",
    "auth can-i create cm --as=asking-ann",
    "auth can-i get cm --as=asking-ann -n default",
    "auth can-i get cm/first --as=asking-ann -q",
    "auth can-i update deploy/shop --as=asking-ann",
    "auth can-i update deploy --subresource=scale --as=asking-ann",
    "auth can-i get /healthz --as=asking-ann",
    "auth can-i get /metrics --as=asking-ann",
    "auth can-i get nodes --as=asking-ann",
    "auth can-i get nothing --as=asking-ann",
    "auth can-i --list",
    "auth can-i --list --as=asking-ann",
    "auth can-i --list --as=asking-ann --no-headers -n default",
    "auth can-i --list --as=system:serviceaccount:asking:default",
    "auth can-i get",
    "get cm first --as=asking-ann",
    "get cm --as=asking-ann -o name",
    "get secrets --as=asking-ann",
    "get cm -A --as=asking-ann",
    "get nodes --as=asking-ann",
    "get pod one --as=asking-ann",
    "delete cm first --as=asking-ann",
    "create cm x --as=asking-ann",
    "apply -f settings.yaml --as=asking-ann",
    "scale deploy none --replicas=1 --as=asking-ann",
    "get ns --as=asking-ann",
    "get --raw /metrics/none --as=asking-ann",
    "get cm --as=asking-bob --as-group=system:masters -o name",
    "get cm --as-group=staff",
    "create role wide --verb=get --resource=secrets --as=asking-ann",
    "auth can-i get cm --as=system:anonymous --as-group=system:unauthenticated",
    "describe role reader",
    "describe rolebinding reader",
  ],
};

export const askingScripts: readonly Script[] = [serving, explaining, asking];
