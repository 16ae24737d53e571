/**
 * Generates `src/sandbox/bootstrap/rbac-policy.json` from a real kube-apiserver: the roles and bindings that it creates at startup.
 * `bun scripts/extract-api/rbac-policy.ts`.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { BootstrapObject, BootstrapPolicy } from "../../src/sandbox/bootstrap/rbac-policy.ts";
import { startCluster } from "../../test/support/cluster.ts";

const bootstrapping = {
  label: "kubernetes.io/bootstrapping",
  annotation: "rbac.authorization.kubernetes.io/autoupdate",
};

interface Listed {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
}

/** The object without the fields that all of them share. */
function compact({ metadata, ...rest }: Listed): BootstrapObject {
  const { name, namespace, labels = {}, annotations = {} } = metadata;
  const { [bootstrapping.label]: label, ...others } = labels;
  if (
    label !== "rbac-defaults" ||
    annotations[bootstrapping.annotation] !== "true" ||
    Object.keys(annotations).length > 1
  )
    throw new Error(`${name} is not as the others are: ${JSON.stringify(metadata)}`);
  return {
    name,
    ...(namespace === undefined ? {} : { namespace }),
    ...(Object.keys(others).length === 0 ? {} : { labels: others }),
    ...rest,
  };
}

const cluster = await startCluster();
try {
  const policy: Record<string, readonly BootstrapObject[]> = {};
  for (const plural of [
    "clusterroles",
    "clusterrolebindings",
    "roles",
    "rolebindings",
  ] satisfies (keyof BootstrapPolicy)[]) {
    const { body } = await cluster.request("GET", `/apis/rbac.authorization.k8s.io/v1/${plural}`);
    policy[plural] = (body.items as Listed[]).map(compact);
  }
  const file = join(import.meta.dir, "../../src/sandbox/bootstrap/rbac-policy.json");
  const lines = Object.entries(policy).map(
    ([plural, objects]) =>
      `${JSON.stringify(plural)}: [\n${objects.map((object) => JSON.stringify(object)).join(",\n")}\n]`,
  );
  writeFileSync(file, `{\n${lines.join(",\n")}\n}\n`);
} finally {
  await cluster.stop();
}
