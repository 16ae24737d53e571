/**
 * ClusterIPs from ranges other than the default one, which the contract tests cover. Based on kubernetes v1.36
 * pkg/registry/core/service/{ipallocator,storage}.
 */
import { describe, expect, test } from "bun:test";
import type { Transport } from "../../src/api/transport.ts";
import { realTimeline } from "../../src/platform/real-timeline.ts";
import { seededRandom } from "../../src/platform/random.ts";
import { serviceRangesOf } from "../../src/sandbox/registry/core/service/address-ranges.ts";
import { createSandbox, type Sandbox, type SandboxOptions } from "../../src/sandbox/sandbox.ts";
import { readState, type SandboxState } from "../../src/sandbox/state/document.ts";
import { type JsonResponse, sendRequest, type Json } from "./support/requests.ts";

const services = "/api/v1/namespaces/default/services";
const ranges = "/apis/networking.k8s.io/v1/servicecidrs";
const addresses = "/apis/networking.k8s.io/v1/ipaddresses";

interface Started {
  readonly sandbox: Sandbox;
  readonly transport: Transport;
  /** Creates a Service; `spec` contains the fields that differ from the default. */
  readonly made: (name: string, spec?: Json, query?: string) => Promise<JsonResponse>;
  readonly changed: (name: string, spec: Json) => Promise<JsonResponse>;
}

async function started(serviceRanges?: readonly string[], more: Partial<SandboxOptions> = {}): Promise<Started> {
  const own = serviceRanges === undefined ? {} : { serviceRanges };
  const sandbox = await createSandbox({ timeline: realTimeline(), random: seededRandom(1), ...own, ...more });
  const transport = sandbox.transport({ actor: "test" });
  return {
    sandbox,
    transport,
    made: (name, spec = {}, query = "") =>
      sendRequest(transport, "POST", services, {
        body: { metadata: { name }, spec: { selector: { a: "b" }, ports: [{ port: 80 }], ...spec } },
        query,
      }),
    changed: (name, spec) => sendRequest(transport, "PATCH", `${services}/${name}`, { body: { spec } }),
  };
}

const specOf = ({ body }: JsonResponse): Json => (body["spec"] ?? { refused: body["message"] }) as Json;
const ipsOf = (response: JsonResponse): unknown => specOf(response)["clusterIPs"] ?? response.body["message"];

/** The prefixes of a Service's ClusterIPs. */
const prefixesOf = ({ clusterIPs }: Json): unknown[] =>
  (clusterIPs as string[]).map((ip) => /^(10\.\d+\.|fd00:)/.exec(ip)?.[0]);

async function names(transport: Transport, path: string): Promise<unknown[]> {
  const { body } = await sendRequest(transport, "GET", path);
  return (body["items"] as { metadata: { name: string } }[]).map(({ metadata }) => metadata.name);
}

