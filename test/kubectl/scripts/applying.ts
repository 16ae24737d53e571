/** Server-side apply, kustomizations, custom resources. */
import type { Script } from "../script.ts";
import { settings, shop } from "./manifests.ts";

const configMap = (data: string): string => `
apiVersion: v1
kind: ConfigMap
metadata: {name: shared}
data: {${data}}
`;

const together: Script = {
  name: "together",
  files: {
    "shop.yaml": shop,
    "image.yaml": shop.replace("nginx:1", "nginx:2"),
    "one-container.yaml": shop.slice(0, shop.indexOf("        - name: side")),
    "replicas.yaml": "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: shop}\nspec: {replicas: 7}\n",
    "a.yaml": configMap("a: '1', both: x"),
    "b.yaml": configMap("b: '1', both: y"),
    "bare.yaml": configMap(""),
    "invalid.yaml": shop.replace("replicas: 3", "replicas: -3"),
    "ports.yaml": shop.replace(
      "{containerPort: 80, name: http}",
      "{containerPort: 80, name: http}, {containerPort: 80, name: again}",
    ),
    "managed.yaml": configMap("a: '1'").replace("name: shared", "name: shared, managedFields: [{manager: x}]"),
  },
  commands: [
    "apply --server-side -f shop.yaml",
    "apply --server-side -f shop.yaml",
    "set image deploy/shop main=nginx:9",
    "apply --server-side -f image.yaml",
    "diff --server-side -f image.yaml",
    "diff --server-side --force-conflicts -f image.yaml",
    "apply --server-side -f image.yaml --force-conflicts",
    "apply --server-side -f replicas.yaml --field-manager=scaler",
    "apply --server-side -f replicas.yaml --field-manager=scaler --force-conflicts",
    "apply --server-side -f shop.yaml",
    "apply --server-side -f one-container.yaml --force-conflicts",
    "get deploy shop -o yaml --show-managed-fields",
    "apply --server-side -f invalid.yaml --force-conflicts",
    "apply --server-side -f ports.yaml --force-conflicts",
    "apply --server-side -f a.yaml --field-manager=a",
    "apply --server-side -f b.yaml --field-manager=b",
    "apply --server-side -f b.yaml --field-manager=b --force-conflicts -o yaml --show-managed-fields",
    "apply --server-side -f bare.yaml --field-manager=a",
    "get cm shared -o yaml --show-managed-fields",
    "apply --server-side -f bare.yaml --field-manager=b --dry-run=server -o jsonpath={.data}",
    "apply --server-side -f managed.yaml",
    "apply --server-side -f a.yaml --field-manager=",
    "apply --server-side -f a.yaml --dry-run=client",
    "apply -f a.yaml",
    "apply --server-side -f a.yaml",
    "apply --server-side -f none.yaml",
    "scale deploy shop --replicas=2",
    "get deploy shop -o yaml --show-managed-fields",
  ],
};

const kustomizing: Script = {
  name: "kustomizing",
  files: {
    "base/kustomization.yaml": "resources: [shop.yaml, settings.yaml]\n",
    "base/shop.yaml": shop,
    "base/settings.yaml": settings,
    "over/kustomization.yaml": `
resources: [../base]
namePrefix: test-
labels: [{pairs: {stage: test}, includeTemplates: true}]
images: [{name: nginx, newTag: "7"}]
replicas: [{name: shop, count: 1}]
configMapGenerator: [{name: made, literals: [a=b]}]
patches:
  - target: {kind: ConfigMap, name: first}
    patch: '[{"op": "replace", "path": "/data/colour", "value": "grey"}]'
`,
    "wrong/kustomization.yaml": "resources: [none.yaml]\n",
  },
  commands: [
    "kustomize over",
    "apply -k over",
    "apply -k over",
    "get -k over",
    "get cm,deploy,secret,svc -l stage=test -o name",
    "diff -k base",
    "apply -k base --server-side",
    "kustomize wrong",
    "apply -k wrong",
    "apply -k none",
    "get cm test-first -o jsonpath={.data.colour}",
    "delete -k over",
    "delete -k over --ignore-not-found",
  ],
};

const definition = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: boats.kctl.example.com}
spec:
  group: kctl.example.com
  scope: Namespaced
  names: {plural: boats, singular: boat, kind: Boat, shortNames: [bo], categories: [vessels]}
  versions:
    - name: v1
      served: true
      storage: true
      additionalPrinterColumns:
        - {name: Sails, type: integer, jsonPath: .spec.sails}
        - {name: Captain, type: string, jsonPath: .spec.captain, priority: 1}
        - {name: Age, type: date, jsonPath: .metadata.creationTimestamp}
      selectableFields: [{jsonPath: .spec.captain}]
      subresources:
        status: {}
        scale: {specReplicasPath: .spec.sails, statusReplicasPath: .status.set}
      schema:
        openAPIV3Schema:
          type: object
          description: Boat sails.
          properties:
            spec:
              type: object
              description: What it should be.
              required: [sails]
              x-kubernetes-validations:
                - {rule: "self.sails < 4 || has(self.captain)", message: a boat of many sails needs a captain}
              properties:
                sails: {type: integer, minimum: 0, maximum: 9, description: How many there are.}
                captain: {type: string, maxLength: 20}
                colour: {type: string, default: white, enum: [white, red]}
                crew:
                  type: array
                  x-kubernetes-list-type: map
                  x-kubernetes-list-map-keys: [name]
                  items: {type: object, required: [name], properties: {name: {type: string}, age: {type: integer}}}
                name:
                  type: string
                  x-kubernetes-validations: [{rule: self == oldSelf, message: a boat keeps its name}]
            status:
              type: object
              properties:
                set: {type: integer}
                conditions:
                  type: array
                  items: {type: object, properties: {type: {type: string}, status: {type: string}}}
