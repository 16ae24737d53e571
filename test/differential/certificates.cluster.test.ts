/** The same user actions, run against kube-controller-manager 1.36.3 and against our certificate approval and cleanup controllers. */
import { certificates } from "./suites/certificates.ts";
import { testSuite } from "./suite-tests.ts";

testSuite(certificates);
