/** A kind with 20 rules in CEL, such as operators define: comparisons, lists, maps, strings, quantities, and transition rules. */

const optionalText = { type: "string", maxLength: 63 } as const;

const serverRules = [
  "self.port >= 1024 || self.protocol == 'TCP'",
  "!has(self.weight) || self.weight <= 100",
  "self.name.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$')",
] as const;

const specRules = [
  "self.minReplicas <= self.maxReplicas",
  "self.replicas >= self.minReplicas && self.replicas <= self.maxReplicas",
  "self.mode == 'Fixed' ? self.minReplicas == self.maxReplicas : true",
  "self.servers.exists(s, s.name == self.primary)",
  "self.servers.all(s, s.port > 0 && s.port < 65536)",
  "self.servers.map(s, s.port).all(p, self.servers.exists_one(s, s.port == p))",
  "self.servers.filter(s, has(s.weight)).size() <= self.maxReplicas",
  "!has(self.labels) || self.labels.all(k, k.size() <= 63 && self.labels[k].size() <= 63)",
  "!has(self.labels) || !('reserved' in self.labels)",
  "quantity(self.memory).isGreaterThan(quantity('1Mi'))",
  "quantity(self.memory).compareTo(quantity('64Gi')) <= 0",
  "url(self.endpoint).getScheme() in ['http', 'https']",
  "url(self.endpoint).getHostname() != ''",
  "duration(self.timeout) <= duration('1h')",
  "self.primary.lowerAscii() == self.primary",
  "self.primary.size() + self.mode.size() < 128",
] as const;

/** Where definitions are. */
export const definitionsPath = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/** Where the objects of the kind are. */
export const customPath = "/apis/bench.example.com/v1/namespaces/default/pools";

/** Its definition: 20 rules, those of the list's items counted once. */
export const customDefinition: object = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "pools.bench.example.com" },
  spec: {
    group: "bench.example.com",
    scope: "Namespaced",
    names: { plural: "pools", singular: "pool", kind: "Pool", listKind: "PoolList" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: {
                type: "object",
                required: ["mode", "primary", "servers", "memory", "endpoint", "timeout"],
                properties: {
                  replicas: { type: "integer", default: 3 },
                  minReplicas: { type: "integer", default: 1 },
                  maxReplicas: { type: "integer", default: 10 },
                  mode: { type: "string", enum: ["Fixed", "Elastic"] },
                  primary: optionalText,
                  memory: optionalText,
                  endpoint: { type: "string", maxLength: 200 },
                  timeout: optionalText,
                  labels: { type: "object", maxProperties: 10, additionalProperties: optionalText },
                  servers: {
                    type: "array",
                    maxItems: 10,
                    "x-kubernetes-list-type": "map",
                    "x-kubernetes-list-map-keys": ["name"],
                    items: {
                      type: "object",
                      required: ["name", "port", "protocol"],
                      properties: {
                        name: optionalText,
                        port: { type: "integer" },
                        protocol: { type: "string", enum: ["TCP", "UDP"] },
                        weight: { type: "integer" },
                      },
                      "x-kubernetes-validations": serverRules.map((rule) => ({ rule })),
                    },
                  },
                },
                "x-kubernetes-validations": specRules.map((rule) => ({ rule })),
              },
            },
            "x-kubernetes-validations": [{ rule: "self.metadata.name.size() <= 63" }],
          },
        },
      },
    ],
  },
};

/** An object that meets all rules. */
export function customObject(name: string): unknown {
  return {
    apiVersion: "bench.example.com/v1",
    kind: "Pool",
    metadata: { name },
    spec: {
      mode: "Elastic",
      primary: "one",
      memory: "512Mi",
      endpoint: "https://pool.example.com:8443/health",
      timeout: "30s",
      labels: { app: "bench", tier: "back" },
      servers: [
        { name: "one", port: 8080, protocol: "TCP", weight: 10 },
        { name: "two", port: 8081, protocol: "TCP" },
        { name: "three", port: 5353, protocol: "UDP" },
      ],
    },
  };
}
