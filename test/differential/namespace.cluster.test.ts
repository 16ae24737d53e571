/** Deleted namespaces, against kube-controller-manager 1.36.3 and our namespace controller, also on the sandbox. */
import { namespaces } from "./suites/namespace.ts";
import { testSuite } from "./suite-tests.ts";

testSuite(namespaces);
