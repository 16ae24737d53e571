/** What a pod's spec must be, in pods and in templates. Source: kubernetes v1.36 pkg/apis/core/validation/validation.go. */
import { duplicate, invalid, notAllowed, notSupported, required, type FieldError } from "../field-errors.ts";
import { textOf, fieldsIn, type Fields } from "../object.ts";
import { containersErrors, initContainerErrors } from "./container-validation.ts";
import { ephemeralContainerErrors } from "./ephemeral-containers.ts";
import { labelErrors } from "./metadata.ts";
import { labelKeyProblems, labelProblems, subdomainProblems } from "./names.ts";

function volumeErrors(volumes: readonly Fields[], field: string): FieldError[] {
  const seen = new Set<string>();
  return volumes.flatMap((volume, index) => {
    const here = `${field}[${index}]`;
    const name = textOf(volume["name"]);
    const errors: FieldError[] = [];
    const sources = Object.keys(volume).filter((key) => key !== "name");
    if (sources.length === 0) errors.push(required(here, "must specify a volume type"));
    // In the order in which the real server looks at them.
    const inOrder = sourceOrder.filter((key) => sources.includes(key));
    for (const source of inOrder.slice(1))
      errors.push(notAllowed(`${here}.${source}`, "may not specify more than 1 volume type"));
    if (name === "") errors.push(required(`${here}.name`));
    else errors.push(...labelProblems(name).map((problem) => invalid(`${here}.name`, name, problem)));
    if (seen.has(name)) errors.push(duplicate(`${here}.name`, name));
    seen.add(name);
    return errors;
  });
}

const sourceOrder = [
  "emptyDir",
  "hostPath",
  "gitRepo",
  "gcePersistentDisk",
  "awsElasticBlockStore",
  "secret",
  "nfs",
  "iscsi",
  "glusterfs",
  "flocker",
  "persistentVolumeClaim",
  "rbd",
  "cinder",
  "cephfs",
  "quobyte",
  "downwardAPI",
  "fc",
  "azureFile",
  "configMap",
  "vsphereVolume",
  "photonPersistentDisk",
  "portworxVolume",
  "azureDisk",
  "storageos",
  "projected",
  "scaleIO",
  "csi",
  "ephemeral",
  "image",
];

const effects = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

/** What is wrong with a pod's tolerations. */
export function tolerationErrors(tolerations: readonly Fields[], field: string): FieldError[] {
  return tolerations.flatMap((toleration, index) => {
    const here = `${field}[${index}]`;
    const errors: FieldError[] = [];
    const [key, operator, effect] = ["key", "operator", "effect"].map((name) => textOf(toleration[name]));
    if (key !== "") errors.push(...labelKeyProblems(key ?? "").map((problem) => invalid(`${here}.key`, key, problem)));
    if (key === "" && operator !== "Exists") {
      errors.push(
        invalid(
          `${here}.operator`,
          operator,
          'operator must be Exists when `key` is empty, which means "match all values and all keys"',
        ),
      );
    }
    if (toleration["tolerationSeconds"] !== undefined && effect !== "NoExecute") {
      errors.push(invalid(`${here}.effect`, effect, "effect must be 'NoExecute' when `tolerationSeconds` is set"));
    }
    if (operator === "Exists" && textOf(toleration["value"]) !== "") {
      errors.push(invalid(`${here}.operator`, toleration["value"], "value must be empty when `operator` is 'Exists'"));
    }
    if (!["", "Equal", "Exists"].includes(operator ?? ""))
      errors.push(notSupported(`${here}.operator`, operator, ["Equal", "Exists"]));
    if (effect !== "" && !effects.includes(effect ?? "")) errors.push(notSupported(`${here}.effect`, effect, effects));
    return errors;
  });
}

const restartPolicies = ["Always", "OnFailure", "Never"];
const dnsPolicies = ["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"];

/** All that is wrong with the spec of a template's pods; `field` is where it stands. */
export function templateSpecErrors(spec: Fields, field: string): FieldError[] {
  const errors = podSpecErrors(spec, field);
  if (fieldsIn(spec["ephemeralContainers"]).length === 0) return errors;
  return [...errors, notAllowed(`${field}.ephemeralContainers`, "ephemeral containers not allowed in pod template")];
}

/** All that is wrong with a pod's spec; `field` is where it stands. */
export function podSpecErrors(spec: Fields, field: string): FieldError[] {
  const volumes = fieldsIn(spec["volumes"]);
  // A volume that is none cannot be mounted.
  const good = volumes.filter((volume) => volumeErrors([volume], "").length === 0);
  const names = new Set(good.map((volume) => textOf(volume["name"])));
  const errors = [
    ...volumeErrors(volumes, `${field}.volumes`),
    ...containersErrors(fieldsIn(spec["containers"]), names, `${field}.containers`),
    ...initContainerErrors(spec, names, `${field}.initContainers`),
    ...ephemeralContainerErrors(spec, names, `${field}.ephemeralContainers`),
  ];
  const one = (key: string, values: readonly string[]): void => {
    const value = textOf(spec[key]);
    if (!values.includes(value)) errors.push(notSupported(`${field}.${key}`, value, values));
  };
  one("restartPolicy", restartPolicies);
  one("dnsPolicy", dnsPolicies);
  errors.push(...labelErrors(spec["nodeSelector"], `${field}.nodeSelector`));
  const named = (key: string, rule: (value: string) => string[]): void => {
    const value = textOf(spec[key]);
    if (value !== "") errors.push(...rule(value).map((problem) => invalid(`${field}.${key}`, value, problem)));
  };
  named("serviceAccountName", subdomainProblems);
  named("nodeName", subdomainProblems);
  const deadline = spec["activeDeadlineSeconds"];
  if (typeof deadline === "number" && (deadline < 1 || deadline > 2 ** 31 - 1)) {
    errors.push(invalid(`${field}.activeDeadlineSeconds`, deadline, "must be between 1 and 2147483647, inclusive"));
  }
  named("hostname", labelProblems);
  named("subdomain", labelProblems);
  errors.push(...tolerationErrors(fieldsIn(spec["tolerations"]), `${field}.tolerations`));
  named("priorityClassName", subdomainProblems);
  return errors;
}
