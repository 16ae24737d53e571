/** `-- COMMAND`: starts a program behind the proxy and shows what it does until it ends. */
import { formatDuration } from "../../src/api/duration.ts";
import { messageOf } from "../../src/api/error-message.ts";
import type { Transport } from "../../src/api/transport.ts";
import type { ServerVersion } from "../../src/api/server-version.ts";
import { ProcessBehindProxy } from "../../src/modes/process/process.ts";
import type { TraceBus } from "../../src/trace/bus.ts";
import type { Session } from "../cli/session.ts";
import { shorten } from "../cli/style.ts";
import { UserError } from "../cli/user-error.ts";
import { type ProcessOutput, type ProcessScreen, showProcess } from "./screen.ts";

/** A request to run a program. */
export interface ProcessRequest {
  /** The program and its arguments. */
  readonly program: readonly string[];
  readonly output: ProcessOutput;
  readonly sinceStart: boolean;
  /** Do not print the program's own output. */
  readonly quiet: boolean;
  /** Restart the program when it ends by itself. */
  readonly restart: boolean;
  readonly forMs: number | undefined;
}

/** The longest command line that is shown in full. */
const maxCommandLength = 160;
/** A program that has sent no request within this time probably uses another kubeconfig. */
const patienceMs = 10_000;
/** The longest pause before a restart: it starts at 1 s and is doubled each time. */
const maxPauseMs = 30_000;

/** The server behind a program's proxy. */
export interface Behind {
  readonly context: string;
  readonly server: string;
  /** The namespace of the kubeconfig's context. */
  readonly namespace: string;
  readonly bus: TraceBus;
  readonly passThrough: () => Transport;
  /** @throws UserError if the server cannot be reached or refuses the login. */
  serverVersion(): Promise<ServerVersion>;
}

/** The parts of a `ProcessRun`. The caller closes the connection. */
export interface ProcessRunParts {
  readonly behind: Behind;
  readonly request: ProcessRequest;
  readonly session: Session;
  /** Shows the traffic. Default: reconciles and their writes. */
  readonly screen?: (bus: TraceBus) => ProcessScreen;
  /** The line about the context has been printed. */
  readonly isIntroduced?: true;
  /** Called when the program has sent its first request. */
  readonly onConnected?: () => void;
}

/** A run of a program. */
export class ProcessRun {
  readonly #behind: Behind;
  readonly #request: ProcessRequest;
  readonly #session: Session;
  readonly #screen: (bus: TraceBus) => ProcessScreen;
  readonly #isIntroduced: boolean;
  readonly #onConnected: (() => void) | undefined;

  constructor({ behind, request, session, screen, isIntroduced, onConnected }: ProcessRunParts) {
    const { output, sinceStart } = request;
    const times = sinceStart ? { sinceStartAt: session.startedAt } : {};
    this.#behind = behind;
    this.#request = request;
    this.#session = session;
    this.#isIntroduced = isIntroduced === true;
    this.#onConnected = onConnected;
    this.#screen = screen ?? ((bus) => showProcess(bus, { session, output, ...times }));
  }

