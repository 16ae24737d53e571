/** Rarely used parts of objects, of kinds that are rarely written by hand: random requests showed a difference in each of them. */
import { get, patch, paths, post, put, type Table } from "../case.ts";

const dry = "dryRun=All";
const flow = "/apis/flowcontrol.apiserver.k8s.io/v1";
const registration = "/apis/admissionregistration.k8s.io/v1";
const devices = "/apis/resource.k8s.io/v1";
const templates = `${devices}/namespaces/{ns}/resourceclaimtemplates`;
const claims = `${devices}/namespaces/{ns}/resourceclaims`;
const named = { metadata: { name: "a" } };
const mine = { metadata: { name: "{ns}" } };

const elsewhere = {
  operations: ["CREATE"],
  apiGroups: ["nowhere.example.com"],
  apiVersions: ["v1"],
  resources: ["nothings"],
  scope: "Namespaced",
};
const constraints = { resourceRules: [elsewhere] };
const policy = { spec: { matchConstraints: constraints, validations: [{ expression: "true" }] } };
const binding = { spec: { policyName: "p", validationActions: ["Deny"], matchResources: constraints } };
const mutation = { patchType: "ApplyConfiguration", applyConfiguration: { expression: "Object{}" } };
const mutating = { spec: { matchConstraints: constraints, reinvocationPolicy: "Never", mutations: [mutation] } };
const level = {
  spec: { type: "Limited", limited: { nominalConcurrencyShares: 5, limitResponse: { type: "Reject" } } },
};
const request = { name: "r", exactly: { deviceClassName: "c" } };
const pool = { name: "p", generation: 1, resourceSliceCount: 1 };
const slice = (spec: Record<string, unknown>): object => ({
  ...mine,
  spec: { driver: "d.example.com", pool, nodeName: "n", ...spec },
});
/** A map of this size. */
const many = (size: number, valueOf: (n: number) => object): object =>
  Object.fromEntries(Array.from({ length: size }, (_, n) => [`c${n}`, valueOf(n)]));
const device = (more: Record<string, unknown>): object => slice({ devices: [{ name: "d", ...more }] });
const capacity = (value: string, requestPolicy: object): object =>
  device({ allowMultipleAllocations: true, capacity: { c: { value, requestPolicy } } });
const containers = [{ name: "c", image: "i" }];

const events = "/apis/events.k8s.io/v1/namespaces/{ns}/events";
const cronJobs = "/apis/batch/v1/namespaces/{ns}/cronjobs";
const ingresses = "/apis/networking.k8s.io/v1/namespaces/{ns}/ingresses";
const attachments = "/apis/storage.k8s.io/v1/volumeattachments";
const event = {
  ...named,
  regarding: { apiVersion: "v1", kind: "Pod", name: "p", namespace: "{ns}" },
  eventTime: "2026-01-02T03:04:05.000006Z",
  reportingController: "example.com/c",
  reportingInstance: "i",
  action: "Do",
  reason: "Why",
  type: "Normal",
};
const cronJob = {
  ...named,
  spec: {
    schedule: "* * * * *",
    suspend: true,
    jobTemplate: { spec: { template: { spec: { containers, restartPolicy: "Never" } } } },
  },
};

const container = (name: string, allocatedResourcesStatus: readonly object[]): object => ({
  name,
  ready: false,
  restartCount: 0,
  image: "i",
  imageID: "",
  allocatedResourcesStatus,
});

/** Metadata that an update could not set: another UID, other names, times. */
const otherMetadata: readonly object[] = [
  { generateName: "A_b" },
  { uid: "11111111-1111-4111-8111-111111111111" },
  { deletionTimestamp: "2020-01-01T00:00:00Z", deletionGracePeriodSeconds: 7 },
  { labels: { a: "not good" }, finalizers: ["x"], ownerReferences: [{ kind: "Event" }] },
];

