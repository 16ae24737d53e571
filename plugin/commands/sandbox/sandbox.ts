import { certificateSigningRequestSigning } from "../../../src/controllers/certificatesigningrequest-signing/certificatesigningrequest-signing.ts";
import { rootCaCertificatePublisher } from "../../../src/controllers/root-ca-certificate-publisher/root-ca-certificate-publisher.ts";
import type { ControllerDefinition } from "../../../src/controller/api/definition.ts";
import { controllersOfEmbedded } from "../../../src/controllers/index.ts";
import { Nodes } from "../../../src/api/kinds.ts";
import { messageOf } from "../../../src/api/error-message.ts";
import { readTextFile, removeFile, temporaryPath } from "../../../src/platform/files.ts";
import { randomSuffix } from "../../../src/platform/random.ts";
import { newIdentity, type SandboxHttps, type SandboxIdentity, serveSandbox } from "../../../src/sandbox/https.ts";
import { pluginPurposes } from "../../../src/sandbox/context/admission-plugins.ts";
import type { WebhookOptions } from "../../../src/sandbox/sandbox.ts";
import type { TraceBus } from "../../../src/trace/bus.ts";
import { RunReport } from "../../../src/views/run-report.ts";
import { type Command, command, flag, negation, text, texts, wholeNumber } from "../../cli/command.ts";
import { pluginsNamed } from "../../names/admission-names.ts";
import { serviceRangesIn } from "../../names/service-ranges.ts";
import { webhookServices } from "../../names/webhook-services.ts";
import { controllerCandidates, controllersNamed, type Naming } from "../../names/controller-names.ts";
import type { Io } from "../../cli/io.ts";
import type { Session } from "../../cli/session.ts";
import { openBus } from "../../connections/trace-bus.ts";
import { RunLines } from "../../render/run-lines.ts";
import { formatDuration } from "../../../src/api/duration.ts";
import { pluralize, styleOf } from "../../cli/style.ts";
import { openAuditFile, type AuditFiles } from "../../connections/audit-file.ts";
import { earlierIdentity, writeKubeconfig } from "../../connections/kubeconfig-file.ts";
import { connectToSandbox, type SandboxConnection } from "../../connections/sandbox-connection.ts";
import { writeState } from "../../connections/state-file.ts";
import { UserError } from "../../cli/user-error.ts";
import { fillAssets, refuseOthers } from "./assets.ts";

const options = {
  manifests: texts("-f, --filename <path>", "put these files, folders, URLs or - (standard input) into it; repeatable"),
  namespace: text("-n, --namespace <name>", "the namespace of manifests that name none, and of the kubeconfig", {
    default: "default",
  }),
  load: text("--load <file>", "begin with the state that --save wrote to FILE", { default: "a new cluster" }),
  save: text(
    "--save <file>",
    "write the whole state to FILE at the end; with --load of the same file, the sandbox is kept between runs",
  ),
  nodes: wholeNumber("--nodes <n>", "how many simulated nodes", 0, { default: "3, or those of --load" }),
  port: wholeNumber("--port <port>", "serve on this port of 127.0.0.1", 1, {
    most: 65_535,
    default: "any that is free",
  }),
  kubeconfig: text(
    "--write-kubeconfig <file>",
    "write the kubeconfig to FILE and keep it; a sandbox started with the same file reuses its token and certificate",
    {
      default: "a temporary file, removed with the sandbox",
    },
  ),
  kubelet: negation("--no-kubelet", "without the simulated kubelet: nothing on the nodes runs"),
  scheduler: negation("--no-scheduler", "without the scheduler: pods stay without a node"),
  disableAdmission: texts(
    "--disable-admission-plugins <plugin,...>",
    "admission plugins to switch off, as kube-apiserver names them",
    { candidates: () => Object.entries(pluginPurposes).map(([value, about]) => ({ value, about })) },
  ),
  rbac: flag("--rbac", "evaluate roles and bindings, and begin with those that every cluster has"),
  serviceRanges: text(
    "--service-cluster-ip-range <range>",
    "the range of Service addresses, such as 10.96.0.0/16; for dual stack one range per family, separated by a comma",
    { default: "10.0.0.0/16, or that of --load" },
  ),
  clientCa: text(
    "--client-ca-file <file>",
    "accept client certificates signed by the authorities in FILE (PEM), too: the common name is the user, organizations are groups",
  ),
  auditLog: text("--audit-log <file>", "add an audit event to FILE for each request, as kube-apiserver writes them"),
  auditPolicy: text(
    "--audit-policy <file>",
    "which requests --audit-log has, and how much of each (a Policy of audit.k8s.io)",
    {
      default: "who did what, of every request",
    },
  ),
  webhook: texts(
    "--webhook <namespace/service=url>",
    "call webhooks at this Service there, such as shop/hooks=https://127.0.0.1:9443; repeatable",
  ),
  assets: text(
    "--assets <dir>",
    "fill DIR with kube-apiserver, etcd and kubectl for envtest (KUBEBUILDER_ASSETS), and do nothing else",
  ),
  run: texts("--run <controller,...>", "run these controllers in it and print what they do; none: bring your own", {
    candidates: () => [...controllerCandidates(), { value: "none", about: "no controllers but those of its nodes" }],
    default: "all",
  }),
} as const;

