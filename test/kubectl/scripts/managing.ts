/** Field managers: conflicts, force, giving up ownership, and migration from client-side to server-side apply. */
import type { Command, Script } from "../script.ts";
import { deployment, replicaSet } from "./every-kind.ts";

const settings = (data: string, more = ""): string => `
apiVersion: v1
kind: ConfigMap
metadata: {name: settings${more}}
data: {${data}}
`;

const onlyReplicas = (count: number): string => `
apiVersion: apps/v1
kind: Deployment
metadata: {name: shop}
spec: {replicas: ${count}}
`;

const several = `${settings("a: '1'", ", labels: {x: '1'}")}---${replicaSet(2)}---${deployment}`;

const apply = (options: string, stdin: string): Command => ({
  run: options === "" ? "apply -f -" : `apply ${options} -f -`,
  stdin,
});
const applyOnServer = (options: string, stdin: string): Command =>
  apply(options === "" ? "--server-side" : `--server-side ${options}`, stdin);

const managing: Script = {
  name: "managing",
  commands: [
    applyOnServer("", settings("a: '1', b: '1'")),
    applyOnServer("", settings("a: '1', b: '1'")),
    applyOnServer("", settings("a: '2'")),
    "get cm settings -o yaml --show-managed-fields",
    applyOnServer("--field-manager=other", settings("a: '3', c: '1'")),
    applyOnServer("--field-manager=other --force-conflicts", settings("a: '3', c: '1'")),
    applyOnServer("", settings("a: '2'")),
    applyOnServer("--dry-run=server", settings("b: '9'")),
    applyOnServer("--dry-run=server -o yaml", settings("b: '9'")),
    { run: "diff --server-side -f -", stdin: settings("b: '9'") },
    { run: "diff --server-side --force-conflicts -f -", stdin: settings("a: '9'") },
    applyOnServer("--force-conflicts", settings("b: '9'")),
    "get cm settings -o yaml --show-managed-fields",
    applyOnServer("", several),
    "scale deploy shop --replicas=5",
    applyOnServer("", deployment),
    applyOnServer("--field-manager=scaler", onlyReplicas(5)),
    applyOnServer("--field-manager=scaler", onlyReplicas(7)),
    applyOnServer("--field-manager=scaler --force-conflicts", onlyReplicas(7)),
    "get deploy shop -o yaml --show-managed-fields",
    "set image deploy/shop main=nginx:2",
    applyOnServer("", deployment),
    applyOnServer("--validate=strict", settings("a: '1'").replace("data", "date")),
    applyOnServer("--validate=ignore", settings("a: '1'").replace("data", "date")),
    applyOnServer("", settings("a: 1")),
    applyOnServer("-n managing-nowhere", settings("a: '1'")),
    applyOnServer("--prune -l x=1", settings("a: '1'", ", labels: {x: '1'}")),
  ],
};

const others = (data: string): string => settings(data).replace("settings", "others");

const migrating: Script = {
  name: "migrating",
  commands: [
    apply("", settings("a: '1', b: '1'")),
    "get cm settings -o yaml --show-managed-fields",
    applyOnServer("", settings("a: '2'")),
    "get cm settings -o yaml --show-managed-fields",
    applyOnServer("", settings("a: '2', c: '1'")),
    "get cm settings -o yaml --show-managed-fields",
    apply("", settings("a: '3'")),
    "get cm settings -o yaml --show-managed-fields",
    applyOnServer("", settings("a: '4'")),
    "get cm settings -o yaml --show-managed-fields",
    apply("", replicaSet(1)),
    "scale rs web --replicas=4",
    applyOnServer("", replicaSet(1)),
    applyOnServer("--force-conflicts", replicaSet(1)),
    "get rs web -o yaml --show-managed-fields",
    apply("", others("a: '1'")),
    applyOnServer("--field-manager=other", others("a: '2'")),
    applyOnServer("--field-manager=other", others("a: '1'")),
    "get cm others -o yaml --show-managed-fields",
  ],
};

export const managingScripts: readonly Script[] = [managing, migrating];