export const rareParts: Table = {
  name: "rare-parts",
  cases: [
    {
      name: "a status of flow control ignores the metadata, and does not validate it",
      steps: [
        post(`${flow}/prioritylevelconfigurations`, { ...mine, ...level }),
        ...otherMetadata.map((metadata) =>
          patch("merge", `${flow}/prioritylevelconfigurations/{ns}/status`, { metadata, status: {} }, dry),
        ),
      ],
    },
    {
      name: "a status of a policy updates some of the metadata",
      steps: [
        post(`${registration}/validatingadmissionpolicies`, { ...mine, ...policy }),
        ...otherMetadata.map((metadata) =>
          patch("merge", `${registration}/validatingadmissionpolicies/{ns}/status`, { metadata, status: {} }, dry),
        ),
      ],
    },
    {
      name: "the field paths of a policy's warnings",
      steps: [
        post(`${registration}/validatingadmissionpolicies`, { ...mine, ...policy }),
        ...[
          "",
          " ",
          "spec.validations[0].expression",
          "a",
          "A_b",
          "x.io/y",
          "10.0.0.300",
          "::1",
          "*",
          "..a..b",
          "....",
          "[",
          "[a]",
          "[-]",
          "[0,'a',1:2]",
          "['a']b",
          "[?(@.a==1)]",
          "[?(@.a == '(')].b",
          "[?(@.a",
          "'a",
          "'a\\z'",
          ".a\\.b",
          "a}{.b",
          "a}{*",
          "1.5",
          "+",
        ].map((fieldRef) =>
          patch(
            "merge",
            `${registration}/validatingadmissionpolicies/{ns}/status`,
            { status: { typeChecking: { expressionWarnings: [{ fieldRef, warning: "w" }] } } },
            dry,
          ),
        ),
      ],
    },
    {
      name: "updates of policies, bindings and webhooks validate all metadata again",
      steps: [
        ["validatingadmissionpolicies", policy],
        ["validatingadmissionpolicybindings", binding],
        ["mutatingadmissionpolicies", mutating],
        ["mutatingadmissionpolicybindings", { spec: { policyName: "p", matchResources: constraints } }],
        ["validatingwebhookconfigurations", {}],
        ["mutatingwebhookconfigurations", {}],
      ].flatMap(([plural, body]) => [
        post(`${registration}/${plural as string}`, { ...mine, ...(body as object) }),
        patch("merge", `${registration}/${plural as string}/{ns}`, { metadata: { generateName: "A_b" } }, dry),
      ]),
    },
    {
      name: "empty lists that are not allowed",
      steps: [
        ...["finalizers", "ownerReferences", "managedFields", "labels"].map((key) =>
          post(
            templates,
            { ...named, spec: { metadata: { [key]: key === "labels" ? {} : [] }, spec: { devices: {} } } },
            dry,
          ),
        ),
        post(templates, { ...named, spec: { metadata: { annotations: { "not good": "" } }, spec: {} } }, dry),
        post(`${devices}/resourceslices`, slice({ devices: [], sharedCounters: [] }), dry),
        post(`${devices}/resourceslices`, slice({ devices: [{ name: "d" }], sharedCounters: [] }), dry),
        post(`${devices}/resourceslices`, slice({ devices: [{ name: "d" }], sharedCounters: null }), dry),
        post(paths.pods, { ...named, spec: { containers } }),
        patch(
          "merge",
          `${paths.pods}/a/ephemeralcontainers`,
          { spec: { ephemeralContainers: [{ name: "e", image: "i", ports: [], resizePolicy: [] }] } },
          dry,
        ),
        post(
          paths.pods,
          {
            metadata: { name: "b" },
            spec: {
              containers,
              volumes: [
                {
                  name: "v",
                  ephemeral: {
                    volumeClaimTemplate: {
                      metadata: { finalizers: [] },
                      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
                    },
                  },
                },
              ],
            },
          },
          dry,
        ),
      ],
    },
    {
      name: "taints and counters of devices",
      steps: [
        device({ taints: [{ key: "*", effect: "v1" }] }),
        device({ taints: [{ value: "*" }, { key: "a", value: "b", effect: "NoSchedule" }] }),
        device({ taints: Array.from({ length: 17 }, () => ({ key: "a", effect: "None" })) }),
        device({ consumesCounters: [{ counterSet: "A_b" }, { counterSet: "", counters: { "A b": { value: "1" } } }] }),
        device({ consumesCounters: [1, 2, 3].map((n) => ({ counterSet: `s${n}`, counters: { c: { value: "1" } } })) }),
        device({ nodeAllocatableResourceMappings: { none: {} } }),
        device({ consumesCounters: [{ counterSet: "s", counters: many(33, () => ({ value: "1" })) }] }),
        device({
          consumesCounters: [{ counterSet: "s", counters: { c: {}, d: { value: "-1" }, e: { value: "1Mi" } } }],
        }),
        device({ consumesCounters: [{ counterSet: "s", counters: { c: { value: "x" } } }] }),
        device({ consumesCounters: [{ counterSet: "s", counters: { ["c".repeat(64)]: { value: "1" } } }] }),
        device({
          consumesCounters: [
            { counterSet: "s", counters: { c: { value: "1" } } },
            { counterSet: "s", counters: { c: { value: "1" } } },
          ],
        }),
        slice({ sharedCounters: [{ name: "A_b", counters: many(33, () => ({ value: "1" })) }] }),
        slice({
          sharedCounters: Array.from({ length: 9 }, (_, n) => ({ name: `s${n}`, counters: { c: { value: "1" } } })),
        }),
        slice({
          sharedCounters: [
            { name: "s", counters: { c: { value: "1" } } },
            { name: "s", counters: {} },
          ],
        }),
        slice({ devices: Array.from({ length: 65 }, (_, n) => ({ name: `d${n}` })) }),
        slice({
          devices: Array.from({ length: 65 }, (_, n) => ({ name: `d${n}`, taints: [{ key: "a", effect: "None" }] })),
        }),
      ].map((body) => post(`${devices}/resourceslices`, body, dry)),
    },
    {
      name: "attributes of devices",
      steps: [
        device({ attributes: { a: { version: "1" } } }),
        device({ attributes: { a: { version: "1.2.3-rc.1+b" } } }),
        device({ attributes: { a: { string: "x".repeat(65) } } }),
        device({ attributes: { a: { strings: ["x"] } } }),
        device({ attributes: many(33, (n) => ({ int: n })) }),
        device({ attributes: many(48, (n) => ({ int: n })) }),
        device({ attributes: many(49, (n) => ({ int: n })) }),
        device({ attributes: many(20, () => ({ bool: true })), capacity: many(13, () => ({ value: "1" })) }),
      ].map((body) => post(`${devices}/resourceslices`, body, dry)),
    },
    {
      name: "the capacity of a device that a request takes",
      steps: [
        device({ capacity: { c: { value: "1", requestPolicy: { default: "1" } } } }),
        capacity("1", { validValues: ["1"], validRange: { min: "1" } }),
        capacity("1", { validValues: ["1"] }),
        capacity("1", { validRange: {} }),
        capacity("1", { default: "1", validRange: {} }),
        capacity("4", { default: "3", validValues: ["2", "1", "5", "1"] }),
        capacity("4", { default: "3", validValues: ["1", "3"] }),
        capacity("4", { default: "1", validRange: { min: "2", max: "1", step: "3" } }),
        capacity("4", { default: "5", validRange: { min: "5", max: "6" } }),
        capacity("4", { default: "500m", validRange: { min: "0", max: "3", step: "2" } }),
        capacity("1Gi", { default: "512Mi", validRange: { min: "256Mi", step: "256Mi" } }),
      ].map((body) => post(`${devices}/resourceslices`, body, dry)),
    },
    {
      name: "the node selector of an allocation",
      steps: [
        post(claims, { ...named, spec: { devices: { requests: [request] } } }),
        ...[[], [{ matchExpressions: [{ key: "A b", operator: "In", values: [] }] }]].map((nodeSelectorTerms) =>
          patch(
            "merge",
            `${claims}/a/status`,
            { status: { allocation: { nodeSelector: { nodeSelectorTerms } } } },
            dry,
          ),
        ),
      ],
    },
    {
      name: "a patch that removes the version, or changes the kind",
      steps: [
        post(paths.configmaps, named),
        patch("merge", `${paths.configmaps}/a`, { apiVersion: "/" }, dry),
        patch("merge", `${paths.configmaps}/a`, { apiVersion: null, kind: "Other" }, dry),
        patch("json", `${paths.configmaps}/a`, [{ op: "replace", path: "/apiVersion", value: "/" }], dry),
        post(paths.leases, { ...named, spec: {} }),
        patch("merge", `${paths.leases}/a`, { apiVersion: null, kind: "v1" }, dry),
        patch("merge", `${paths.leases}/a`, { apiVersion: null, kind: null }, dry),
      ],
    },
    {
      name: "certificate signing requests cannot be selected by namespace",
      steps: [
        get("/apis/certificates.k8s.io/v1/certificatesigningrequests", "fieldSelector=metadata.namespace%3Da"),
        get("/apis/certificates.k8s.io/v1/certificatesigningrequests", "fieldSelector=spec.signerName%3Da"),
      ],
    },
    {
      name: "a null value for bytes",
      steps: [post(paths.secrets, { ...named, data: { a: [104, null] } }, dry)],
    },
    {
      name: "an empty map in an immutable field that was unset",
      steps: [
        post(paths.configmaps, { ...named, immutable: true }),
        ...["data", "binaryData"].map((key) => patch("merge", `${paths.configmaps}/a`, { [key]: {} }, dry)),
        post(paths.secrets, { ...named, immutable: true }),
        ...[{}, null].map((data) => patch("merge", `${paths.secrets}/a`, { data }, dry)),
        post(paths.secrets, { metadata: { name: "b" }, immutable: true, data: {} }),
        patch("merge", `${paths.secrets}/b`, { metadata: { labels: { a: "b" } } }, dry),
      ],
    },
    {
      name: "an empty overhead",
      steps: [
        post(paths.pods, { ...named, spec: { containers, overhead: {} } }, dry),
        post(paths.pods, { ...named, spec: { containers, overhead: null } }, dry),
      ],
    },
    {
      name: "the health of a container's resources",
      steps: [
        post(paths.pods, {
          ...named,
          spec: {
            containers: [
              { ...containers[0], resources: { requests: { cpu: "1" }, claims: [{ name: "r", request: "q" }] } },
            ],
            resourceClaims: [{ name: "r", resourceClaimName: "r" }],
          },
        }),
        ...[
          { ephemeralContainerStatuses: [container("e", [{ name: "cpu" }])] },
          {
            containerStatuses: [
              container("c", [{ name: "cpu" }, { name: "claim:r/q" }, { name: "x" }, { name: "claim:r" }]),
            ],
          },
          {
            initContainerStatuses: [container("i", [{ name: "x", resources: [{ resourceID: "a", health: "Well" }] }])],
          },
          {
            containerStatuses: [
              container("c", [
                {
                  name: "cpu",
                  resources: [
                    { resourceID: "a", health: "Healthy", message: "" },
                    { resourceID: "a", health: "Unknown", message: "x".repeat(1025) },
                  ],
                },
              ]),
            ],
          },
        ].map((status) => put(`${paths.pods}/a/status`, { ...named, spec: { containers }, status }, dry)),
      ],
    },
    {
      name: "finalizers of Events, and in the status update of a CronJob",
      steps: [
        post(events, event),
        patch("merge", `${events}/a`, { metadata: { finalizers: ["TCP"] } }, dry),
        patch("merge", `${paths.events}/a`, { metadata: { finalizers: ["TCP"] } }, dry),
        post(cronJobs, cronJob),
        patch("merge", `${cronJobs}/a/status`, { metadata: { finalizers: ["TCP"] } }, dry),
        patch("merge", `${cronJobs}/a`, { metadata: { finalizers: ["TCP"] } }, dry),
      ],
    },
    {
      name: "addresses of an Ingress",
      steps: [
        post(ingresses, { ...named, spec: { defaultBackend: { service: { name: "s", port: { number: 80 } } } } }),
        ...[
          [{ ip: "a.b" }, {}],
          [{ hostname: "192.0.2.7" }, { hostname: "A b" }],
          [{ ip: "192.0.2.7", hostname: "a" }],
        ].map((ingress) => patch("merge", `${ingresses}/a/status`, { status: { loadBalancer: { ingress } } }, dry)),
      ],
    },
    {
      name: "the status of a VolumeAttachment, which validates the whole object",
      steps: [
        post(attachments, {
          ...mine,
          spec: { attacher: "a.example.com", nodeName: "n", source: { persistentVolumeName: "p" } },
        }),
        patch("merge", `${attachments}/{ns}/status`, { metadata: { generateName: "A_b" } }, dry),
        patch("merge", `${attachments}/{ns}/status`, { metadata: { finalizers: ["x"] }, status: {} }, dry),
      ],
    },
    {
      name: "names of kinds without objects",
      steps: ["a", "50%25"].flatMap((name) => [
        get(`/apis/authentication.k8s.io/v1/tokenreviews/${name}`),
        get(`/api/v1/namespaces/{ns}/bindings/${name}`),
        get(`/api/v1/namespaces/{ns}/configmaps/${name}`),
      ]),
    },
    {
      name: "numbers that do not fit into their fields, in merged objects",
      steps: [
        post(paths.replicationcontrollers, {
          ...named,
          spec: {
            replicas: 0,
            selector: { a: "b" },
            template: { metadata: { labels: { a: "b" } }, spec: { containers } },
          },
        }),
        ...[2 ** 31, 2 ** 32 + 5, 2 ** 53, 1e20, -1e20, 1.5].flatMap((number) => [
          patch("strategic", `${paths.replicationcontrollers}/a`, { spec: { replicas: number } }, dry),
          patch("strategic", `${paths.replicationcontrollers}/a`, { metadata: { generation: number } }, dry),
          patch("merge", `${paths.replicationcontrollers}/a`, { spec: { replicas: number } }, dry),
        ]),
      ],
    },
    {
      name: "a $setElementOrder of indistinguishable objects",
      differs: "the real server panics and closes the connection, where the sandbox says so: 500",
      steps: [
        post(claims, { ...named, spec: { devices: { requests: [request] } } }),
        patch("strategic", `${claims}/a`, { spec: { devices: { "$setElementOrder/requests": ["a"] } } }, dry),
        post(paths.serviceaccounts, { ...named, secrets: [{ name: "s" }] }),
        patch("strategic", `${paths.serviceaccounts}/a`, { secrets: [{ name: {} }] }, dry),
      ],
    },
  ],
};