/** The request of `sandbox`, with defaults filled in. */
interface SandboxRequest {
  readonly manifests: readonly string[];
  readonly namespace: string | undefined;
  /** Undefined for 3, or those of the saved state. */
  readonly nodes: number | undefined;
  readonly load: string | undefined;
  readonly save: string | undefined;
  /** Undefined for any free port. */
  readonly port: number | undefined;
  /** The file to write and keep; undefined for a temporary one. */
  readonly kubeconfig: string | undefined;
  readonly kubelet: boolean;
  readonly scheduler: boolean;
  readonly rbac: boolean;
  /** A file with the authorities trusted for client certificates. */
  readonly clientCa: string | undefined;
  readonly controllers: readonly ControllerDefinition[];
  readonly disabledAdmissionPlugins: readonly string[];
  readonly audit: AuditFiles | undefined;
  readonly webhooks: WebhookOptions;
  /** Undefined for the default, or that of the saved state. */
  readonly serviceRanges: readonly string[] | undefined;
  /** The folder to fill with envtest's programs, instead of running anything. */
  readonly assets: string | undefined;
}

/** `sandbox`. */
export const sandbox: Command = command({
  name: "sandbox",
  about: "Run an embedded cluster: API server, scheduler and simulated nodes, without containers",
  description:
    "Runs an embedded Kubernetes cluster in this process and serves it over HTTPS on 127.0.0.1, for kubectl and any " +
    "other client. All built-in controllers run in it, so that what you apply is reconciled. Pods are scheduled and run on " +
    "simulated nodes: no container is started; how pods behave is set by annotations (docs/sandbox-annotations.md). It " +
    "holds everything in memory, and exits at the first Ctrl-C; --save and --load keep its state between runs.\n\n" +
    "Exit codes: 0 ended by a signal; 2 wrong arguments or manifests; 130 ended by a second signal.",
  options,
  examples: [
    { comment: "A cluster for experiments", line: "sandbox" },
    { comment: "With your manifests in it", line: "sandbox -f shop/" },
    {
      comment: "For a controller of your own, beside the garbage collector alone",
      line: "sandbox --run garbage-collector",
    },
    { comment: "An API server and nothing else", line: "sandbox --run none --no-scheduler --no-kubelet" },
    { comment: "The programs that envtest starts", line: "sandbox --assets bin/envtest" },
    {
      comment: "With the webhooks of a process on this machine",
      line: "sandbox --webhook shop/hooks=https://127.0.0.1:9443",
    },
    { comment: "Kept between runs", line: "sandbox --load shop.json --save shop.json" },
    { comment: "At a fixed address, for scripts", line: "sandbox --port 6443 --write-kubeconfig sandbox.kubeconfig" },
  ],
  onSignal: "drain",
  statusOnOutput: () => true,
  complete({ options: flags }, io): SandboxRequest {
    const { manifests = [], nodes, load, save, run = ["all"], disableAdmission = [], assets } = flags;
    if (assets !== undefined) refuseOthers(flags);
    return {
      assets,
      audit: auditOf(flags.auditLog, flags.auditPolicy),
      manifests,
      namespace: flags.namespace,
      nodes,
      load,
      save,
      port: flags.port,
      kubeconfig: flags.kubeconfig,
      kubelet: flags.kubelet !== false,
      scheduler: flags.scheduler !== false,
      rbac: flags.rbac === true,
      clientCa: flags.clientCa,
      controllers: controllersToRun(run, io),
      disabledAdmissionPlugins: pluginsNamed(disableAdmission),
      webhooks: { services: webhookServices(flags.webhook ?? []) },
      serviceRanges: flags.serviceRanges === undefined ? undefined : serviceRangesIn(flags.serviceRanges),
    };
  },
  async run(request, session) {
    const {
      kubeconfig,
      controllers,
      namespace,
      port: _port,
      clientCa: _file,
      assets,
      audit: files,
      nodes,
      ...parts
    } = request;
    const { io } = session;
    if (assets !== undefined) return await fillAssets(assets, io);
    const clientCa = request.clientCa === undefined ? undefined : await certificatesIn(request.clientCa);
    const now = io.timeline.now();
    const identity =
      (kubeconfig === undefined ? undefined : await earlierIdentity(kubeconfig, now)) ?? newIdentity(now);
    const { ca: serverCa, caKey } = identity.certificate;
    const authority = caKey === undefined ? {} : { authority: { ca: serverCa, key: caKey } };
    const bus = openBus(io);
    const lines = heldLines(io);
    printRun(bus, controllers, io, lines.write);
    const where = namespace === undefined ? {} : { namespace };
    const audit = files === undefined ? undefined : await openAuditFile(files);
    const audited = audit === undefined ? {} : { audit: audit.options };
    const sized = nodes === undefined ? {} : { nodes };
    const connection = await session.unlessInterrupted(() =>
      connectToSandbox({ ...parts, ...where, ...audited, ...sized, ...authority, controllers, serverCa, bus }, io),
    );
    if (connection === undefined) return 0;
    let code: number;
    try {
      code = await serve(connection, { request, session, identity, clientCa, introduced: lines.release });
    } finally {
      await connection.close();
      await audit?.close();
    }
    if (request.save !== undefined) await saveTo(request.save, { connection, io });
    return code;
  },
});