describe("the Service ranges of a server", () => {
  test.each([
    { name: "one of IPv4", given: ["10.96.0.0/12"], first: "10.96.0.1", families: ["IPv4"] },
    { name: "one of IPv6", given: ["fd00:10:96::/112"], first: "fd00:10:96::1", families: ["IPv6"] },
    { name: "one of each", given: ["fd00::/108", "10.96.0.0/16"], first: "fd00::1", families: ["IPv6"] },
  ])("$name: their first address is that of the Service kubernetes", async ({ given, first, families }) => {
    const { transport } = await started(given);
    const { body } = await sendRequest(transport, "GET", `${ranges}/kubernetes`);
    expect(body).toMatchObject({ spec: { cidrs: given }, status: { conditions: [{ type: "Ready", status: "True" }] } });
    const kubernetes = await sendRequest(transport, "GET", `${services}/kubernetes`);
    expect(specOf(kubernetes)).toMatchObject({
      clusterIP: first,
      clusterIPs: [first],
      ipFamilies: families,
      ipFamilyPolicy: "SingleStack",
    });
    expect((await sendRequest(transport, "GET", `${addresses}/${first}`)).body["metadata"]).toMatchObject({
      labels: { "ipaddress.kubernetes.io/ip-family": families[0] },
    });
  });

  test("are allocated from their upper part", async () => {
    const { made } = await started(["192.168.0.0/27"]);
    const given = await Promise.all(
      ["a", "b", "c", "d"].map(async (name) => String(specOf(await made(name))["clusterIP"])),
    );
    const last = given.map((ip) => Number(ip.split(".")[3]));
    // The first 16 are reserved for explicit requests, and the network and broadcast addresses are never allocated.
    expect(last.every((number) => number >= 17 && number <= 30)).toBe(true);
    expect(new Set(last).size).toBe(4);
  });

  test("of IPv6 can have any size", async () => {
    const { made } = await started(["fd00::/64"]);
    const [first, second] = [specOf(await made("a"))["clusterIP"], specOf(await made("b"))["clusterIP"]];
    expect([first, second].every((ip) => /^fd00::[0-9a-f:]+$/.test(String(ip)))).toBe(true);
    expect(first).not.toBe(second);
  });

  test("can be deleted: then Services are refused until another ServiceCIDR is ready", async () => {
    const { transport, made } = await started(["10.1.0.0/29"]);
    for (const name of ["a", "b", "c", "d", "e"]) expect((await made(name)).status).toBe(201);
    const full = await made("f");
    expect([full.status, full.body["message"]]).toEqual([
      500,
      'Internal error occurred: failed to allocate a serviceIP for Service "f": range is full',
    ]);
    const more = { metadata: { name: "more" }, spec: { cidrs: ["10.2.0.0/24"] } };
    expect((await sendRequest(transport, "POST", ranges, { body: more })).status).toBe(201);
    expect(String(specOf(await made("f"))["clusterIP"])).toStartWith("10.2.0.");
    expect(ipsOf(await made("g", { clusterIP: "10.2.0.9" }))).toEqual(["10.2.0.9"]);
    const status = {
      conditions: [
        { type: "Ready", status: "False", reason: "x", message: "", lastTransitionTime: "2026-01-01T00:00:00Z" },
      ],
    };
    await sendRequest(transport, "PATCH", `${ranges}/more/status`, { body: { status } });
    expect((await made("h")).status).toBe(500);
    await sendRequest(transport, "DELETE", `${ranges}/more`);
    expect(ipsOf(await made("h", { clusterIP: "10.2.0.10" }))).toBe(
      'Service "h" is invalid: spec.clusterIPs: Invalid value: ["10.2.0.10"]: failed to allocate IP 10.2.0.10: the provided network does not match the current range',
    );
  });
});

