/** kube-controller-manager, kube-scheduler and kwok with default flags, against any API server. */
import { openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { controlPlaneBinary, controlPlaneFolder } from "../../../scripts/control-plane.ts";
import { freePorts } from "../../support/cluster.ts";

export const programs = ["kube-controller-manager", "kube-scheduler", "kwok"] as const;

/** The files and the API server that they use. */
export interface Workplace {
  readonly kubeconfig: string;
  /** Folder for their logs (`NAME.log`) and certificates. */
  readonly dir: string;
  /** The key that signs ServiceAccount tokens, and the root CA that pods trust; both PEM files. */
  readonly signingKey: string;
  readonly rootCa: string;
}

export interface ControlPlaneAtWork {
  /** The errors in each program's log: an example, keyed by program and source location. */
  errors(): ReadonlyMap<string, string>;
  /** Names of the programs that have exited. */
  ended(): readonly string[];
  stop(): Promise<void>;
}

/** Starts the three programs. */
export async function startAtWork({ kubeconfig, dir, signingKey, rootCa }: Workplace): Promise<ControlPlaneAtWork> {
  const port = await freePorts(2);
  const secure = (offset: number, name: string): string[] => [
    `--secure-port=${port + offset}`,
    "--bind-address=127.0.0.1",
    `--cert-dir=${join(dir, `${name}-certs`)}`,
  ];
  const access = [
    `--kubeconfig=${kubeconfig}`,
    `--authentication-kubeconfig=${kubeconfig}`,
    `--authorization-kubeconfig=${kubeconfig}`,
  ];
  const flags: Readonly<Record<(typeof programs)[number], readonly string[]>> = {
    "kube-controller-manager": [
      ...access,
      ...secure(0, "kcm"),
      `--service-account-private-key-file=${signingKey}`,
      `--root-ca-file=${rootCa}`,
    ],
    "kube-scheduler": [...access, ...secure(1, "scheduler")],
    kwok: [
      `--kubeconfig=${kubeconfig}`,
      `--config=${join(controlPlaneFolder(), "kwok-stages.yaml")}`,
      "--manage-all-nodes",
      "--node-lease-duration-seconds=40",
      "--enable-crds=",
    ],
  };
  const running = programs.map((name) => {
    const log = openSync(join(dir, `${name}.log`), "w");
    const program = Bun.spawn([controlPlaneBinary(name) ?? name, ...flags[name]], {
      cwd: dir,
      stdin: "ignore",
      stdout: log,
      stderr: log,
    });
    return { name, program };
  });
  return {
    errors: () => new Map(programs.flatMap((name) => errorsIn(name, readFileSync(join(dir, `${name}.log`), "utf8")))),
    ended: () => running.filter(({ program }) => program.exitCode !== null).map(({ name }) => name),
    async stop() {
      for (const { program } of running) program.kill("SIGTERM");
      await Promise.race([Promise.all(running.map(({ program }) => program.exited)), Bun.sleep(10_000)]);
      for (const { program } of running) program.kill("SIGKILL");
    },
  };
}

/** klog: `E1123 09:21:07.123456   12345 replica_set.go:598] "…" err="…"`. */
const klogError = /^[EF]\d{4} [\d:.]+ +\d+ ([\w.]+:\d+)\] (.*)$/;

/** Pairs of program with source location, and text; one per error line. */
function errorsIn(name: string, log: string): [string, string][] {
  return log.split("\n").flatMap((line): [string, string][] => {
    const [, place, text = ""] = klogError.exec(line) ?? [];
    if (place !== undefined) return [[`${name} ${place}`, text]];
    return name === "kwok" && /"?level"?[:=]"?ERROR/i.test(line) ? [[`${name} ${line.slice(0, 60)}`, line]] : [];
  });
}
