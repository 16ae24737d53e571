import { describe, expect, test } from "bun:test";
import { isSecret, markedValues, maskChanges } from "../../src/trace/mask.ts";

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
    { of: secret, path: ".metadata.labels.data", is: false },
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
  test("masks the stringData of a Secret, and says that it changed", () => {
    const changes = [{ path: ".stringData", before: { a: "old" }, after: { a: "new", b: "hidden" } }];
    const masked = maskChanges(secret, changes);
    expect(masked).toHaveLength(1);
    expect(JSON.stringify(masked)).not.toMatch(/old|new|hidden/);
    expect(masked[0]).toHaveProperty("before");
  });

  test("masks fields named for a token at any depth of a value", () => {
    const spec = { token: "s3cret", users: [{ name: "a", bearerToken: "s3cret" }], region: "eu" };
    const [masked] = maskChanges(widget, [{ path: ".spec", after: spec }]);
    expect(masked?.after).toEqual({
      token: "(masked)",
      users: [{ name: "a", bearerToken: "(masked)" }],
      region: "eu",
    });
  });

  test("masks an applied manifest among other annotations completely", () => {
    const applied = "kubectl.kubernetes.io/last-applied-configuration";
    const [masked] = maskChanges(widget, [
      { path: ".metadata.annotations", before: null, after: { [applied]: "s3cret", note: null } },
    ]);
    expect(masked).toEqual({
      path: ".metadata.annotations",
      before: null,
      after: { [applied]: "(masked)", note: null },
    });
  });
});

describe("markedValues", () => {
  const marksOf = (value: unknown): unknown => {
    const [change] = maskChanges(secret, [{ path: ".data.password", before: "none", after: value }]);
    return change && markedValues(change)?.after;
  };

  test("distinguishes equal hidden values from others, without revealing them", () => {
    expect(marksOf("blue")).toEqual(marksOf("blue"));
    expect(marksOf("blue")).not.toEqual(marksOf("green"));
    expect(marksOf({ a: "blue" })).not.toEqual(marksOf({ a: "green" }));
    expect(String(marksOf("blue"))).toMatch(/^[\w-]{43}$/);
  });

  test("keeps values that are not hidden, and is undefined for none", () => {
    const spec = (token: string): object => ({ token, region: "eu" });
    const changes = [
      { path: ".spec", before: spec("a"), after: spec("b") },
      { path: ".spec.size", after: 1 },
    ];
    const [hidden, open] = maskChanges(widget, changes);
    const { before, after } = (hidden && markedValues(hidden)) as Record<"before" | "after", Record<string, string>>;
    expect(before["region"]).toBe("eu");
    expect(before["token"]).not.toBe(after["token"]);
    expect(open && markedValues(open)).toBeUndefined();
  });

  test("is not a part of the change: nothing prints it", () => {
    const [change] = maskChanges(secret, [{ path: ".data.password", after: "blue" }]);
    expect(JSON.parse(JSON.stringify(change))).toEqual({ path: ".data.password", after: "(masked)" });
    expect(Bun.inspect(change)).not.toContain(String(change && markedValues(change)?.after));
  });

  test("differs between processes, so that fingerprints cannot be looked up", async () => {
    const program = `import { fingerprint } from "${import.meta.dir}/../../src/platform/fingerprint.ts"; console.log(fingerprint("blue"))`;
    const run = async (): Promise<string> => {
      const { exited, stdout } = Bun.spawn([process.execPath, "-e", program], { stderr: "ignore" });
      await exited;
      return (await new Response(stdout).text()).trim();
    };
    const [one, other] = await Promise.all([run(), run()]);
    expect(one).toMatch(/^[\w-]{43}$/);
    expect(one).not.toBe(other);
  });
});
