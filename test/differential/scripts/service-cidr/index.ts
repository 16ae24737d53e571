/** Written scripts. */
import { ServiceCidrs } from "../../../../src/api/kinds.ts";
import type { Script, Step } from "../../suite.ts";
import { type Address, act, makeAddress, makeCidr, type Range, rangeText, removeAddress, removeCidr } from "./acts.ts";
import { ownName } from "../../stage.ts";

const cidr = (name: string, ...ranges: Range[]): Step =>
  act(`create ServiceCIDR ${name} of ${ranges.join(" and ")}`, (stage) => makeCidr(stage, name, ranges));
const given = (name: Address): Step => act(`assign ${name} to a Service`, (stage) => makeAddress(stage, name));
const lost = (name: Address): Step => act(`release ${name}`, (stage) => removeAddress(stage, name));
const deleted = (name: string): Step => act(`delete ServiceCIDR ${name}`, (stage) => removeCidr(stage, name));
const changed = (name: string, what: string, body: object): Step =>
  act(`ServiceCIDR ${name}: ${what}`, (stage) =>
    stage.patch(
      ServiceCidrs,
      name.includes("/") ? `${ownName(stage, name.split("/")[0] ?? "")}/status` : ownName(stage, name),
      body,
    ),
  );

const notReady = {
  status: {
    conditions: [
      { type: "Ready", status: "False", reason: "Test", message: "x", lastTransitionTime: "2026-01-01T00:00:00Z" },
    ],
  },
};

export const scripts: readonly Script[] = [
  {
    name: "a ServiceCIDR is created, modified, and removed 10 s after its deletion",
    steps: [
      cidr("one", "all4"),
      changed("one", "remove its finalizers", { metadata: { finalizers: null } }),
      changed("one", "set only another finalizer", { metadata: { finalizers: ["example.com/hold"] } }),
      changed("one/status", "set it to not ready", notReady),
      changed("one", "add a label", { metadata: { labels: { team: "red" } } }),
      act("add a second range", (stage) =>
        stage.patch(ServiceCidrs, ownName(stage, "one"), {
          spec: { cidrs: [rangeText(stage, "all4"), rangeText(stage, "all6")] },
        }),
      ),
      changed("one", "remove the other finalizer", {
        metadata: { finalizers: ["networking.k8s.io/service-cidr-finalizer"] },
      }),
      deleted("one"),
    ],
  },
  {
    name: "an address keeps a deleted ServiceCIDR until its Service releases it",
    steps: [cidr("one", "low4"), given("low4"), deleted("one"), lost("low4")],
  },
  {
    name: "an IPv6 address, the last one of its range",
    steps: [cidr("one", "low4", "low6"), given("last6"), deleted("one"), given("low6"), lost("last6"), lost("low6")],
  },
  {
    name: "addresses that no Service can get from a range do not keep it",
    steps: [
      cidr("low", "low4"),
      cidr("high", "high4"),
      given("last4"),
      given("first4"),
      act("create an address of another manager", (stage) => makeAddress(stage, "low4", "example.com")),
      deleted("low"),
      deleted("high"),
    ],
  },
  {
    name: "a larger range takes over the addresses, whether it is created before or after",
    steps: [
      cidr("low", "low4"),
      given("low4"),
      given("high4"),
      deleted("low"),
      cidr("all", "all4"),
      cidr("high", "high4"),
      deleted("high"),
      deleted("all"),
      cidr("again", "low4"),
      lost("high4"),
      deleted("again"),
      lost("low4"),
    ],
  },
  {
    name: "two with the same range",
    steps: [cidr("one", "all4"), cidr("two", "all4"), given("low4"), deleted("one"), deleted("two"), lost("low4")],
  },
  {
    name: "smaller ranges that contain only some of the addresses",
    steps: [
      cidr("all", "all4", "all6"),
      cidr("low", "low4"),
      given("low4"),
      given("high4"),
      deleted("all"),
      cidr("high", "high4"),
      deleted("low"),
      lost("low4"),
      deleted("high"),
      lost("high4"),
    ],
  },
];
