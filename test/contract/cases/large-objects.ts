/** Objects that are too large for etcd, and duplicate owner references. */
import { apply, del, get, patch, paths, post, put, type Step, type Table } from "../case.ts";
import { established, specOf, widgets } from "./definition-steps.ts";

const partial = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
/** Requests only the metadata of an accepted object in the response, without its long text. */
const brief = (step: Step): Step => ({ ...step, accept: partial });

const text = (bytes: number): string => "x".repeat(bytes);
const widget = (bytes: number): unknown => ({
  apiVersion: "{ns}.example.com/v1",
  kind: "Widget",
  metadata: { name: "a" },
  spec: { text: text(bytes) },
});
const kilo = 1024;

const owner = (uid: string, more: object = {}): object => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  name: "o",
  uid,
  ...more,
});
const owned = (...owners: readonly object[]): unknown => ({ metadata: { name: "a", ownerReferences: owners } });

export const largeObjects: Table = {
  name: "kinds-large",
  cases: [
    {
      name: "custom resources beyond what a request to etcd may have",
      steps: [
        ...established({ schema: specOf({ text: { type: "string" } }) }),
        post(widgets, widget(1600 * kilo)),
        brief(post(widgets, widget(1600 * kilo), "dryRun=All")),
        brief(post(widgets, widget(1400 * kilo))),
        patch("merge", `${widgets}/a`, { spec: { text: text(1700 * kilo) } }),
        apply(`${widgets}/a`, "m", widget(1800 * kilo), "force=true"),
        brief(get(`${widgets}/a`)),
        del(`${widgets}/a`),
      ],
    },
    {
      name: "an owner that is named twice is dropped with a warning",
      steps: [
        post(paths.configmaps, owned(owner("u"), owner("u"))),
        post(paths.secrets, owned(owner("u"), owner("v"), owner("u"), owner("v"), owner("v"))),
        put(`${paths.configmaps}/a`, owned(owner("u"), owner("v"), owner("u"))),
        put(`${paths.configmaps}/a`, owned(owner("u"), owner("u", { controller: true }))),
        patch("merge", `${paths.configmaps}/a`, { metadata: { ownerReferences: [owner("w"), owner("w")] } }),
        patch("json", `${paths.configmaps}/a`, [{ op: "add", path: "/metadata/ownerReferences/-", value: owner("w") }]),
        apply(`${paths.configmaps}/b`, "m", {
          apiVersion: "v1",
          kind: "ConfigMap",
          ...(owned(owner("u"), owner("u")) as object),
        }),
      ],
    },
  ],
};
