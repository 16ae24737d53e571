/** The same nodes, before kube-controller-manager 1.36.3 and before our life cycle of nodes. */
import { nodeLifecycles } from "./suites/node-lifecycle.ts";
import { testSuite } from "./suite-tests.ts";

testSuite(nodeLifecycles);
