/** The same growing claims, handled by kube-controller-manager 1.36.3 and by our PersistentVolume expander. */
import { expansion } from "./suites/persistentvolume-expander.ts";
import { testSuite } from "./suite-tests.ts";

testSuite(expansion);
