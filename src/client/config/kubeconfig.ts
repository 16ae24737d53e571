/** Reads kubeconfig files and merges them as kubectl does. */
import type { Host } from "../../platform/host.ts";
import { checkedText, checkEntry } from "./kubeconfig-shape.ts";
import {
  KubeconfigError,
  type ClusterEntry,
  type ContextEntry,
  type From,
  type Kubeconfig,
  type UserEntry,
} from "./kubeconfig-types.ts";
import { NotYaml, readKubeconfigYaml } from "./kubeconfig-yaml.ts";

/** Where the kubeconfig comes from. */
export interface KubeconfigSource {
  /** `--kubeconfig`: only this file, which must exist. */
  readonly kubeconfig?: string;
}

interface FileText {
  readonly clusters?: unknown;
  readonly users?: unknown;
  readonly contexts?: unknown;
  readonly "current-context"?: unknown;
}

/**
 * The files to read: the given one; else those in KUBECONFIG, each once; else `~/.kube/config`. Source: client-go v0.36
 * tools/clientcmd/loader.go NewDefaultClientConfigLoadingRules.
 */
export function kubeconfigFiles(host: Host, source: KubeconfigSource): readonly string[] {
  if (source.kubeconfig !== undefined && source.kubeconfig !== "") return [source.kubeconfig];
  const list = host.env["KUBECONFIG"] ?? "";
  if (list !== "") return [...new Set(list.split(host.pathListSeparator))].filter((path) => path !== "");
  return host.home === "" ? [] : [host.pathFrom(host.home, ".kube/config")];
}

/**
 * Loads and merges: for each name the first file's entry counts, as a whole; missing files are skipped.
 *
 * @throws KubeconfigError for a missing file named by a flag, and for a file that cannot be read or parsed.
 * Source: client-go v0.36 tools/clientcmd/loader.go ClientConfigLoadingRules.Load.
 */
export async function loadKubeconfig(host: Host, source: KubeconfigSource = {}): Promise<Kubeconfig> {
  const clusters = new Map<string, From<ClusterEntry>>();
  const users = new Map<string, From<UserEntry>>();
  const contexts = new Map<string, From<ContextEntry>>();
  const files: string[] = [];
  const missing: string[] = [];
  let currentContext = "";
  for (const file of kubeconfigFiles(host, source)) {
    const text = await readFile(host, file);
    if (text === undefined) {
      missing.push(file);
      continue;
    }
    files.push(file);
    const content = parsed(file, text);
    collect(clusters, file, content.clusters, "cluster");
    collect(users, file, content.users, "user");
    collect(contexts, file, content.contexts, "context");
    const current = content["current-context"] ?? "";
    const named = checkedText(current, `Cannot read the kubeconfig ${file}: its current-context`);
    if (currentContext === "") currentContext = named;
  }
  if (source.kubeconfig !== undefined && source.kubeconfig !== "" && files.length === 0) {
    throw new KubeconfigError(`Cannot read the kubeconfig ${source.kubeconfig}: there is no such file`, {
      next: "name an existing one with --kubeconfig, or omit it to use KUBECONFIG or ~/.kube/config",
    });
  }
  return { clusters, users, contexts, currentContext, files, missing };
}

async function readFile(host: Host, file: string): Promise<string | undefined> {
  try {
    return await host.readFile(file);
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    const why = code === "EACCES" ? "permission denied" : code === "EISDIR" ? "it is a folder" : message;
    throw new KubeconfigError(`Cannot read the kubeconfig ${file}: ${why}`, { cause: error });
  }
}

function parsed(file: string, text: string): FileText {
  let value: unknown;
  try {
    value = readKubeconfigYaml(text);
  } catch (error) {
    if (!(error instanceof NotYaml)) throw error;
    throw new KubeconfigError(`Cannot read the kubeconfig ${file}: it is not YAML: ${error.message}`, {
      cause: error,
      next: `kubectl config view --kubeconfig ${file} tells whether kubectl can read it`,
    });
  }
  // An empty file is an empty kubeconfig.
  if (value === null || value === undefined) return {};
  if (typeof value !== "object" || Array.isArray(value)) {
    throw new KubeconfigError(`Cannot read the kubeconfig ${file}: it is not a kubeconfig`);
  }
  return value;
}

/** Adds the entries of one file's list whose names no earlier file has. */
function collect<T>(
  into: Map<string, From<T>>,
  file: string,
  list: unknown,
  field: "cluster" | "user" | "context",
): void {
  if (list === undefined || list === null) return;
  if (!Array.isArray(list))
    throw new KubeconfigError(`Cannot read the kubeconfig ${file}: its ${field}s are not a list`);
  const here = new Set<string>();
  for (const item of list as readonly unknown[]) {
    const { name, [field]: entry } = (item ?? {}) as { readonly name?: unknown; readonly [key: string]: unknown };
    const where = `Cannot read the kubeconfig ${file}: `;
    // kubectl treats a missing name as an empty one.
    const key = checkedText(name ?? "", `${where}the name of one of its ${field}s`);
    if (here.has(key)) throw new KubeconfigError(`${where}it has two ${field}s named ${key}`);
    here.add(key);
    checkEntry(entry, field, `${where}its ${field} ${key}`);
    if (!into.has(key)) into.set(key, { entry: (entry ?? {}) as T, file });
  }
}
