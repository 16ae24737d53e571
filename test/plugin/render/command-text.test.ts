import { describe, expect, test } from "bun:test";
import { commandLines, withCommand } from "../../../plugin/render/command-text.ts";
import { quoted } from "../../../plugin/cli/advice.ts";

const long = `kubectl logs web-6d5f4c-x7k2p -c web --previous -n shop --as ${quoted("it's me, an operator's author")}`;

/** The words that a shell makes of the lines when they are pasted. */
async function pasted(lines: readonly string[]): Promise<readonly string[]> {
  const shell = Bun.spawn(["sh", "-c", lines.join("\n").replace(/^kubectl/, 'printf "%s\\n"')], { stdout: "pipe" });
  return (await new Response(shell.stdout).text()).trimEnd().split("\n");
}

describe("a command that is wider than the screen", () => {
  test.each([80, 60, 40, 20])("can be pasted from %d columns", async (columns) => {
    const lines = commandLines(long, columns);
    expect(lines.length).toBeGreaterThan(1);
    const words = ["logs", "web-6d5f4c-x7k2p", "-c", "web", "--previous", "-n", "shop", "--as"];
    expect(await pasted(lines)).toEqual([...words, "it's me, an operator's author"]);
    // A word that is too long by itself is not broken.
    for (const line of lines.filter((each) => !each.includes("'"))) expect(line.length).toBeLessThanOrEqual(columns);
  });

  test("stays on one line if it fits, and in a pipe", () => {
    expect(commandLines(long, undefined)).toEqual([long]);
    expect(commandLines("kubectl get pods", 16)).toEqual(["kubectl get pods"]);
    expect(withCommand("see it:", "kubectl get pods", 24)).toEqual(["see it: kubectl get pods"]);
  });

  test("goes below its description if both do not fit on one line", () => {
    expect(withCommand("see it:", "kubectl get pods", 20)).toEqual(["see it:", "  kubectl get pods"]);
    expect(withCommand("see it:", "kubectl get pods -n shop", 20)).toEqual([
      "see it:",
      "  kubectl get \\",
      "    pods -n shop",
    ]);
  });

  test("is unchanged if its quotes are not simple", () => {
    expect(commandLines("kubectl get 'pods -n shop", 10)).toEqual(["kubectl get 'pods -n shop"]);
  });
});
