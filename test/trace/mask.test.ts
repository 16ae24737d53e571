import { describe, expect, test } from "bun:test";
import { isSecret, maskChanges } from "../../src/trace/mask.ts";

const secret = { group: "", kind: "Secret" };
const widget = { group: "example.com", kind: "Widget" };

describe("isSecret", () => {
  test.each([
    { of: secret, path: ".data.password", is: true },
    { of: secret, path: '.data["tls.key"]', is: true },
    { of: secret, path: ".stringData.password", is: true },
    { of: secret, path: '.stringData["tls.key"]', is: true },
    { of: secret, path: ".stringData", is: true },
    { of: secret, path: ".type", is: false },
    { of: { group: "", kind: "ConfigMap" }, path: ".data.mode", is: false },
    { of: { group: "example.com", kind: "Secret" }, path: ".data.mode", is: false },
    { of: widget, path: ".spec.token", is: true },
    { of: widget, path: ".spec.accessToken", is: true },
    { of: widget, path: ".spec.auth.refreshToken", is: true },
    { of: widget, path: ".status.bearerToken", is: true },
    { of: widget, path: ".spec.tokens", is: false },
    { of: widget, path: ".spec.tokenRequests", is: false },
    { of: widget, path: '.metadata.annotations["kubectl.kubernetes.io/last-applied-configuration"]', is: true },
  ])("$of.group $of.kind $path: $is", ({ of, path, is }) => expect(isSecret(of, path)).toBe(is));
});

describe("maskChanges", () => {
  test("masks what a Secret gets by stringData, and says that it changed", () => {
    const changes = [{ path: ".stringData", before: { a: "old" }, after: { a: "new", b: "hidden" } }];
    const masked = maskChanges(secret, changes);
    expect(masked).toHaveLength(1);
    expect(JSON.stringify(masked)).not.toMatch(/old|new|hidden/);
    expect(masked[0]).toHaveProperty("before");
  });

  test("masks fields named for a token wherever they stand in a value", () => {
    const spec = { token: "s3cret", users: [{ name: "a", bearerToken: "s3cret" }], region: "eu" };
    const [masked] = maskChanges(widget, [{ path: ".spec", after: spec }]);
    expect(masked?.after).toEqual({
      token: "(masked)",
      users: [{ name: "a", bearerToken: "(masked)" }],
      region: "eu",
    });
  });
});