/** @throws UserError for a policy without a log. */
function auditOf(log: string | undefined, policy: string | undefined): AuditFiles | undefined {
  const file = policy === undefined ? undefined : { flag: "--audit-policy", path: policy };
  if (log !== undefined) return { log: { flag: "--audit-log", path: log }, policy: file };
  if (policy === undefined) return undefined;
  throw new UserError("--audit-policy needs --audit-log", ["say which file the events go to"]);
}

/** @throws UserError for a word that names no controller, and for `none` together with others. */
function controllersToRun(
  lists: readonly string[],
  { calledAs, controllerFiles }: Naming,
): readonly ControllerDefinition[] {
  const words = lists.flatMap((list) => list.split(",")).filter((word) => word !== "");
  if (!words.includes("none"))
    return controllersNamed(words, { calledAs, controllerFiles, all: controllersOfEmbedded });
  if (words.length === 1) return [];
  throw new UserError("--run none cannot be combined with controllers", ["omit none, or the others"]);
}

interface Saving {
  readonly connection: SandboxConnection;
  readonly io: Io;
}

/** Writes the state once nothing changes it anymore. @throws UserError. */
async function saveTo(path: string, { connection, io }: Saving): Promise<void> {
  const state = connection.cluster.sandbox.save();
  await writeState(path, state);
  io.out.write(`saved ${pluralize(state.objects, "object")} to ${path}\n`);
}

interface Serving {
  readonly request: SandboxRequest;
  readonly session: Session;
  /** The identity of the previous sandbox, which clients may still use. */
  readonly identity: SandboxIdentity;
  /** The PEM certificates of the authorities trusted for client certificates. */
  readonly clientCa: string | undefined;
  /** Called when held-back lines of controllers may be printed. */
  readonly introduced: () => void;
}

/** Serves it until the session ends. */
async function serve(connection: SandboxConnection, serving: Serving): Promise<number> {
  const { request, session, introduced } = serving;
  const { random, out } = session.io;
  const https = await listen(connection, serving);
  const kept = request.kubeconfig;
  const file = kept ?? temporaryPath(`kubectl-reconcile-sandbox-${randomSuffix(random, 8)}.kubeconfig`);
  try {
    await writeKubeconfig(file, https, request.namespace);
    for (const line of await introduction(connection, https, request)) out.line(line);
    out.write(`\nexport KUBECONFIG=${file}\n`);
    out.write(`ready after ${formatDuration(session.elapsedMs)}, Ctrl-C stops\n\n`);
    introduced();
    await session.ended;
    out.write(`stopped after ${formatDuration(session.elapsedMs)}\n`);
    return 0;
  } finally {
    if (kept === undefined) await removeFile(file);
    await https.close();
  }
}

