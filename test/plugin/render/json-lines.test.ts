import { expect, test } from "bun:test";
import { jsonLines } from "../../../plugin/render/json-lines.ts";
import type { Output } from "../../../src/platform/terminal.ts";
import { TraceBus } from "../../../src/trace/bus.ts";

/** An output whose reader has not read `pendingBytes` yet. */
function output(pending: { bytes: number }): { readonly out: Output; readonly written: string[] } {
  const written: string[] = [];
  const out: Output = {
    write: (text) => void written.push(text),
    line: (text) => void written.push(`${text}\n`),
    columns: undefined,
    rows: undefined,
    colours: false,
    get pendingBytes() {
      return pending.bytes;
    },
    flush: () => Promise.resolve(),
  };
  return { out, written };
}

test("a line starts with the version, the number and the time, and a gap has the number of lost events", () => {
  const pending = { bytes: 0 };
  const { out, written } = output(pending);
  const bus = new TraceBus({ now: () => 5 });
  bus.listen(jsonLines(out));
  const say = (): void => void bus.emit({ stage: "link", write: 1, delta: 2, by: "uid" });
  say();
  pending.bytes = 1e9;
  say();
  say();
  pending.bytes = 0;
  say();
  expect(written).toEqual([
    '{"v":1,"seq":1,"at":5,"stage":"link","write":1,"delta":2,"by":"uid"}\n',
    '{"v":1,"stage":"dropped","count":2}\n',
    '{"v":1,"seq":4,"at":5,"stage":"link","write":1,"delta":2,"by":"uid"}\n',
  ]);
});
