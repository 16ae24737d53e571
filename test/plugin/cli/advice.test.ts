import { describe, expect, test } from "bun:test";
import { accessWords, kubectlAdvice, quoted, reconcileAdvice } from "../../../plugin/cli/advice.ts";

describe("advice", () => {
  test("repeats the flags that selected the cluster and the user", () => {
    const flags = { kubeconfig: "/home/ann/dev config", context: "dev", as: "bob", asGroup: ["a", "b"] };
    const words = " --kubeconfig '/home/ann/dev config' --context dev --as bob --as-group a --as-group b";
    expect(kubectlAdvice(flags, "get pods")).toBe(`kubectl${words} get pods`);
    expect(reconcileAdvice("kubectl reconcile", flags, "trace deploy/web -n shop")).toBe(
      `kubectl reconcile trace deploy/web -n shop${words}`,
    );
  });

  test("omits other flags", () => expect(accessWords({})).toBe(""));

  test("quotes what a shell would split or expand", () => {
    expect(quoted("system:serviceaccount:shop:web")).toBe("system:serviceaccount:shop:web");
    expect(quoted("o'neil $x")).toBe(String.raw`'o'\''neil $x'`);
  });
});
