/** Proxies to Services, pods and nodes, as far as the real server itself responds: no backend runs on either side. */
import { del, get, patch, paths, pod, post, put, type Step, type Table } from "../case.ts";

const { services, pods } = paths;
const endpoints = "/api/v1/namespaces/{ns}/endpoints";
const nodes = "/api/v1/nodes";
const web = {
  metadata: { name: "web" },
  spec: {
    selector: { app: "web" },
    ports: [
      { name: "http", port: 80, targetPort: 8080 },
      { name: "adm", port: 81, targetPort: 8081 },
    ],
  },
};
const address = "10.255.255.1";
const subset = (target: object | undefined, ip = address): object => ({
  addresses: [{ ip, ...(target === undefined ? {} : { targetRef: { kind: "Pod", ...target } }) }],
  ports: [{ name: "http", port: 8080 }],
});
const moved = (path: string, query?: string): Step => ({ ...get(path, query), shows: ["location"] });
const named = (...names: readonly string[]): Step[] => names.map((name) => get(`${services}/${name}/proxy/x`));

export const proxies: Table = {
  name: "proxies",
  cases: [
    {
      name: "a Service that is missing, or without endpoints, or without that port",
      steps: [
        ...named("none", "none:80", "none:http", "https:none:80", "None"),
        post(services, web),
        ...named("web", "web:80", "web:http", "web:82", "web:-1", "web:%2B82", "web:99999999999999999999"),
        post(endpoints, { metadata: { name: "web" }, subsets: [] }),
        ...named("web", "web:80", "https:web:http"),
        ...named("ftp:web:http", "a:b:c:d", ":", ":web", "http:web:", ":web:"),
        get("/api/v1/services/web/proxy"),
        get(`${services}/web/proxyx`),
      ],
    },
    {
      name: "a Service whose endpoints are not pods of its namespace",
      steps: [
        post(services, web),
        post(pods, pod("a", { labels: { app: "web" } }, { nodeName: "nowhere" })),
        patch("merge", `${pods}/a/status`, { status: { podIP: address, podIPs: [{ ip: address }] } }),
        post(endpoints, { metadata: { name: "web" }, subsets: [subset(undefined)] }),
        ...named("web:http", "web:80"),
        put(`${endpoints}/web`, { metadata: { name: "web" }, subsets: [subset({ namespace: "other", name: "a" })] }),
        ...named("web:http"),
        put(`${endpoints}/web`, { metadata: { name: "web" }, subsets: [subset({ namespace: "{ns}", name: "none" })] }),
        ...named("web:http"),
        put(`${endpoints}/web`, {
          metadata: { name: "web" },
          subsets: [subset({ namespace: "{ns}", name: "a" }, "10.255.255.2")],
        }),
        ...named("web:http"),
        put(`${endpoints}/web`, { metadata: { name: "web" }, subsets: [subset({ namespace: "{ns}", name: "a" })] }),
        ...named("web:adm", "web:81", "web"),
        moved(`${services}/web:http/proxy`),
        moved(`${services}/web:80/proxy`, "a=b"),
        moved(`${pods}/a/proxy`),
        moved(`${pods}/https:a:8443/proxy`),
      ],
    },
    {
      name: "a pod that is missing, or without an address that may be used",
      steps: [
        get(`${pods}/none/proxy`),
        get(`${pods}/none:80/proxy/x`),
        get(`${pods}/a:b:c:d/proxy`),
        post(pods, pod("a", {}, { nodeName: "nowhere" })),
        get(`${pods}/a/proxy`),
        get(`${pods}/https:a:80/proxy/x`),
        ...["127.0.0.1", "169.254.169.254", "::1", "fe80::1"].flatMap((ip) => [
          patch("merge", `${pods}/a/status`, { status: { podIP: ip, podIPs: [{ ip }] } }),
          get(`${pods}/a/proxy/x`),
        ]),
      ],
    },
    {
      name: "a node that is missing, or without an address that may be used",
      steps: [
        get(`${nodes}/none/proxy`),
        get(`${nodes}/a:b:c:d/proxy`),
        post(nodes, { metadata: { name: "{ns}" } }),
        get(`${nodes}/{ns}/proxy`),
        get(`${nodes}/{ns}:10250/proxy/metrics`),
        patch("merge", `${nodes}/{ns}/status`, { status: { addresses: [{ type: "Nope", address: "10.0.0.1" }] } }),
        get(`${nodes}/https:{ns}:10250/proxy/metrics`),
        patch("merge", `${nodes}/{ns}/status`, {
          status: { addresses: [{ type: "InternalIP", address: "127.0.0.1" }] },
        }),
        get(`${nodes}/{ns}/proxy/metrics`),
        patch("merge", `${nodes}/{ns}/status`, {
          status: {
            addresses: [
              { type: "ExternalIP", address: "169.254.0.1" },
              { type: "InternalIP", address },
            ],
          },
        }),
        moved(`${nodes}/{ns}/proxy`),
        del(`${nodes}/{ns}`),
      ],
    },
    {
      name: "methods, headers and users",
      steps: [
        get(`${services}/none/proxy`, "dryRun=All"),
        get(`${services}/none/proxy`, "dryRun="),
        post(`${services}/none/proxy`, "nothing that is JSON"),
        { ...put(`${services}/none/proxy/x`, {}), type: "text/plain" },
        { ...get(`${services}/none/proxy/x`), accept: "text/html" },
        { ...get(`${services}/none/proxy/x/y`), headers: { "impersonate-user": "nobody" } },
        { ...del(`${services}/none/proxy/x/y`), headers: { "impersonate-user": "nobody" } },
        { ...get(`${nodes}/none/proxy/metrics/cadvisor`), headers: { "impersonate-user": "nobody" } },
      ],
    },
  ],
};
