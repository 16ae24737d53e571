import { expect, test } from "bun:test";
import { builtInControllers } from "../../../src/controllers/index.ts";
import { ownersUnnoticed } from "../../../src/modes/preflight/owner-watch.ts";

test("for each controller it is known whether another owner would be noticed while it runs", () => {
  expect(ownersUnnoticed(builtInControllers)).toEqual([
    "ttl-after-finished",
    "garbage-collector",
    "persistentvolumeclaim-protection",
    "persistentvolume-protection",
    "volumeattributesclass-protection",
    "resourceclaim",
    "device-taint-eviction",
    "node-lifecycle",
    "taint-eviction",
    "pod-garbage-collector",
    "ttl",
    "root-ca-certificate-publisher",
    "certificatesigningrequest-approving",
    "certificatesigningrequest-cleaner",
    "clusterrole-aggregation",
    "legacy-serviceaccount-token-cleaner",
    "serviceaccount",
    "serviceaccount-token",
    "token-cleaner",
    "bootstrap-signer",
    "validatingadmissionpolicy-status",
  ]);
});
