/** Resources for which every response has a warning. Source: kubernetes v1.36 pkg/apis/core APILifecycleDeprecated. */
const warnings: Readonly<Record<string, string>> = {
  endpoints: "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice",
  componentstatuses: "v1 ComponentStatus is deprecated in v1.19+",
};

/** The warning for a resource, by its storage name; undefined if it is not deprecated. */
export function deprecationOf(storage: string): string | undefined {
  return warnings[storage];
}
