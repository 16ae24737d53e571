/** Deletion of namespaces, compared with kube-controller-manager 1.36.3 and on the sandbox. */
import { namespaces } from "./suites/namespace.ts";
import { testSuite } from "./suite-tests.ts";

testSuite(namespaces);
