/** The same user's actions, against kube-controller-manager 1.36.3 and our approval and cleaning of certificate signing requests. */
import { certificates } from "./suites/certificates.ts";
import { testSuite } from "./suite-tests.ts";

testSuite(certificates);
