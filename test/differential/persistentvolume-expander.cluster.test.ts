/** The same claims that grow, before kube-controller-manager 1.36.3 and before our expander. */
import { expansion } from "./suites/persistentvolume-expander.ts";
import { testSuite } from "./suite-tests.ts";

testSuite(expansion);
