/** kubectl's server-side apply: conflicts, force, other managers, diff, and the way there from client-side apply. */
import { deployment, replicaSet } from "./kubectl-manifests.ts";
import type { Scene } from "./kubectl-scene.ts";

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

const applies: Scene = {
  name: "applies on the server's side",
  steps: [
    { run: "create namespace side" },
    { run: "apply -n side --server-side -f -", stdin: settings("a: '1', b: '1'") },
    { run: "apply -n side --server-side -f -", stdin: settings("a: '1', b: '1'") },
    { run: "apply -n side --server-side -f -", stdin: settings("a: '2'") },
    { run: "get cm settings -n side -o yaml --show-managed-fields" },
    { run: "apply -n side --server-side --field-manager=other -f -", stdin: settings("a: '3', c: '1'") },
    {
      run: "apply -n side --server-side --field-manager=other --force-conflicts -f -",
      stdin: settings("a: '3', c: '1'"),
    },
    { run: "apply -n side --server-side -f -", stdin: settings("a: '2'") },
    { run: "apply -n side --server-side --dry-run=server -f -", stdin: settings("b: '9'") },
    { run: "apply -n side --server-side --dry-run=server -o yaml -f -", stdin: settings("b: '9'") },
    { run: "diff -n side --server-side -f -", stdin: settings("b: '9'") },
    { run: "diff -n side --server-side --force-conflicts -f -", stdin: settings("a: '9'") },
    { run: "apply -n side --server-side --force-conflicts -f -", stdin: settings("b: '9'") },
    { run: "get cm settings -n side -o yaml --show-managed-fields" },
    { run: "apply -n side --server-side -f -", stdin: several },
    { run: "scale deploy shop -n side --replicas=5" },
    { run: "apply -n side --server-side -f -", stdin: deployment },
    { run: "apply -n side --server-side --field-manager=scaler -f -", stdin: onlyReplicas(5) },
    { run: "apply -n side --server-side --field-manager=scaler -f -", stdin: onlyReplicas(7) },
    { run: "apply -n side --server-side --field-manager=scaler --force-conflicts -f -", stdin: onlyReplicas(7) },
    { run: "get deploy shop -n side -o yaml --show-managed-fields" },
    { run: "set image deploy/shop main=nginx:2 -n side" },
    { run: "apply -n side --server-side -f -", stdin: deployment },
    { run: "apply -n side --server-side --validate=strict -f -", stdin: settings("a: '1'").replace("data", "date") },
    { run: "apply -n side --server-side --validate=ignore -f -", stdin: settings("a: '1'").replace("data", "date") },
    { run: "apply -n side --server-side -f -", stdin: settings("a: 1") },
    { run: "apply -n nowhere --server-side -f -", stdin: settings("a: '1'") },
    { run: "apply -n side --server-side --prune -l x=1 -f -", stdin: settings("a: '1'", ", labels: {x: '1'}") },
  ],
};

const migrates: Scene = {
  name: "goes over from client-side to server-side apply",
  steps: [
    { run: "create namespace over" },
    { run: "apply -n over -f -", stdin: settings("a: '1', b: '1'") },
    { run: "get cm settings -n over -o yaml --show-managed-fields" },
    { run: "apply -n over --server-side -f -", stdin: settings("a: '2'") },
    { run: "get cm settings -n over -o yaml --show-managed-fields" },
    { run: "apply -n over --server-side -f -", stdin: settings("a: '2', c: '1'") },
    { run: "get cm settings -n over -o yaml --show-managed-fields" },
    { run: "apply -n over -f -", stdin: settings("a: '3'") },
    { run: "get cm settings -n over -o yaml --show-managed-fields" },
    { run: "apply -n over --server-side -f -", stdin: settings("a: '4'") },
    { run: "get cm settings -n over -o yaml --show-managed-fields" },
    { run: "apply -n over -f -", stdin: replicaSet(1) },
    { run: "scale rs web -n over --replicas=4" },
    { run: "apply -n over --server-side -f -", stdin: replicaSet(1) },
    { run: "apply -n over --server-side --force-conflicts -f -", stdin: replicaSet(1) },
    { run: "get rs web -n over -o yaml --show-managed-fields" },
    { run: "apply -n over -f -", stdin: settings("a: '1'").replace("settings", "others") },
    {
      run: "apply -n over --server-side --field-manager=other -f -",
      stdin: settings("a: '2'").replace("settings", "others"),
    },
    {
      run: "apply -n over --server-side --field-manager=other -f -",
      stdin: settings("a: '1'").replace("settings", "others"),
    },
    { run: "get cm others -n over -o yaml --show-managed-fields" },
    { run: "delete ns side over --wait=false" },
  ],
};

export const applyScenes: readonly Scene[] = [applies, migrates];