  /** Runs until the program or the session ends. @returns the program's exit code; 0 if its end was requested. @throws UserError. */
  async untilEnded(): Promise<number> {
    const { context, server, namespace, bus } = this.#behind;
    const { forMs } = this.#request;
    const session = this.#session;
    const version = await session.unlessInterrupted(() => this.#behind.serverVersion());
    if (version === undefined) return 0;
    if (!this.#isIntroduced)
      session.say(`context ${context} · ${server} (${version.gitVersion}) · namespace ${namespace}`);
    const screen = this.#screen(bus);
    const process = await this.#prepare();
    session.beforeExit(() => process.abandon());
    const off = this.#handOnSignals(process);
    this.#warnUnlessConnected(process);
    session.endAfter(forMs);
    try {
      const code = await this.#runAgain(process);
      // Closing reports the remaining traffic.
      await process.close();
      screen.end();
      return code;
    } catch (error) {
      await process.close();
      throw error;
    } finally {
      off();
      screen.stop();
    }
  }

  #prepare(): Promise<ProcessBehindProxy> {
    const [command = "", ...args] = this.#request.program;
    const { namespace, bus } = this.#behind;
    const { timeline, random, environment, err } = this.#session.io;
    const { quiet } = this.#request;
    return ProcessBehindProxy.prepare({
      command,
      args,
      environment,
      transport: this.#behind.passThrough(),
      namespace,
      bus,
      timeline,
      random,
      onLine: (line) => (quiet ? undefined : err.line(`| ${line}`)),
    });
  }

  #handOnSignals(process: ProcessBehindProxy): () => void {
    const { onStopSignal, err } = this.#session.io;
    return onStopSignal((signal, count) => {
      // On a terminal, Ctrl-C has reached the program as well: a second signal from here would interrupt its shutdown.
      if (count === 1 && !(signal === "SIGINT" && err.columns !== undefined)) process.signal(signal);
    });
  }

  #warnUnlessConnected({ connected }: ProcessBehindProxy): void {
    const [command = ""] = this.#request.program;
    const session = this.#session;
    let hasConnected = false;
    void connected.then(() => {
      hasConnected = true;
      this.#onConnected?.();
    });
    const look = (): void => {
      if (hasConnected || session.isOver) return;
      const waited = formatDuration(patienceMs);
      session.warn(`${command} has sent no request for ${waited}: does it use the kubeconfig that KUBECONFIG names?`);
    };
    session.io.timeline.after(patienceMs, "process", look, { background: true });
  }

  async #runAgain(process: ProcessBehindProxy): Promise<number> {
    const { program, restart } = this.#request;
    const session = this.#session;
    const [command = ""] = program;
    for (let starts = 1; ; starts++) {
      const { pid, exited } = await process.start().catch((error: unknown) => {
        throw cannotStart(command, error);
      });
      const again = starts === 1 ? "" : ` (start ${starts})`;
      session.say(`started ${shorten(program.join(" "), maxCommandLength)} as process ${pid}${again}, Ctrl-C stops`);
      const code = await Promise.race([exited, session.ended]);
      if (code === undefined) return await this.#end(process, exited);
      session.warn(`${command} exited with code ${code} after ${formatDuration(session.elapsedMs)}`);
      if (!restart) return code;
      await this.#pause(starts);
      if (session.isOver) return code;
    }
  }

  /** Ends the program. A signal has already been forwarded to it; the end of --for has not. */
  async #end(process: ProcessBehindProxy, exited: Promise<number>): Promise<number> {
    const { signal } = this.#session;
    if (!signal.aborted) process.signal("SIGTERM");
    const code = await exited;
    return signal.aborted || code === endedBySigterm ? 0 : code;
  }

  async #pause(starts: number): Promise<void> {
    const session = this.#session;
    const pauseMs = Math.min(maxPauseMs, 1000 * 2 ** (starts - 1));
    session.warn(`starting it again in ${formatDuration(pauseMs)}`);
    const { promise, resolve } = Promise.withResolvers<void>();
    session.io.timeline.after(pauseMs, "restart", resolve, { background: true });
    await Promise.race([promise, session.ended]);
  }
}

const endedBySigterm = 128 + 15;

/** The error for a program that could not be started. */
export function cannotStart(command: string, error: unknown): UserError {
  // System errors have a code.
  const { code } = error as { readonly code?: string };
  if (code === "ENOENT")
    return new UserError(
      `cannot start ${command}: there is no such program`,
      ["give its path, such as ./manager, or a name on PATH"],
      { cause: error },
    );
  if (code === "EACCES")
    return new UserError(`cannot start ${command}: it may not be executed`, [`chmod +x ${command}`], { cause: error });
  return new UserError(`cannot start ${command}: ${messageOf(error)}`, [], { cause: error });
}
