import { testSuite } from "./suite-tests.ts";
import { garbageCollection } from "./suites/garbage-collector.ts";

testSuite(garbageCollection);
