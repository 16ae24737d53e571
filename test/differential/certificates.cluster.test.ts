/** The same user's actions, played to kube-controller-manager 1.36.3 and to our approval and cleaning of requests for certificates. */
import { certificates } from "./suites/certificates.ts";
import { testSuite } from "./suite-tests.ts";

testSuite(certificates);
