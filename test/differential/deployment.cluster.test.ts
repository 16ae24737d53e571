/** The same user's actions, against kube-controller-manager 1.36.3 and our Deployment and ReplicaSet controllers. */
import { deployments } from "./suites/deployment.ts";
import { testSuite } from "./suite-tests.ts";

testSuite(deployments);
