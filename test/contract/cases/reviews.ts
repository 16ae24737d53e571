/** Reviews of access and tokens: which metadata they can have, and their results for different users. */
import { post, type Step, type Table } from "../case.ts";

const authorization = "/apis/authorization.k8s.io/v1";
const authentication = "/apis/authentication.k8s.io/v1";
const [selfAccess, access, local, rules, self, token] = [
  `${authorization}/selfsubjectaccessreviews`,
  `${authorization}/subjectaccessreviews`,
  `${authorization}/namespaces/{ns}/localsubjectaccessreviews`,
  `${authorization}/selfsubjectrulesreviews`,
  `${authentication}/selfsubjectreviews`,
  `${authentication}/tokenreviews`,
];

const pods = { resourceAttributes: { verb: "get", resource: "pods" } };
const inNamespace = { resourceAttributes: { namespace: "{ns}", verb: "get", resource: "pods" } };
const path = (of: string, verb = "get"): object => ({ nonResourceAttributes: { path: of, verb } });
const as = (user: string, step: Step): Step => ({ ...step, headers: { "impersonate-user": user } });
const metadatas: readonly object[] = [
  { name: "a" },
  { generateName: "a" },
  { labels: { a: "b" }, annotations: { c: "d" } },
  { namespace: "{ns}" },
  { managedFields: [] },
  { creationTimestamp: "2020-01-01T00:00:00Z", uid: "a", deletionTimestamp: "2020-01-01T00:00:00Z" },
  { generation: 3, resourceVersion: "4", finalizers: ["a/b"] },
];
const each = (at: string, spec: object): Step[] => metadatas.map((metadata) => post(at, { metadata, spec }));

export const reviews: Table = {
  name: "reviews",
  cases: [
    { name: "metadata of SelfSubjectAccessReviews", steps: each(selfAccess, pods) },
    { name: "metadata of SubjectAccessReviews", steps: each(access, { user: "u", ...pods }) },
    {
      name: "metadata of LocalSubjectAccessReviews",
      steps: [
        ...each(local, { user: "u", ...inNamespace }),
        post(local, { metadata: { namespace: "other" }, spec: { user: "u", ...inNamespace } }),
      ],
    },
    { name: "metadata of SelfSubjectRulesReviews", steps: each(rules, { namespace: "{ns}" }) },
    { name: "metadata of SelfSubjectReviews", steps: metadatas.map((metadata) => post(self, { metadata })) },
    { name: "metadata of TokenReviews", steps: each(token, { token: "x" }) },
    {
      name: "access of the user itself",
      steps: [
        post(selfAccess, { spec: pods }),
        post(selfAccess, { spec: path("/nope", "post") }),
        ...["nobody", "system:anonymous"].flatMap((user) => [
          as(user, post(selfAccess, { spec: pods })),
          as(user, post(selfAccess, { spec: inNamespace })),
          as(user, post(selfAccess, { spec: path("/api/v1") })),
          as(user, post(selfAccess, { spec: path("/version/x") })),
          as(user, post(selfAccess, { spec: path("/version", "post") })),
          as(user, post(rules, { spec: { namespace: "{ns}" } })),
        ]),
        as(
          "nobody",
          post(selfAccess, {
            spec: {
              resourceAttributes: {
                verb: "create",
                group: authorization.split("/")[2],
                resource: "selfsubjectrulesreviews",
              },
            },
          }),
        ),
        post(rules, { spec: { namespace: "{ns}" } }),
        post(rules, { spec: { namespace: "none" } }),
      ],
    },
    {
      name: "access of other users",
      steps: [
        post(access, { spec: { user: "u", ...pods } }),
        post(access, { spec: { user: "u", groups: ["system:masters"], ...pods } }),
        post(access, { spec: { groups: ["system:authenticated"], ...pods } }),
        post(access, { spec: { groups: ["system:authenticated"], ...path("/apis/apps") } }),
        post(access, { spec: { groups: ["system:unauthenticated"], ...path("/apis/apps") } }),
        post(access, { spec: { groups: ["system:unauthenticated"], ...path("/readyz") } }),
        post(access, { spec: { user: "admin", ...pods } }),
        post(access, {
          spec: {
            user: "u",
            uid: "1",
            extra: { A: ["b"] },
            groups: ["g"],
            resourceAttributes: { verb: "*", group: "*", resource: "*" },
          },
        }),
        post(local, { spec: { user: "u", ...inNamespace } }),
        post(local, { spec: { groups: ["system:masters"], ...inNamespace } }),
      ],
    },
    {
      name: "invalid tokens",
      steps: ["x", "a.b.c", "Bearer x"].flatMap((text) => [
        post(token, { spec: { token: text } }),
        post(token, { spec: { token: text, audiences: ["a", "https://kubernetes.default.svc"] } }),
      ]),
    },
    {
      name: "paths that are open only to system:masters",
      steps: [
        "/api",
        "/apis/apps",
        "/version",
        "/version/x",
        "/readyz",
        "/readyz/ping",
        "/openapi/v3",
        "/nope",
      ].flatMap((of) => ["nobody", "system:anonymous"].map((user) => as(user, { method: "DELETE", path: of }))),
    },
  ],
};
