/** The same nodes, handled by kube-controller-manager 1.36.3 and by our node lifecycle controller. */
import { nodeLifecycles } from "./suites/node-lifecycle.ts";
import { testSuite } from "./suite-tests.ts";

testSuite(nodeLifecycles);
