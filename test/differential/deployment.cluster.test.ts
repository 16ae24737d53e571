/** The same user actions, run against kube-controller-manager 1.36.3 and against our Deployment and ReplicaSet controllers. */
import { deployments } from "./suites/deployment.ts";
import { testSuite } from "./suite-tests.ts";

testSuite(deployments);