`;

const boat = (name: string, spec: string): string => `
apiVersion: kctl.example.com/v1
kind: Boat
metadata: {name: ${name}}
spec: {${spec}}
`;

const custom: Script = {
  name: "custom",
  files: {
    "definition.yaml": definition,
    "anna.yaml": boat("anna", "sails: 2, captain: ada, name: Anna, crew: [{name: bob, age: 3}]"),
    "renamed.yaml": boat("anna", "sails: 2, captain: ada, name: Annie, crew: [{name: bob, age: 3}]"),
    "berta.yaml": boat("berta", "sails: 5"),
    "clara.yaml": boat("clara", "sails: 12"),
    "dora.yaml": boat("dora", "sails: 1, wings: 2"),
    "twins.yaml": boat("emma", "sails: 1, crew: [{name: bob}, {name: bob}]"),
    "crew.yaml": boat("anna", "sails: 2, crew: [{name: eve, age: 5}]"),
    "broken.yaml": definition.replace("type: array", "type: list").replaceAll("boats", "ships"),
  },
  commands: [
    "create -f anna.yaml",
    "create -f definition.yaml",
    "wait crd/boats.kctl.example.com --for=condition=Established --timeout=60s",
    "get crd boats.kctl.example.com",
    "create -f broken.yaml",
    "create -f anna.yaml",
    "create -f berta.yaml",
    "create -f clara.yaml",
    "create -f dora.yaml",
    "create -f dora.yaml --validate=warn",
    "create -f twins.yaml",
    "get boats",
    "get bo -o wide",
    "get vessels -o name",
    "get boats.v1.kctl.example.com anna -o yaml",
    "get boats --field-selector=spec.captain=ada",
    "get boats --field-selector=spec.sails=1",
    "get boats --sort-by=.spec.sails -o custom-columns=N:.metadata.name,C:.spec.colour",
    "get boats --show-labels",
    "describe boat anna",
    "explain boat",
    "explain boats.spec",
    "explain boat --recursive",
    "explain boat.spec.crew.name",
    "apply -f renamed.yaml",
    `patch boat anna --type=merge -p '{"spec":{"name":"Annie"}}'`,
    `patch boat anna -p '{"spec":{"sails":3}}'`,
    `patch boat anna --type=json -p '[{"op":"replace","path":"/spec/sails","value":"two"}]'`,
    `patch boat anna --subresource=status --type=merge -p '{"status":{"set":1,"conditions":[{"type":"Ready","status":"True"}]}}'`,
    "wait boat/anna --for=condition=Ready --timeout=60s",
    "scale boat anna --replicas=3",
    "scale boat anna --replicas=6",
    "scale boat dora --replicas=6",
    "get boat anna --subresource=scale -o yaml",
    "apply --server-side -f crew.yaml --field-manager=crew",
    "apply --server-side -f crew.yaml --field-manager=crew --force-conflicts",
    "apply --server-side -f crew.yaml --field-manager=other",
    "get boat anna -o yaml --show-managed-fields",
    "diff --server-side -f anna.yaml --force-conflicts",
    "apply -f anna.yaml",
    "apply -f anna.yaml",
    "label boats --all fleet=a",
    { run: "edit boat anna", editor: "sed -i s/colour:.white/colour:\\ red/" },
    { run: "edit boat anna", editor: "sed -i s/colour:.red/colour:\\ blue/" },
    "rollout status boat/anna",
    "autoscale boat anna --max=3",
    "set image boat/anna main=x",
    "api-resources --api-group=kctl.example.com",
    "get --raw /apis/kctl.example.com",
    "get --raw /apis/kctl.example.com/v1",
    "create clusterrole custom-sailor --verb=get --resource=boats.kctl.example.com",
    "auth can-i get boats --as=custom-bob",
    "get boats --as=custom-bob",
    `patch crd boats.kctl.example.com --type=json -p '[{"op":"remove","path":"/spec/versions/0/schema"}]'`,
    `patch crd boats.kctl.example.com --type=merge -p '{"spec":{"scope":"Cluster"}}'`,
    "describe crd boats.kctl.example.com",
    "delete boats --all",
    "delete crd boats.kctl.example.com",
    "get boats",
  ],
};

export const applying: readonly Script[] = [together, kustomizing, custom];
