import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { TransportError, type ApiBody } from "../../../src/api/transport.ts";
import { FrameSplitter } from "../../../src/client/api/frames.ts";
import { watchStream } from "../../../src/client/api/watch-stream.ts";

const seed = 20261121;
const encoder = new TextEncoder();
const text = fc.string({ unit: "grapheme", maxLength: 40 });
const frame = fc.record({ type: fc.constantFrom("ADDED", "MODIFIED", "DELETED"), object: fc.dictionary(text, text) });

function lines(frames: readonly unknown[]): Uint8Array {
  return encoder.encode(frames.map((one) => `${JSON.stringify(one)}\n`).join(""));
}

function bodyOf(chunks: readonly Uint8Array[], end?: unknown): ApiBody {
  const left = [...chunks];
  return {
    next: () => {
      const chunk = left.shift();
      return chunk === undefined && end !== undefined ? Promise.reject(end) : Promise.resolve(chunk);
    },
    cancel: () => undefined,
  };
}

describe("FrameSplitter", () => {
  test(`returns the same frames wherever the bytes are cut (seed ${seed})`, () => {
    fc.assert(
      fc.property(
        fc.array(frame, { maxLength: 6 }),
        fc.array(fc.double({ min: 0, max: 1, noNaN: true })),
        (frames, at) => {
          const bytes = lines(frames);
          const cuts = [0, ...at.map((x) => Math.floor(x * bytes.length)), bytes.length].sort((a, b) => a - b);
          const splitter = new FrameSplitter<unknown>();
          const seen = cuts.slice(1).flatMap((end, i) => splitter.push(bytes.subarray(cuts[i], end)) as unknown[]);
          expect(seen).toEqual(frames);
          expect(splitter.cut).toBe(false);
        },
      ),
      { seed, numRuns: 300 },
    );
  });

  test("accepts chunks of one byte, with characters of one to four bytes", () => {
    const frames = [
      { type: "ADDED", object: { a: "aé€😀" } },
      { type: "DELETED", object: { ß: "\u2028" } },
    ];
    const splitter = new FrameSplitter<unknown>();
    const seen = [...lines(frames)].flatMap((byte) => splitter.push(Uint8Array.of(byte)) as unknown[]);
    expect(seen).toEqual(frames);
  });

  test("does not keep a chunk that is overwritten after the push, once its frames are complete", () => {
    const splitter = new FrameSplitter<unknown>();
    const bytes = encoder.encode('{"type":"ADDED","object":1}\n{"type":');
    expect(splitter.push(bytes)).toHaveLength(1);
    bytes.fill(0);
    expect(splitter.push(encoder.encode('"ADDED","object":2}\n'))).toEqual([{ type: "ADDED", object: 2 } as never]);
  });

  test("throws a SyntaxError for a line that is not JSON", () => {
    expect(() => new FrameSplitter().push(encoder.encode("<html>\n"))).toThrow(SyntaxError);
  });
});

describe("watchStream", () => {
  test("returns the frames of a chunk together, and counts bytes", async () => {
    const bytes = lines([{ type: "ADDED" }, { type: "MODIFIED" }]);
    const stream = watchStream(bodyOf([bytes]));
    expect(await stream.next()).toHaveLength(2);
    expect(stream.bytes).toBe(bytes.length);
    expect(await stream.next()).toBeUndefined();
  });

  test("waits for the chunk that ends a frame", async () => {
    const bytes = lines([{ type: "ADDED", object: {} }]);
    const stream = watchStream(bodyOf([bytes.subarray(0, 5), bytes.subarray(5, 9), bytes.subarray(9)]));
    expect(await stream.next()).toHaveLength(1);
  });

  test("fails if the stream ends inside a frame", async () => {
    const whole = lines([{ type: "ADDED" }]);
    for (let cut = 1; cut < whole.length; cut++) {
      const error = await watchStream(bodyOf([whole.subarray(0, cut)]))
        .next()
        .catch((e: unknown) => e);
      expect(error).toBeInstanceOf(TransportError);
    }
  });

  test("passes on the error that broke the connection", async () => {
    const broken = new TransportError("reset");
    expect(
      await watchStream(bodyOf([], broken))
        .next()
        .catch((e: unknown) => e),
    ).toBe(broken);
  });
});
