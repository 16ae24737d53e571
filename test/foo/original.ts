/** kubernetes/sample-controller itself, built from a checkout beside this one, where there is one. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { builtProgram, type Program } from "../../scripts/built-programs.ts";

/** `SAMPLE_CONTROLLER` names the folder; otherwise `shared/sample-controller` beside this checkout, or beside the folder that it is in. */
function sources(): string | undefined {
  const top = join(import.meta.dir, "..", "..");
  const named = process.env["SAMPLE_CONTROLLER"];
  const places = [join(top, "..", "shared"), join(top, "..", "..", "shared")].map((at) =>
    join(at, "sample-controller"),
  );
  return [...(named === undefined ? [] : [named]), ...places].find((folder) => existsSync(join(folder, "go.mod")));
}

const clientMade = "kubeClient, err := kubernetes.NewForConfig(cfg)";

/** Five requests a second, its default, would have it lag behind its user: what it does then depends on when it gets to it. */
function unlimited(folder: string): void {
  const main = join(folder, "main.go");
  const text = readFileSync(main, "utf8");
  if (!text.includes(clientMade)) throw new Error(`${main} makes its client otherwise: nowhere to set its rate`);
  writeFileSync(main, text.replace(clientMade, `cfg.QPS = -1\n\t${clientMade}`));
}

/** The compiled program, with a client without a rate limit; without sources or Go, why it is missing. */
export async function original(): Promise<Program> {
  const folder = sources();
  if (folder === undefined) return { is: "missing", why: "no sources of kubernetes/sample-controller" };
  return await builtProgram({
    sources: folder,
    alter: unlimited,
    cachedAs: "sample-controller-unlimited",
    tool: "go",
    command: ["go", "build", "-ldflags=-s -w", "-o", "sample-controller", "."],
    env: { CGO_ENABLED: "0" },
    makes: "sample-controller",
    name: "sample-controller",
  });
}
