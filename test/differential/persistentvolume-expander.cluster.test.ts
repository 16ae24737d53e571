/** The same growing claims, against kube-controller-manager 1.36.3 and our expander. */
import { expansion } from "./suites/persistentvolume-expander.ts";
import { testSuite } from "./suite-tests.ts";

testSuite(expansion);
