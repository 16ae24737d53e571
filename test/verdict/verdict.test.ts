import { describe, expect, test } from "bun:test";
import { judge, type Unseen, unseenText } from "../../src/verdict/verdict.ts";

const noEvents: Unseen = { what: "events", why: "no right to list", isDecisive: false };
const noPods: Unseen = { what: "pods", why: "no right to list", isDecisive: true };

describe("judge()", () => {
  test("is well if everything was checked and nothing was found", () => {
    const verdict = judge({ seen: ["3 Pods"], unseen: [], findings: [] });
    expect(verdict.is).toBe("well");
    expect(verdict.evidence).toEqual({ seen: ["3 Pods"], unseen: [] });
  });

  test("is never well without a check", () => {
    expect(judge({ seen: [], unseen: [], findings: [] })).toMatchObject({
      is: "cannot tell",
      because: "nothing was checked",
    });
  });

  test("is unknown if something decisive was not checked, whatever else was", () => {
    const verdict = judge({ seen: ["Deployment web"], unseen: [noEvents, noPods], findings: [] });
    expect(verdict).toMatchObject({ is: "cannot tell", because: "not seen: pods (no right to list)" });
    expect(verdict.evidence.unseen).toEqual([noEvents, noPods]);
  });

  test("names what was not checked beside a good verdict that does not depend on it", () => {
    const verdict = judge({ seen: ["3 Pods"], unseen: [noEvents], findings: [] });
    expect(verdict.is).toBe("well");
    expect(verdict.evidence.unseen).toEqual([noEvents]);
  });

  test("is unknown if too little was seen, though nothing was left out", () => {
    const verdict = judge({ seen: ["3 Pods"], unseen: [noPods], tooLittle: ["watched for 4 s"], findings: [] });
    expect(verdict).toMatchObject({ is: "cannot tell", because: "watched for 4 s; not seen: pods (no right to list)" });
    expect(verdict.evidence.tooLittle).toEqual(["watched for 4 s"]);
  });

  test("keeps a finding, however little was checked", () => {
    const verdict = judge({ seen: [], unseen: [noPods], findings: ["0 of 3 pods", "quota"] });
    expect(verdict).toMatchObject({ is: "found", findings: ["0 of 3 pods", "quota"] });
  });
});

describe("unseenText()", () => {
  test("is empty if everything was checked", () => expect(unseenText([])).toBe(""));

  test("gives each reason once", () => {
    const claims: Unseen = { what: "claims", why: "the server has no such kind", isDecisive: false };
    expect(unseenText([noEvents, noPods, claims])).toBe(
      "not seen: events, pods (no right to list); claims (the server has no such kind)",
    );
  });
});
