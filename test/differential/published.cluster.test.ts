/**
 * The same user's actions, against kube-controller-manager 1.36.3 and our publisher of the root certificate, our aggregation of
 * ClusterRoles and our controller of ephemeral volumes.
 */
import { published } from "./suites/published.ts";
import { testSuite } from "./suite-tests.ts";

testSuite(published);
