import { expect, test } from "bun:test";
import { generatedPrefix } from "../../src/api/generated-name.ts";

test("a name is generated if it is a prefix and five letters that no word has", () => {
  expect(generatedPrefix({ name: "web-x7k2p", generateName: "web-" })).toBe("web-");
  const long = "w".repeat(70);
  expect(generatedPrefix({ name: `${long.slice(0, 58)}x7k2p`, generateName: long })).toBe(long);
});

test("a chosen name is not, whatever prefix the object has", () => {
  for (const [name, generateName] of [
    ["db-0", "db-"],
    ["db-12345", "db-"],
    ["web-x7k2", "web-"],
    ["web-x7k2pp", "web-"],
    ["other-x7k2p", "web-"],
    ["x7k2p", ""],
    ["web-x7k2p", undefined],
  ] as const)
    expect(generatedPrefix({ name, ...(generateName !== undefined && { generateName }) })).toBeUndefined();
});