describe("a Service", () => {
  test("on one family is refused the other one, and both", async () => {
    const { made } = await started(["10.1.0.0/16"]);
    expect(ipsOf(await made("a", { ipFamilies: ["IPv6"] }))).toBe(
      'Service "a" is invalid: spec.ipFamilies[0]: Invalid value: "IPv6": not configured on this cluster',
    );
    expect(ipsOf(await made("a", { ipFamilyPolicy: "RequireDualStack" }))).toBe(
      'Service "a" is invalid: spec.ipFamilyPolicy: Invalid value: "RequireDualStack": this cluster is not configured for dual-stack services',
    );
    expect(ipsOf(await made("a", { clusterIP: "fd00::5" }))).toBe(
      'Service "a" is invalid: spec.clusterIPs[0]: Invalid value: ["fd00::5"]: IPv6 is not configured on this cluster',
    );
    expect(specOf(await made("a", { ipFamilyPolicy: "PreferDualStack" }))["ipFamilies"]).toEqual(["IPv4"]);
  });

  test("on two families gets the first, or both in the given order", async () => {
    const { transport, made } = await started(["10.1.0.0/16", "fd00::/108"]);
    expect(specOf(await made("a"))["ipFamilies"]).toEqual(["IPv4"]);
    const both = specOf(await made("b", { ipFamilyPolicy: "PreferDualStack" }));
    expect([both["ipFamilies"], prefixesOf(both)]).toEqual([
      ["IPv4", "IPv6"],
      ["10.1.", "fd00:"],
    ]);
    expect(both["clusterIP"]).toBe((both["clusterIPs"] as string[])[0]);
    const other = specOf(await made("c", { ipFamilyPolicy: "RequireDualStack", ipFamilies: ["IPv6"] }));
    expect([other["ipFamilies"], prefixesOf(other)]).toEqual([
      ["IPv6", "IPv4"],
      ["fd00:", "10.1."],
    ]);
    const kept = await names(transport, addresses);
    const given = [both, other].flatMap(({ clusterIPs }) => clusterIPs as string[]);
    expect(given.filter((ip) => !kept.includes(ip))).toEqual([]);
    expect(specOf(await made("d", { clusterIP: "None", selector: {} }))["ipFamilies"]).toEqual(["IPv4", "IPv6"]);
  });

  test("shows its families by its addresses, in any notation", async () => {
    const { transport, made } = await started(["10.1.0.0/16", "fd00::/108"]);
    const requested = { ipFamilyPolicy: "PreferDualStack", clusterIP: "FD00::0005", clusterIPs: ["FD00::0005"] };
    const response = await made("a", requested);
    expect(response.warning).toBe(
      `299 - "spec.clusterIPs[0]: IPv6 address \\"FD00::0005\\" should be in RFC 5952 canonical format (\\"fd00::5\\")"`,
    );
    const given = specOf(response);
    expect(given).toMatchObject({ ipFamilies: ["IPv6", "IPv4"], clusterIP: "FD00::0005" });
    expect(await names(transport, addresses)).toContain("fd00::5");
    expect(ipsOf(await made("b", { clusterIP: "fd00::5" }))).toBe(
      'Service "b" is invalid: spec.clusterIPs: Invalid value: ["fd00::5"]: failed to allocate IP fd00::5: provided IP is already allocated',
    );
    const second = { ipFamilyPolicy: "RequireDualStack", clusterIP: "10.1.0.9", clusterIPs: ["10.1.0.9", "fd00::5"] };
    expect(ipsOf(await made("b", second))).toContain('["10.1.0.9","fd00::5"]: failed to allocate IP fd00::5');
  });

  test("gets a second family and loses it on request", async () => {
    const { transport, made, changed } = await started(["10.1.0.0/16", "fd00::/108"]);
    const [first] = specOf(await made("a"))["clusterIPs"] as string[];
    const upgraded = specOf(await changed("a", { ipFamilyPolicy: "RequireDualStack" }));
    expect([upgraded["ipFamilies"], prefixesOf(upgraded)]).toEqual([
      ["IPv4", "IPv6"],
      ["10.1.", "fd00:"],
    ]);
    expect(upgraded["clusterIP"]).toBe(first);
    const [, second] = upgraded["clusterIPs"] as string[];
    expect(await names(transport, addresses)).toContain(second);
    expect(ipsOf(await changed("a", { ipFamilies: ["IPv4"] }))).toBe(
      'Service "a" is invalid: spec.ipFamilyPolicy: Invalid value: "RequireDualStack": must be \'SingleStack\' to release the secondary IP family',
    );
    expect(ipsOf(await changed("a", { clusterIPs: [first, "fd00::77"] }))).toBe(
      `Service "a" is invalid: spec.clusterIPs[1]: Invalid value: ["${String(first)}","fd00::77"]: may not change once set`,
    );
    const downgraded = specOf(await changed("a", { ipFamilyPolicy: "SingleStack" }));
    expect(downgraded).toMatchObject({ ipFamilies: ["IPv4"], clusterIPs: [first] });
    expect(await names(transport, addresses)).not.toContain(second);
    expect(ipsOf(await changed("a", { ipFamilyPolicy: "PreferDualStack", clusterIPs: [first, "fd01::77"] }))).toBe(
      `Service "a" is invalid: spec.clusterIPs: Invalid value: ["${String(first)}","fd01::77"]: failed to allocate IP fd01::77: the provided network does not match the current range`,
    );
    expect(ipsOf(await changed("a", { ipFamilyPolicy: "PreferDualStack", clusterIPs: [first, "fd00::77"] }))).toEqual([
      first,
      "fd00::77",
    ]);
  });

  test("has an exclusive address even without IPAddresses", async () => {
    const { made } = await started(["fd00::/108"], { apiServerObjects: false });
    expect((await made("a", { clusterIP: "FD00::5" })).status).toBe(201);
    expect(ipsOf(await made("b", { clusterIP: "fd00::5" }))).toContain("provided IP is already allocated");
  });

  test("in a dry run gets the network's address, and none that is out of range", async () => {
    const { made } = await started(["10.1.0.0/24"]);
    expect(ipsOf(await made("a", {}, "dryRun=All"))).toEqual(["10.1.0.0"]);
    // The real server does not check if the address is already allocated.
    expect(ipsOf(await made("a", { clusterIP: "10.1.0.1" }, "dryRun=All"))).toEqual(["10.1.0.1"]);
    expect(ipsOf(await made("a", { clusterIP: "10.2.0.1" }, "dryRun=All"))).toBe(
      'Service "a" is invalid: spec.clusterIPs: Invalid value: ["10.2.0.1"]: failed to allocate IP 10.2.0.1: the provided IP (10.2.0.1) is not in the valid range. The range of valid IPs is 10.1.0.0/24',
    );
  });
});

