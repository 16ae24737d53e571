/** kubernetes/sample-controller itself, built from a checkout next to this one, if there is one. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { builtProgram, type Program } from "../../scripts/built-programs.ts";

/** `SAMPLE_CONTROLLER` names the folder; otherwise `shared/sample-controller` next to this checkout or next to its parent folder. */
function sources(): string | undefined {
  const top = join(import.meta.dir, "..", "..");
  const named = process.env["SAMPLE_CONTROLLER"];
  const places = [join(top, "..", "shared"), join(top, "..", "..", "shared")].map((at) =>
    join(at, "sample-controller"),
  );
  return [...(named === undefined ? [] : [named]), ...places].find((folder) => existsSync(join(folder, "go.mod")));
}

const clientMade = "kubeClient, err := kubernetes.NewForConfig(cfg)";

/** With its default of five requests per second it would lag behind the user, and its actions would depend on timing. */
function unlimited(folder: string): void {
  const main = join(folder, "main.go");
  const text = readFileSync(main, "utf8");
  if (!text.includes(clientMade)) throw new Error(`${main} makes its client otherwise: nowhere to set its rate`);
  writeFileSync(main, text.replace(clientMade, `cfg.QPS = -1\n\t${clientMade}`));
}

/** The compiled program, with a client without a rate limit; if sources or Go are missing, the reason. */
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
