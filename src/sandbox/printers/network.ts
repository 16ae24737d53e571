/** Tables of Services and related kinds. Source: as workloads.ts. */
import { at, fieldsIn, isFields, type ApiObject } from "../meta/object.ts";
import { age, type Cells, firstOf, labelsText, selectorText, textAt } from "./cells.ts";

const texts = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : []);

/** The addresses of a load balancer, without duplicates. */
function balancerText(object: ApiObject): string {
  const ingress = fieldsIn(at(object, "status", "loadBalancer", "ingress"));
  const found = ingress.map((each) => textAt(each, ["ip"], textAt(each, ["hostname"], "")));
  return [...new Set(found.filter((address) => address !== ""))].sort().join(",");
}

function externalIp(service: ApiObject): string {
  const own = texts(service.spec?.["externalIPs"]);
  switch (service.spec?.["type"]) {
    case "ClusterIP":
    case "NodePort":
      return own.length === 0 ? "<none>" : own.join(",");
    case "LoadBalancer": {
      const all = [balancerText(service), ...own].filter((address) => address !== "");
      return all.length === 0 ? "<pending>" : all.join(",");
    }
    case "ExternalName":
      return textAt(service, ["spec", "externalName"], "");
    default:
      return "<unknown>";
  }
}

function servicePorts(service: ApiObject): string {
  const ports = fieldsIn(service.spec?.["ports"]).map(({ port, nodePort, protocol }) =>
    typeof nodePort === "number" && nodePort > 0
      ? `${String(port)}:${nodePort}/${String(protocol)}`
      : `${String(port)}/${String(protocol)}`,
  );
  return ports.length === 0 ? "<none>" : ports.join(",");
}

const service: Cells = (object, now) => [
  object.metadata.name,
  textAt(object, ["spec", "type"], ""),
  texts(object.spec?.["clusterIPs"])[0] ?? "<none>",
  externalIp(object),
  servicePorts(object),
  age(object, now),
  labelsText(object.spec?.["selector"]),
];

function endpointsText(object: ApiObject): string {
  const subsets = fieldsIn(object["subsets"]);
  const all = subsets.flatMap(({ addresses, ports }) => {
    const ips = fieldsIn(addresses).map((address) => textAt(address, ["ip"], ""));
    const numbers = fieldsIn(ports).map(({ port }) => String(port));
    if (numbers.length === 0) return ips;
    return numbers.flatMap((port) => ips.map((ip) => (ip.includes(":") ? `[${ip}]:${port}` : `${ip}:${port}`)));
  });
  return all.length === 0 && subsets.length > 0 ? "" : firstOf(all, 3, "<none>");
}

const endpointSlice: Cells = (object, now) => {
  const ports = fieldsIn(object["ports"]).map(({ port, name }) =>
    typeof port === "number" ? String(port) : typeof name === "string" ? name : "*",
  );
  const addresses = fieldsIn(object["endpoints"]).flatMap((endpoint) => texts(endpoint["addresses"]));
  return [
    object.metadata.name,
    textAt(object, ["addressType"], ""),
    firstOf(ports, 3, "<unset>"),
    firstOf(addresses, 3, "<unset>"),
    age(object, now),
  ];
};

const ingress: Cells = (object, now) => {
  const rules = fieldsIn(object.spec?.["rules"]);
  const hosts = rules.map((rule) => textAt(rule, ["host"], "")).filter((host) => host !== "");
  return [
    object.metadata.name,
    textAt(object, ["spec", "ingressClassName"], "<none>"),
    firstOf(hosts, 3, "*", rules.length),
    balancerText(object),
    fieldsIn(object.spec?.["tls"]).length === 0 ? "80" : "80, 443",
    age(object, now),
  ];
};

const ingressClass: Cells = (object, now) => {
  const parameters = object.spec?.["parameters"];
  const group = textAt(parameters, ["apiGroup"], "");
  const kind = `${textAt(parameters, ["kind"], "")}${group === "" ? "" : `.${group}`}`;
  const isDefault = object.metadata.annotations?.["ingressclass.kubernetes.io/is-default-class"] === "true";
  return [
    `${object.metadata.name ?? ""}${isDefault ? " (default)" : ""}`,
    textAt(object, ["spec", "controller"], ""),
    isFields(parameters) ? `${kind}/${textAt(parameters, ["name"], "")}` : "<none>",
    age(object, now),
  ];
};

/** By storage name. */
export const networkTables: Readonly<Record<string, Cells>> = {
  services: service,
  endpoints: (object, now) => [object.metadata.name, endpointsText(object), age(object, now)],
  "endpointslices.discovery.k8s.io": endpointSlice,
  "ingresses.networking.k8s.io": ingress,
  "ingressclasses.networking.k8s.io": ingressClass,
  "networkpolicies.networking.k8s.io": (object, now) => [
    object.metadata.name,
    selectorText(object.spec?.["podSelector"]),
    age(object, now),
  ],
  "servicecidrs.networking.k8s.io": (object, now) => [
    object.metadata.name,
    texts(object.spec?.["cidrs"]).join(","),
    age(object, now),
  ],
};