describe("a saved state", () => {
  const stateOf = ({ sandbox }: Started): SandboxState => readState([...sandbox.save().text].join(""));

  test("keeps its Service ranges", async () => {
    const state = stateOf(await started(["10.1.0.0/16"]));
    expect(String(specOf(await (await started(undefined, { state })).made("a"))["clusterIP"])).toStartWith("10.1.");
  });

  test("accepts a range of the other family, and no others", async () => {
    const one = await started(["10.1.0.0/16"]);
    await one.made("kept", { ipFamilyPolicy: "PreferDualStack" });
    const state = stateOf(one);
    const both = await started(["10.1.0.0/16", "fd00::/108"], { state });
    expect(ipsOf(await both.made("a", { ipFamilyPolicy: "RequireDualStack" }))).toHaveLength(2);
    expect(ipsOf(await both.changed("kept", { selector: { a: "c" } }))).toHaveLength(1);
    expect(ipsOf(await both.changed("kept", { ipFamilyPolicy: "RequireDualStack" }))).toHaveLength(2);
    expect((await sendRequest(both.transport, "GET", `${ranges}/kubernetes`)).body["spec"]).toEqual({
      cidrs: ["10.1.0.0/16", "fd00::/108"],
    });
    expect(await started(["10.2.0.0/16"], { state }).catch((error: unknown) => error)).toMatchObject({
      name: "StateProblem",
      message:
        "has its Services in 10.1.0.0/16, not in 10.2.0.0/16: omit --service-cluster-ip-range, or give it this range",
    });
  });
});

describe("ranges", () => {
  test("are normalized to networks", () => {
    expect(serviceRangesOf(["10.0.0.5/24", "FD00::1/112"])).toEqual(["10.0.0.0/24", "fd00::/112"]);
  });

  test.each([
    { given: "10.0.0.0", why: "service-cluster-ip-range[0] is not a valid cidr" },
    { given: "10.0.0.0/24,x", why: "service-cluster-ip-range[1] is not an ip net" },
    {
      given: "10.0.0.0/30",
      why: "error determining service IP ranges for primary service cidr: the service cluster IP range must be at least 8 IP addresses",
    },
    {
      given: "10.0.0.0/24,10.1.0.0/24",
      why: "--service-cluster-ip-range[0] and --service-cluster-ip-range[1] must be of different IP family",
    },
    {
      given: "10.0.0.0/24,fd00::/112,10.1.0.0/24",
      why: "--service-cluster-ip-range must not contain more than two entries",
    },
    { given: "fd00::/48", why: "shortest allowed prefix length for service CIDR is 64, got 48" },
  ])("$given is refused", ({ given, why }) => {
    expect(() => serviceRangesOf(given.split(","))).toThrow(new RangeError(why));
  });
});
