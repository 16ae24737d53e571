/** The same user actions, run against kube-controller-manager 1.36.3 and against our storage protection controllers. */
import { storageProtection } from "./suites/storage-protection.ts";
import { testSuite } from "./suite-tests.ts";

testSuite(storageProtection);
