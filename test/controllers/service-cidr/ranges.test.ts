import { describe, expect, test } from "bun:test";
import {
  containsPrefix,
  containsServiceAddress,
  type IpPrefix,
  overlaps,
  prefixOf,
} from "../../../src/api/ip-prefix.ts";
import { containing, overlapping, removalOf } from "../../../src/controllers/service-cidr/ranges.ts";
import { addressOf, cidrOf } from "./objects.ts";

function range(text: string): IpPrefix {
  const prefix = prefixOf(text);
  if (prefix === undefined) throw new Error(`${text} is no range`);
  return prefix;
}

describe("a range", () => {
  for (const text of [
    "",
    "10.0.0.0",
    "10.0.0.0/33",
    "10.0.0.0/-1",
    "10.0.0.0/8/8",
    "2001:db8::/129",
    "x/8",
    "10.0.0.0/",
  ])
    test(`is not ${JSON.stringify(text)}`, () => expect(prefixOf(text)).toBeUndefined());

  for (const { one, other, both, outer } of [
    { one: "10.0.0.0/8", other: "10.1.0.0/16", both: true, outer: true },
    { one: "10.1.0.0/16", other: "10.0.0.0/8", both: true, outer: false },
    { one: "10.0.0.0/8", other: "10.0.0.0/8", both: true, outer: true },
    { one: "10.1.0.0/16", other: "10.2.0.0/16", both: false, outer: false },
    { one: "0.0.0.0/0", other: "::/0", both: false, outer: false },
    { one: "2001:db8::/64", other: "2001:db8::/112", both: true, outer: true },
    { one: "10.1.2.3/8", other: "10.0.0.0/16", both: true, outer: true },
  ]) {
    test(`${one} ${both ? "overlaps" : "does not overlap"} ${other}${outer ? ", and contains it" : ""}`, () => {
      expect([overlaps(range(one), range(other)), containsPrefix(range(one), range(other))]).toEqual([both, outer]);
    });
  }

  for (const { of, has, lacks } of [
    {
      of: "192.168.0.0/24",
      has: ["192.168.0.1", "192.168.0.254"],
      lacks: ["192.168.0.0", "192.168.0.255", "192.168.1.1"],
    },
    { of: "10.0.0.0/31", has: [], lacks: ["10.0.0.0", "10.0.0.1"] },
    { of: "10.0.0.5/32", has: [], lacks: ["10.0.0.5"] },
    {
      of: "2001:db8::/112",
      has: ["2001:db8::1", "2001:db8::ffff"],
      lacks: ["2001:db8::", "2001:db8::1:0", "10.0.0.1"],
    },
    { of: "0.0.0.0/0", has: ["10.0.0.1"], lacks: ["::1", "x"] },
  ]) {
    test(`${of} has addresses for Services except its first and, for IPv4, its last`, () => {
      expect([...has, ...lacks].filter((address) => containsServiceAddress(range(of), address))).toEqual(has);
    });
  }
});

describe("ServiceCIDRs", () => {
  const all = [
    cidrOf("small", ["192.168.0.0/24"]),
    cidrOf("same", ["192.168.0.0/24", "2001:db8::/112"]),
    cidrOf("large", ["192.168.0.0/16"]),
    cidrOf("other", ["10.0.0.0/16"]),
    cidrOf("six", ["2001:db8::/96"]),
  ];

  for (const { address, names } of [
    { address: "192.168.0.1", names: ["small", "same", "large"] },
    { address: "192.168.0.0", names: [] },
    { address: "192.168.0.255", names: ["large"] },
    { address: "2001:db8::1", names: ["same", "six"] },
    { address: "2001:db8::ffff:ffff", names: ["six"] },
    { address: "172.16.0.1", names: [] },
  ])
    test(`that contain ${address}`, () => expect(containing(addressOf(address), all)).toEqual(names));

  for (const { cidrs, names } of [
    { cidrs: ["192.168.0.0/20"], names: ["small", "same", "large"] },
    { cidrs: ["10.0.1.0/24", "2001:db8::/120"], names: ["same", "other", "six"] },
    { cidrs: ["172.16.0.0/12"], names: [] },
  ])
    test(`that overlap ${cidrs.join(" and ")}`, () => expect(overlapping(cidrOf("new", cidrs), all)).toEqual(names));
});

describe("a ServiceCIDR that is being deleted", () => {
  const going = cidrOf("going", ["192.168.0.0/24", "2001:db8::/112"]);
  const removal = (others: readonly ReturnType<typeof cidrOf>[], ...addresses: string[]): string => {
    const found = removalOf(going, { all: [going, ...others], addresses: addresses.map((each) => addressOf(each)) });
    return found.is === "contained"
      ? `within ${found.within.join()}`
      : found.is === "held"
        ? `held by ${found.by}`
        : found.is;
  };

  for (const { says, others, addresses, found } of [
    { says: "is free without addresses", others: [], addresses: [], found: "unused" },
    { says: "is blocked by an address", others: [], addresses: ["192.168.0.1"], found: "held by 192.168.0.1" },
    {
      says: "is blocked by one of the second range",
      others: [],
      addresses: ["2001:db8::1"],
      found: "held by 2001:db8::1",
    },
    {
      says: "is blocked by the last address of IPv6",
      others: [],
      addresses: ["2001:db8::ffff"],
      found: "held by 2001:db8::ffff",
    },
    {
      says: "is not blocked by its first address",
      others: [],
      addresses: ["192.168.0.0", "2001:db8::"],
      found: "unused",
    },
    { says: "is not blocked by the last one of IPv4", others: [], addresses: ["192.168.0.255"], found: "unused" },
    { says: "is not blocked by one outside", others: [], addresses: ["10.0.0.1"], found: "unused" },
    {
      says: "is free inside others with the same ranges",
      others: [cidrOf("a", ["192.168.0.0/24"]), cidrOf("b", ["2001:db8::/112"])],
      addresses: ["192.168.0.1", "2001:db8::1"],
      found: "within a,b",
    },
    {
      says: "is free inside a larger one, even if that is being deleted",
      others: [cidrOf("a", ["192.168.0.0/16", "2001:db8::/96"], { deletedAgoMs: 0 })],
      addresses: ["192.168.0.1"],
      found: "within a",
    },
    {
      says: "is blocked if only one of its ranges is in another",
      others: [cidrOf("a", ["192.168.0.0/16"])],
      addresses: ["192.168.0.1", "2001:db8::1"],
      found: "held by 2001:db8::1",
    },
    {
      says: "is free if a smaller one has the address",
      others: [cidrOf("a", ["192.168.0.0/28"])],
      addresses: ["192.168.0.1"],
      found: "unused",
    },
    {
      says: "is blocked if a smaller one does not have it",
      others: [cidrOf("a", ["192.168.0.0/28"])],
      addresses: ["192.168.0.1", "192.168.0.100"],
      found: "held by 192.168.0.100",
    },
  ])
    test(says, () => expect(removal(others, ...addresses)).toBe(found));

  test("is not blocked by addresses that do not belong to a Service", () => {
    const addresses = [addressOf("192.168.0.1", "me")];
    expect(removalOf(going, { all: [going], addresses }).is).toBe("unused");
  });

  test("without a range is free", () => {
    const empty = cidrOf("empty", []);
    expect(removalOf(empty, { all: [empty], addresses: [addressOf("192.168.0.1")] })).toEqual({
      is: "contained",
      within: [],
    });
  });
});
