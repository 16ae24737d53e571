import { describe, expect, test } from "bun:test";
import { command, flag } from "../../../plugin/cli/command.ts";
import type { Io } from "../../../plugin/cli/io.ts";
import { inSession, type OnSignal, type Session } from "../../../plugin/cli/session.ts";
import { UserError } from "../../../plugin/cli/user-error.ts";
import { seededRandom } from "../../../src/platform/random.ts";
import { virtualTimeline } from "../../../src/platform/virtual-timeline.ts";
import { fakeIo, type FakeIo } from "../../support/fake-io.ts";
import { rejection } from "../../support/rejection.ts";

interface Scene {
  readonly io: FakeIo;
  /** Sends a signal as a terminal does. */
  readonly signal: (name: string) => void;
  readonly isListening: () => boolean;
}

/** An Io whose signals the test sends. */
function scene(columns?: number): Scene {
  let count = 0;
  let listener: ((signal: string, count: number) => void) | undefined;
  const onStopSignal: Io["onStopSignal"] = (fn) => {
    listener = fn;
    return () => (listener = undefined);
  };
  return {
    io: { ...fakeIo(columns === undefined ? {} : { columns }), onStopSignal },
    signal: (name) => listener?.(name, ++count),
    isListening: () => listener !== undefined,
  };
}

function session(io: Io, run: (session: Session) => Promise<number>, onSignal?: OnSignal): Promise<number> {
  return inSession({ io, name: "test", status: io.err, onSignal }, run);
}

/** The duration of a session in virtual time. */
async function lasts(begin: (session: Session) => void): Promise<number> {
  const timeline = virtualTimeline(0, seededRandom(1));
  const run = async (each: Session): Promise<number> => {
    begin(each);
    await each.ended;
    return each.elapsedMs;
  };
  const ended = session({ ...fakeIo(), timeline }, run);
  // A background timer alone does not advance virtual time.
  timeline.after(10_000, "test", () => undefined);
  await timeline.runUntil({ ms: 10_000 });
  return ended;
}

describe("a session", () => {
  test("ends at the first signal, with the command's exit code; a second one ends the process", async () => {
    const { io, signal, isListening } = scene();
    const run = async ({ ended, signal: aborted }: Session): Promise<number> => {
      await ended;
      expect(aborted.aborted).toBe(true);
      expect(() => signal("SIGINT")).toThrow("exit 130");
      return 7;
    };
    const code = session(io, run, "drain");
    signal("SIGINT");
    expect(await code).toBe(7);
    expect(isListening()).toBe(false);
  });

  test("of a command without clean-up ends the process at the first signal", async () => {
    const { io, signal } = scene();
    await session(
      io,
      async () => {
        expect(() => signal("SIGTERM")).toThrow("exit 130");
        return 0;
      },
      "exit",
    );
  });

  test("leaves signals to the operating system if the command does not handle them", async () => {
    const { io, isListening } = scene();
    const run = async (): Promise<number> => (isListening() ? 1 : 0);
    expect(await session(io, run)).toBe(0);
  });

  test("starts a new line after ^C, only on a terminal", async () => {
    for (const { columns, text } of [
      { columns: 80, text: "\nafter\n" },
      { columns: undefined, text: "after\n" },
    ]) {
      const { io, signal } = scene(columns);
      await session(
        io,
        async (each) => {
          signal("SIGINT");
          await each.ended;
          each.say("after");
          return 0;
        },
        "drain",
      );
      expect(io.errText()).toBe(text);
    }
  });

  test("stops listening for signals if the command throws", async () => {
    const { io, isListening } = scene();
    const run = (): Promise<number> => Promise.reject(new UserError("no"));
    expect((await rejection(session(io, run, "drain"))).message).toBe("no");
    expect(isListening()).toBe(false);
  });

  test("ends after its time", async () => {
    expect(await lasts((each) => each.endAfter(5000))).toBe(5000);
  });

  test("ends when there has been nothing to do for 0.3 s, and not while it is busy in between", async () => {
    const busy = new Set([50, 200, 350]);
    expect(await lasts((each) => each.endWhenIdle(() => !busy.has(each.elapsedMs)))).toBe(650);
  });

  test("has nothing to run if the start failed after a signal; any other failure is thrown", async () => {
    const { io, signal } = scene();
    const run = async (each: Session): Promise<number> => {
      const failing = (): Promise<never> => Promise.reject(new Error("aborted"));
      expect((await rejection(each.unlessInterrupted(failing))).message).toBe("aborted");
      signal("SIGTERM");
      expect(await each.unlessInterrupted(failing)).toBeUndefined();
      expect(await each.unlessInterrupted(async () => "started")).toBe("started");
      return 0;
    };
    await session(io, run, "drain");
  });
});

describe("the life cycle of a command", () => {
  const steps: string[] = [];
  const bake = command({
    name: "bake",
    about: "",
    options: { hot: flag("--hot", ""), cold: flag("--cold", "") },
    examples: [],
    complete({ arguments: [what = "bread"], options }) {
      steps.push("complete");
      return { what, ...options };
    },
    validate({ hot, cold }) {
      steps.push("validate");
      if (hot === true && cold === true) throw new UserError("--hot and --cold are mutually exclusive");
    },
    statusOnOutput: ({ hot }) => hot === true,
    async run({ what }, each) {
      steps.push(`run ${what}`);
      each.say(what);
      return 0;
    },
  });

  test("completes a request, validates it, and runs it", async () => {
    steps.length = 0;
    await bake.execute({ arguments: [], options: {} }, fakeIo());
    expect(steps).toEqual(["complete", "validate", "run bread"]);
  });

  test("never runs an invalid request", async () => {
    steps.length = 0;
    const options = { hot: true, cold: true };
    const error = await rejection(bake.execute({ arguments: ["cake"], options }, fakeIo()));
    expect(error.message).toContain("mutually exclusive");
    expect(steps).toEqual(["complete", "validate"]);
  });

  test("prints status lines if the request says so", async () => {
    const [plain, hot] = [fakeIo(), fakeIo()];
    await bake.execute({ arguments: [], options: {} }, plain);
    await bake.execute({ arguments: [], options: { hot: true } }, hot);
    expect([plain.outText(), plain.errText()]).toEqual(["", "bread\n"]);
    expect([hot.outText(), hot.errText()]).toEqual(["bread\n", ""]);
  });
});
