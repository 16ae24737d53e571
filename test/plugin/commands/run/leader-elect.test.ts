import { describe, expect, test } from "bun:test";
import { UserError } from "../../../../plugin/cli/user-error.ts";
import { type LeaderElectFlags, leaderElectOf } from "../../../../plugin/commands/run/leader-elect.ts";
import { readBindAddress } from "../../../../plugin/telemetry/endpoint.ts";

describe("--leader-elect", () => {
  test("has kube-controller-manager's durations, and accepts others", () => {
    expect(leaderElectOf({})).toBeUndefined();
    const durations = { leaseDurationMs: 15_000, renewDeadlineMs: 10_000, retryPeriodMs: 2000 };
    expect(leaderElectOf({ leaderElect: true })).toEqual({ ...durations, name: undefined, namespace: undefined });
    const given = leaderElectOf({
      leaderElect: true,
      leaderElectLeaseDuration: 4000,
      leaderElectRenewDeadline: 3000,
      leaderElectRetryPeriod: 500,
      leaderElectResourceName: "mine",
      leaderElectResourceNamespace: "shop",
    });
    expect(given).toEqual({
      leaseDurationMs: 4000,
      renewDeadlineMs: 3000,
      retryPeriodMs: 500,
      name: "mine",
      namespace: "shop",
    });
  });

  const on = { leaderElect: true } as const;
  const wrong: readonly (readonly [LeaderElectFlags, string])[] = [
    [{ leaderElectRetryPeriod: 500 }, "--leader-elect-retry-period has no effect without --leader-elect"],
    [{ ...on, leaderElectLeaseDuration: 1500 }, "--leader-elect-lease-duration 1.5 s is not a whole number of seconds"],
    [
      { ...on, leaderElectLeaseDuration: 10_000 },
      "--leader-elect-lease-duration must be longer than --leader-elect-renew-deadline",
    ],
    [
      { ...on, leaderElectRetryPeriod: 9000 },
      "--leader-elect-renew-deadline must be longer than 1.2 times --leader-elect-retry-period",
    ],
    [
      { ...on, leaderElectRetryPeriod: 0 },
      "--leader-elect-renew-deadline must be longer than 1.2 times --leader-elect-retry-period",
    ],
  ];
  test.each(wrong)("is refused: %p", (flags, says) => {
    const refused = (): unknown => leaderElectOf(flags);
    expect(refused).toThrow(UserError);
    expect(refused).toThrow(says);
  });
});

test.each([
  ["127.0.0.1:8080", { host: "127.0.0.1", port: 8080 }],
  [":8080", { host: "127.0.0.1", port: 8080 }],
  ["[::1]:80", { host: "::1", port: 80 }],
  ["0.0.0.0:0", { host: "0.0.0.0", port: 0 }],
])("an address: %s", (text, address) => {
  expect(readBindAddress("--metrics-bind-address", text)).toEqual(address);
});

test.each(["", "8080", "localhost", "a:b", "127.0.0.1:70000"])("no address: %p", (text) => {
  expect(() => readBindAddress("--metrics-bind-address", text)).toThrow(UserError);
});
