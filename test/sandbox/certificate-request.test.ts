import { expect, test } from "bun:test";
import { organizationsIn } from "../../src/sandbox/meta/certificate-request.ts";
import { defaultPluginRequests } from "../contract/cases/default-plugins.ts";

test("organizationsIn() returns the organizations of a certificate request's subject, in their order", () => {
  expect(organizationsIn(defaultPluginRequests.bob)).toEqual(["team", "other"]);
  expect(organizationsIn(defaultPluginRequests.eve)).toEqual(["system:masters"]);
});

test("organizationsIn() returns none for an invalid or truncated certificate request", () => {
  const whole = Buffer.from(defaultPluginRequests.bob, "base64").toString();
  const cut = whole.replace(/\n[^-]*\n-----END/, "\n-----END");
  for (const text of ["", "x", whole.replaceAll("REQUEST", "KEY"), cut])
    expect(organizationsIn(Buffer.from(text).toString("base64"))).toEqual([]);
});