/** @throws UserError for a file that cannot be read or holds no certificate. */
async function certificatesIn(file: string): Promise<string> {
  const pem = await readTextFile(file).catch((error: unknown) => {
    throw new UserError(`--client-ca-file: cannot read ${file}: ${messageOf(error)}`, [], { cause: error });
  });
  if (pem === undefined) throw new UserError(`--client-ca-file: ${file} does not exist`);
  if (pem.includes("-----BEGIN CERTIFICATE-----")) return pem;
  throw new UserError(`--client-ca-file: ${file} holds no certificate in PEM`, [
    "give the certificate of the authority that signs your client certificates",
  ]);
}

async function listen({ cluster }: SandboxConnection, { request, identity, clientCa }: Serving): Promise<SandboxHttps> {
  const { port } = request;
  // Requesting client certificates slows down every request, so it is done only with RBAC.
  const acceptsOwn = request.rbac && request.controllers.includes(certificateSigningRequestSigning);
  const accepted = [...(clientCa === undefined ? [] : [clientCa]), ...(acceptsOwn ? [identity.certificate.ca] : [])];
  try {
    return await serveSandbox(cluster.sandbox, {
      controllers: cluster.manager.controllers.map(({ definition }) => definition.name),
      ...(port !== undefined && { port }),
      identity,
      authorityIsPublished: request.controllers.includes(rootCaCertificatePublisher),
      ...(accepted.length > 0 && { clientCa: accepted.join("\n") }),
    });
  } catch (error) {
    if (port === undefined) throw error;
    throw new UserError(
      `cannot serve on 127.0.0.1:${port}: the port is in use or not permitted`,
      ["omit --port for one that is free"],
      { cause: error },
    );
  }
}

/** The introduction: aligned lines about the sandbox. */
async function introduction(
  connection: SandboxConnection,
  https: SandboxHttps,
  { kubelet, scheduler, controllers, load }: SandboxRequest,
): Promise<readonly string[]> {
  const parts = [
    ...(scheduler ? ["scheduler"] : []),
    ...(kubelet ? ["kubelet"] : []),
    ...controllers.map(({ name }) => name),
  ];
  const { applied, loaded } = connection;
  const { items: nodes } = await connection.clientFor("kubectl-reconcile").list(Nodes);
  return [
    `sandbox ${https.url} (${(await connection.serverVersion()).gitVersion}) · ${pluralize(nodes.length, "simulated node")}`,
    `running ${parts.length === 0 ? "nothing but the API server" : parts.join(", ")}`,
    ...(load === undefined ? [] : [loadedFrom(load, loaded)]),
    ...(applied.length === 0 ? [] : [`applied ${pluralize(applied.length, "object")}`]),
  ];
}

function loadedFrom(path: string, state: SandboxConnection["loaded"]): string {
  if (state === undefined) return `new: ${path} does not exist yet`;
  return `loaded ${pluralize(state.items.length, "object")} from ${path}`;
}

/** Prints what the controllers of `--run` do, like `run`. */
function printRun(
  bus: TraceBus,
  controllers: readonly ControllerDefinition[],
  { out }: Io,
  write: (line: string) => void,
): void {
  if (controllers.length === 0) return;
  const names = new Set(controllers.map(({ name }) => name));
  const report = new RunReport();
  const lines = new RunLines({ style: styleOf(out), controllers: [...names] });
  bus.listen((event) => {
    if (!("controller" in event) || event.controller === undefined || !names.has(event.controller)) return;
    for (const line of report.accept(event)) for (const each of lines.text(line)) write(each);
  });
}

/** Keeps lines back until the sandbox has introduced itself. */
function heldLines({ out }: Io): { readonly write: (line: string) => void; readonly release: () => void } {
  const held: string[] = [];
  let released = false;
  return {
    write(line) {
      if (released) out.line(line);
      else held.push(line);
    },
    release() {
      released = true;
      for (const line of held.splice(0)) out.line(line);
    },
  };
}
