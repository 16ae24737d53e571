/**
 * Sets the ServiceAccount of pods, and mounts its token.
 * Source: kubernetes v1.36 plugin/pkg/admission/serviceaccount/admission.go.
 */
import { lookupProblem } from "../validation/names.ts";
import { mirrorAnnotation } from "../registry/core/pod/profiles/profile-annotations.ts";
import { randomSuffix } from "../../platform/random.ts";
import { at, child, fieldsIn, nameOrGenerateName, type ApiObject, type Fields } from "../meta/object.ts";
import { forbidden } from "../meta/refusal.ts";
import type { RequestScope } from "../context/server.ts";

const mountPath = "/var/run/secrets/kubernetes.io/serviceaccount";

/** @throws StatusError 403 if the ServiceAccount does not exist. */
export function admitServiceAccount(scope: RequestScope, pod: ApiObject): void {
  const spec = child(pod, "spec");
  if (pod.metadata.annotations?.[mirrorAnnotation] !== undefined) return;
  const requested = spec["serviceAccountName"];
  const name = typeof requested === "string" && requested !== "" ? requested : "default";
  spec["serviceAccountName"] = name;
  spec["serviceAccount"] = name;
  const account = scope.server.store.collection("serviceaccounts", true).get(scope.namespace, name);
  if (account === undefined) {
    const why = lookupProblem(name) ?? `serviceaccount "${name}" not found`;
    const looked = `error looking up service account ${scope.namespace}/${name}: ${why}`;
    throw forbidden(scope.resource.asResource, nameOrGenerateName(pod), looked);
  }
  if (mountsToken(spec, account.object)) mountToken(scope, spec);
  const secrets = fieldsIn(account.object["imagePullSecrets"]);
  if (fieldsIn(spec["imagePullSecrets"]).length === 0 && secrets.length > 0) {
    spec["imagePullSecrets"] = secrets.map((secret) => ({ name: secret["name"] }));
  }
}

function mountsToken(spec: Fields, account: ApiObject): boolean {
  return (spec["automountServiceAccountToken"] ?? account["automountServiceAccountToken"] ?? true) === true;
}

function isMounted(container: Fields): boolean {
  return fieldsIn(container["volumeMounts"]).some((mount) => mount["mountPath"] === mountPath);
}

function mountToken(scope: RequestScope, spec: Fields): void {
  const volumes = fieldsIn(spec["volumes"]);
  const there = volumes.find((volume) => String(volume["name"]).startsWith("kube-api-access-"));
  const name = there === undefined ? `kube-api-access-${randomSuffix(scope.server.random)}` : String(there["name"]);
  let needed = false;
  for (const key of ["initContainers", "containers"]) {
    for (const container of fieldsIn(spec[key])) {
      if (isMounted(container)) continue;
      needed = true;
      container["volumeMounts"] = [...fieldsIn(container["volumeMounts"]), { name, readOnly: true, mountPath }];
    }
  }
  if (needed && there === undefined) spec["volumes"] = [...volumes, tokenVolume(name)];
}

function tokenVolume(name: string): Fields {
  return {
    name,
    projected: {
      sources: [
        { serviceAccountToken: { expirationSeconds: 3607, path: "token" } },
        { configMap: { name: "kube-root-ca.crt", items: [{ key: "ca.crt", path: "ca.crt" }] } },
        {
          downwardAPI: {
            items: [{ path: "namespace", fieldRef: { apiVersion: "v1", fieldPath: "metadata.namespace" } }],
          },
        },
      ],
      defaultMode: 420,
    },
  };
}

const notReady = "node.kubernetes.io/not-ready";
const unreachable = "node.kubernetes.io/unreachable";

/** Pods tolerate a node that is not ready or unreachable for 300 seconds, unless they specify otherwise. */
export function admitTolerations(pod: ApiObject): void {
  const spec = child(pod, "spec");
  const own = fieldsIn(spec["tolerations"]);
  const tolerates = (key: string): boolean =>
    own.some(
      (toleration) =>
        (toleration["key"] === key || (at(toleration, "key") ?? "") === "") &&
        (toleration["effect"] === "NoExecute" || (toleration["effect"] ?? "") === ""),
    );
  const added = [notReady, unreachable]
    .filter((key) => !tolerates(key))
    .map((key) => ({ key, operator: "Exists", effect: "NoExecute", tolerationSeconds: 300 }));
  if (added.length > 0) spec["tolerations"] = [...own, ...added];
}
