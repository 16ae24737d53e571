/** Query options of lists, watches and single objects: how they are parsed, and which error is reported first. */
import { configMap, del, get, paths, post, watching, type Case, type Step, type Table } from "../case.ts";

const { configmaps, pods } = paths;
const listing = (name: string, ...queries: readonly string[]): Case => ({
  name: `a list with ${name}`,
  steps: [post(configmaps, configMap("a")), ...queries.map((query) => get(configmaps, query))],
});
const watched = (name: string, ...queries: readonly string[]): Case => ({
  name: `a watch with ${name}`,
  steps: [post(configmaps, configMap("a")), ...queries.map((query): Step => watching(configmaps, 1, query))],
});
const token = (value: unknown): string =>
  `continue=${btoa(typeof value === "string" ? value : JSON.stringify(value)).replaceAll("=", "")}`;
const v1 = (rv: string, start = "a\\u0000"): string => token(`{"v":"meta.k8s.io/v1","rv":${rv},"start":"${start}"}`);

export const queries: Table = {
  name: "queries",
  cases: [
    listing(
      "an invalid limit",
      "limit=",
      "limit=x",
      "limit=1.5",
      "limit=9223372036854775808",
      "limit=-9223372036854775809",
      "limit=9223372036854775807",
      "limit=%2B1",
      "limit=-1",
      "limit=0x1",
    ),
    listing("duplicate options", "limit=1&limit=x", "limit=x&limit=1"),
    listing(
      "an invalid version",
      "resourceVersion=x",
      "resourceVersion=-1",
      "resourceVersion=1.5",
      "resourceVersion=99999999999999999999999",
      "resourceVersion=18446744073709551615&resourceVersionMatch=Exact",
      "resourceVersion=18446744073709551616",
    ),
    listing(
      "an invalid continue token",
      token("null"),
      token("5"),
      token("[]"),
      token('"x"'),
      token("{}"),
      "continue=x",
      "continue=AAAA",
      `continue=${"A".repeat(2000)}`,
      token({ v: "v9", rv: 5, start: "a" }),
      token({ v: 5, rv: 5, start: "a" }),
      token({ v: "meta.k8s.io/v1", rv: "5", start: "a" }),
      token({ v: "meta.k8s.io/v1", rv: 0, start: "a" }),
      token({ v: "meta.k8s.io/v1", rv: 5, start: "" }),
      token({ v: "meta.k8s.io/v1", rv: 5, start: 5 }),
      token({ v: "meta.k8s.io/v1", rv: 5, start: "../a" }),
      token({ v: "meta.k8s.io/v1", rv: 5, start: "a/../b" }),
    ),
    listing(
      "a continue token of an invalid version",
      v1("1e300"),
      v1("1.5"),
      v1("9223372036854775808"),
      v1("null"),
      v1("true"),
    ),
    listing(
      "a continue token and a version",
      `${token("{}")}&resourceVersion=5`,
      `${v1("5")}&resourceVersion=5`,
      `${token("{}")}&resourceVersionMatch=Exact`,
    ),
    listing(
      "a label selector that is not UTF-8",
      "labelSelector=%00",
      "labelSelector=%20",
      "labelSelector=%0A",
      "labelSelector=a%00",
      "fieldSelector=%00",
      "fieldSelector=%20",
    ),
    listing(
      "flags in all notations",
      "watch=0",
      "watch=false",
      "watch=FALSE",
      "allowWatchBookmarks=x",
      "timeoutSeconds=x",
      "timeoutSeconds=",
      "sendInitialEvents=false",
      "pretty=x",
    ),
    listing("deprecated options", "export=true", "export=", "export=false", "exact=true", "includeUninitialized=true"),
    {
      name: "a get with deprecated options",
      steps: [
        post(configmaps, configMap("a")),
        get(`${configmaps}/a`, "export=true"),
        get(`${configmaps}/a`, "exact=true"),
        get(`${configmaps}/a`, "resourceVersion=x"),
        get(`${configmaps}/a`, "resourceVersion=99999999999999999999999"),
        get(`${configmaps}/none`, "resourceVersion=x"),
      ],
    },
    watched(
      "a continue token",
      "timeoutSeconds=1&continue=x",
      "timeoutSeconds=1&limit=1",
      "timeoutSeconds=1&continue=x&resourceVersionMatch=Exact",
    ),
    watched(
      "an invalid timeout",
      "timeoutSeconds=1000000000000000000000000000000",
      "timeoutSeconds=x",
      "timeoutSeconds=",
    ),
    watched(
      "an invalid version",
      "resourceVersion=x&timeoutSeconds=1",
      "resourceVersion=99999999999999999999999&timeoutSeconds=1",
    ),
    {
      name: "a collection is deleted with list options",
      steps: [
        post(configmaps, configMap("a")),
        del(configmaps, undefined, "limit=x"),
        del(configmaps, undefined, "limit="),
        del(configmaps, undefined, "continue=x"),
        del(configmaps, undefined, "resourceVersion=x"),
        del(configmaps, undefined, "labelSelector=a+in+("),
        del(configmaps, undefined, "gracePeriodSeconds=x"),
        del(configmaps, undefined, "propagationPolicy=x"),
        del(`${pods}/none`, undefined, "gracePeriodSeconds=9223372036854775808"),
        post(configmaps, configMap("a")),
        del(`${configmaps}/a`, '{"gracePeriodSeconds":"x"}'),
        del(`${configmaps}/a`, '{"preconditions":"x"}'),
        del(`${configmaps}/a`, '{"nope":1}'),
        del(`${configmaps}/a`, "null"),
      ],
    },
  ],
};
