import { expect, test } from "bun:test";
import { isAtLeast, ownVersion, parseServerVersion } from "../../src/api/server-version.ts";

test("reads the version that a server has, or emulates", () => {
  const built = { gitVersion: "v1.36.3", major: "1", minor: "36" };
  expect(parseServerVersion(built)).toEqual(ownVersion);
  expect(parseServerVersion({ gitVersion: "v1.33.5-gke.100", major: "1", minor: "33+" })).toEqual({
    gitVersion: "v1.33.5-gke.100",
    major: 1,
    minor: 33,
  });
  expect(parseServerVersion({ ...built, emulationMajor: "1", emulationMinor: "34" })).toMatchObject({ minor: 34 });
});

test("assumes its own for what a server does not say", () => {
  for (const response of [undefined, {}, { gitVersion: "v2", major: "", minor: "x" }, { major: "1" }]) {
    expect(parseServerVersion(response)).toMatchObject({ major: ownVersion.major, minor: ownVersion.minor });
  }
  expect(parseServerVersion(undefined).gitVersion).toBe("unknown version");
});

test("compares minor versions", () => {
  const version = parseServerVersion({ gitVersion: "v1.34.0", major: "1", minor: "34" });
  expect([33, 34, 35].map((minor) => isAtLeast(version, minor))).toEqual([true, true, false]);
  expect(isAtLeast({ ...version, major: 2, minor: 0 }, 35)).toBe(true);
});
