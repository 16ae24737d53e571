/** The flags of kube-apiserver: which are used, which are noted, and which are refused. */
import { describe, expect, test } from "bun:test";
import { readKubeApiserverFlags } from "../../../plugin/stand-ins/kube-apiserver-options.ts";

const read = (...args: string[]): ReturnType<typeof readKubeApiserverFlags> => readKubeApiserverFlags(args);
const why = (...args: string[]): string => {
  try {
    read(...args);
    return "taken";
  } catch (error) {
    return String(error);
  }
};

describe("readKubeApiserverFlags", () => {
  test("parses values after = and as the next word, underscores as dashes, and booleans without a value", () => {
    const { options } = read(
      "--secure_port",
      "1234",
      "--cert-dir=/certs",
      "--anonymous-auth",
      "--authorization-mode=RBAC",
    );
    expect(options).toMatchObject({ port: 1234, certDir: "/certs", anonymous: true, authorization: "RBAC" });
  });

  test("takes the last of several values, and all of those of a list", () => {
    const { options } = read("--secure-port=1", "--secure-port=2", "--api-audiences=a,b", "--api-audiences=c");
    expect([options.port, options.audiences]).toEqual([2, ["a", "b", "c"]]);
  });

  test("permits everything without --authorization-mode, so that no user is anonymous", () => {
    expect(read().options).toMatchObject({ authorization: "AlwaysAllow", anonymous: false });
    expect(read("--authorization-mode=Node,RBAC")).toMatchObject({
      options: { authorization: "RBAC", anonymous: true },
      notes: ["--authorization-mode=Node: kubelets may do what RBAC lets them"],
    });
  });

  test("reports flags without effect in one line, except those that no client can notice", () => {
    expect(read("--etcd-servers=x", "-v=4", "--allow-privileged=true", "--watch-cache=false").notes).toEqual([]);
    expect(read("--feature-gates=A=true", "--allow-privileged=false", "--runtime-config=api/all=true").notes).toEqual([
      "without effect in the sandbox: --allow-privileged, --feature-gates, --runtime-config",
    ]);
    expect(read("--enable-admission-plugins=AlwaysPullImages,Priority").notes).toEqual([
      "--enable-admission-plugins: the sandbox does not have AlwaysPullImages",
    ]);
  });

  test("accepts ranges of Service addresses, of the family of the advertised address", () => {
    expect(read().options.serviceRanges).toEqual(["10.0.0.0/24"]);
    const both = "--service-cluster-ip-range=fd00::/112,10.96.0.0/16";
    expect(read(both).options.serviceRanges).toEqual(["fd00::/112", "10.96.0.0/16"]);
    expect(why(both, "--advertise-address=127.0.0.1")).toBe(
      'FlagError: service IP family "fd00::/112" must match public address family "127.0.0.1"',
    );
  });

  test("keeps an audit log only with a policy", () => {
    expect(read("--audit-log-path=log", "--audit-policy-file=policy").options.audit).toEqual({
      log: "log",
      policy: "policy",
    });
    const { options, notes } = read("--audit-log-path=log");
    expect([options.audit, notes]).toEqual([
      undefined,
      ["--audit-log-path: no events are written without --audit-policy-file"],
    ]);
  });

  test.each([
    ["--foo=bar", "FlagError: unknown flag: --foo"],
    ["--secure-port", "FlagError: flag needs an argument: --secure-port"],
    ["stray", 'FlagError: unknown command "stray"'],
    [
      "--secure-port=many",
      'FlagError: invalid argument "many" for "--secure-port" flag: a port is a number from 0 to 65535',
    ],
    [
      "--anonymous-auth=perhaps",
      'FlagError: invalid argument "perhaps" for "--anonymous-auth" flag: strconv.ParseBool: parsing "perhaps": invalid syntax',
    ],
    ["--service-cluster-ip-range=10.0.0.0", "FlagError: service-cluster-ip-range[0] is not a valid cidr"],
    ["--disable-admission-plugins=Nonsense", 'FlagError: disable-admission-plugins plugin "Nonsense" is unknown'],
    ["--authorization-mode=Magic", 'FlagError: authorization-mode "Magic" is not a valid mode'],
    [
      "--authorization-mode=Webhook",
      "FlagError: --authorization-mode=Webhook is not served by the sandbox: RBAC and AlwaysAllow are",
    ],
    [
      "--tls-cert-file=x",
      "FlagError: --tls-cert-file and --tls-private-key-file belong together: give both, or neither",
    ],
    [
      "--oidc-issuer-url=https://x",
      "FlagError: --oidc-issuer-url is not served by the sandbox: start without it, or test on a real kube-apiserver",
    ],
  ])("refuses %s", (arg, message) => {
    expect(why(...(arg.startsWith("--authorization") ? [] : ["--authorization-mode=RBAC"]), arg)).toBe(message);
  });
});
