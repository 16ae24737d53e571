/**
 * The same user actions, run against kube-controller-manager 1.36.3 and against our root CA publisher, ClusterRole aggregation and
 * ephemeral volume controllers.
 */
import { published } from "./suites/published.ts";
import { testSuite } from "./suite-tests.ts";

testSuite(published);
