import { describe, expect, test } from "bun:test";
import { serviceRangesIn } from "../../../plugin/names/service-ranges.ts";

describe("--service-cluster-ip-range", () => {
  test("is one range, or one of each family", () => {
    expect(serviceRangesIn("10.96.0.0/16")).toEqual(["10.96.0.0/16"]);
    expect(serviceRangesIn("fd00::/108,10.96.0.0/16")).toEqual(["fd00::/108", "10.96.0.0/16"]);
  });

  test("is refused with kube-apiserver's message, and a suggestion", () => {
    expect(() => serviceRangesIn("10.96.0.0/16,")).toThrow(
      "--service-cluster-ip-range 10.96.0.0/16,: service-cluster-ip-range[1] is not an ip net",
    );
  });
});
