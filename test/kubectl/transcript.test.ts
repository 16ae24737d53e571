import { expect, test } from "bun:test";
import { erased } from "./erase.ts";
import { wordsOf } from "./script.ts";
import { entriesOf, entryOf, transcriptOf, withSortedManagers } from "./transcript.ts";

test("a command line is split at blanks, except within quotes", () => {
  expect(wordsOf(`patch cm first -p '{"a": "b c"}' --x='y z'`)).toEqual([
    "patch",
    "cm",
    "first",
    "-p",
    '{"a": "b c"}',
    "--x=y z",
  ]);
});

test("a transcript is parsed as it was written", () => {
  const entries = [
    entryOf("get cm", { stdout: "NAME\n\n$ kubectl one\n", stderr: "", code: 0 }),
    entryOf("get nothing", { stdout: "", stderr: "error: there is none\n", code: 1 }),
  ];
  expect(entries[0]).toBe("$ kubectl get cm\n| NAME\n|\n| $ kubectl one");
  expect(entries[1]).toBe("$ kubectl get nothing\n! error: there is none\n= 1");
  expect(entriesOf(transcriptOf(entries))).toEqual(entries);
});

test("field managers are sorted, each with its fields, and nothing else is", () => {
  const entry = (manager: string, field: string): string =>
    `  - apiVersion: v1\n    fieldsV1:\n      f:data:\n        f:${field}: {}\n    manager: ${manager}\n`;
  const printed = (...entries: readonly string[]): string =>
    transcriptOf([
      entryOf("get cm", {
        stdout: `metadata:\n  managedFields:\n${entries.join("")}  name: a\n- z\n- b\n`,
        stderr: "",
        code: 0,
      }),
    ]);
  const [one, other] = [entry("kubectl", "b"), entry("other", "a")];
  expect(printed(one, other)).not.toBe(printed(other, one));
  expect(withSortedManagers(printed(one, other))).toBe(withSortedManagers(printed(other, one)));
  expect(withSortedManagers(printed(one, other)).split("\n").toSorted()).toEqual(
    printed(one, other).split("\n").toSorted(),
  );
  const others = withSortedManagers(printed(entry("kubectl", "a"), entry("other", "b")));
  expect(withSortedManagers(printed(one, other))).not.toBe(others);
});

test("differences between runs are erased, and nothing else", () => {
  expect(erased("web   3/3   10.0.12.7   <none>   80/TCP   5m3s   app=shop")).toBe(
    "web  3/3  IP  <none>  80/TCP  AGE  app=shop",
  );
  expect(erased("  limits:\n    cpu: 100m")).toBe("  limits:\n    cpu: 100m");
  expect(erased("+    cpu: 100m\n-    cpu: 200m")).toBe("+    cpu: 100m\n-    cpu: 200m");
  expect(erased("1 (5m ago)")).toBe("1 (AGE ago)");
  expect(erased("one   10.1.2.3   30111/TCP")).toBe("one  10.1.2.3  30111/TCP");
  expect(erased('uid: 0e7b1c5e-6c1d-4d0c-9d5c-0a2f1c7b8e9d\nresourceVersion: "17"')).toBe(
    'uid: UID\nresourceVersion: "N"',
  );
  expect(erased("--- /tmp/LIVE-123/v1.ConfigMap.a.b\t2026-01-01 00:00:00 +0000")).toBe("--- LIVE/v1.ConfigMap.a.b");
});
