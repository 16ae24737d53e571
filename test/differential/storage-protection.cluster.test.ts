/** The same user's actions, against kube-controller-manager 1.36.3 and our protection of claims, volumes and their classes. */
import { storageProtection } from "./suites/storage-protection.ts";
import { testSuite } from "./suite-tests.ts";

testSuite(storageProtection);
