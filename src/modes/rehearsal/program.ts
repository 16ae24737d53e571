/** The programs of a rehearsal: each is started once and watched for its exit. */
import type { Transport } from "../../api/transport.ts";
import type { Timeline } from "../../platform/timeline.ts";
import type { TraceBus } from "../../trace/bus.ts";

/** A program that can be started once, such as a process behind a proxy. */
export interface Program {
  /** Resolves when it has sent its first request. */
  readonly connected: Promise<void>;
  /** @throws Error with the system's `code` if it cannot be started. */
  start(): Promise<{ readonly pid: number; readonly exited: Promise<number> }>;
  signal(name: string): void;
  /** After its exit: reports what it has sent, and leaves nothing behind. */
  close(): Promise<void>;
  /** Kills it at once. */
  abandon(): void;
}

/** What a program reaches, and what observes its requests. */
export interface Behind {
  readonly transport: Transport;
  readonly bus: TraceBus;
}

/** The name of a program, and how to open its proxy. */
export interface ProgramPlan {
  /** As messages name it: `./manager`. */
  readonly name: string;
  readonly prepare: (behind: Behind) => Promise<Program>;
}

/** The program exited before it was stopped. */
export class ProgramEndedError extends Error {
  readonly program: string;
  readonly code: number;

  constructor(program: string, code: number) {
    super(`${program} exited with code ${code}`);
    this.name = "ProgramEndedError";
    this.program = program;
    this.code = code;
  }
}

/** The program could not be started; `cause` is the system's error. */
export class ProgramStartError extends Error {
  readonly program: string;

  constructor(program: string, cause: unknown) {
    super(`cannot start ${program}`, { cause });
    this.name = "ProgramStartError";
    this.program = program;
  }
}

/** From SIGTERM to SIGKILL. */
const mostEndingMs = 10_000;

interface Prepared {
  readonly name: string;
  readonly program: Program;
  readonly timeline: Timeline;
}

/** One run of a program. */
export class ProgramRun {
  readonly name: string;
  readonly #program: Program;
  readonly #timeline: Timeline;
  #exited: Promise<number> | undefined;
  #exitCode: number | undefined;
  #isClosed = false;
  #hasConnected = false;

  private constructor({ name, program, timeline }: Prepared) {
    this.name = name;
    this.#program = program;
    this.#timeline = timeline;
    void program.connected.then(() => (this.#hasConnected = true));
  }

  /** Whether it has sent a request. */
  get hasConnected(): boolean {
    return this.#hasConnected;
  }

  /** Opens its proxy. @throws what `prepare` throws. */
  static async open(
    { name, prepare }: ProgramPlan,
    behind: Behind & { readonly timeline: Timeline },
  ): Promise<ProgramRun> {
    const { timeline, ...reached } = behind;
    return new ProgramRun({ name, program: await prepare(reached), timeline });
  }

  /** @returns its process id. @throws ProgramStartError. */
  async start(): Promise<number> {
    try {
      const { pid, exited } = await this.#program.start();
      this.#exited = exited.then((code) => (this.#exitCode = code));
      return pid;
    } catch (error) {
      throw new ProgramStartError(this.name, error);
    }
  }

  /** @throws ProgramEndedError. */
  checkRunning(): void {
    if (this.#exitCode !== undefined) throw new ProgramEndedError(this.name, this.#exitCode);
  }

  /** Stops it, by force after 10 s, and closes its proxy, whether or not it was started. A repeated call does nothing. */
  async end(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    if (this.#exited !== undefined && this.#exitCode === undefined) {
      this.#program.signal("SIGTERM");
      const cancel = this.#timeline.after(mostEndingMs, "end of the program", () => this.#program.signal("SIGKILL"));
      await this.#exited;
      cancel();
    }
    await this.#program.close();
  }

  abandon(): void {
    this.#program.abandon();
  }
}
