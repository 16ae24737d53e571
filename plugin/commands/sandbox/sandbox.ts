import { newIdentity } from "../../../src/sandbox/https.ts";
import { pluginPurposes } from "../../../src/sandbox/context/admission-plugins.ts";
import { type Command, command, flag, negation, text, texts, wholeNumber } from "../../cli/command.ts";
import { openAuditFile } from "../../connections/audit-file.ts";
import { earlierIdentity } from "../../connections/kubeconfig-file.ts";
import { connectToSandbox } from "../../connections/sandbox-connection.ts";
import { openBus } from "../../connections/trace-bus.ts";
import { pluginsNamed } from "../../names/admission-names.ts";
import { controllerCandidates } from "../../names/controller-names.ts";
import { serviceRangesIn } from "../../names/service-ranges.ts";
import { webhookServices } from "../../names/webhook-services.ts";
import { fillAssets, refuseOthers } from "./assets.ts";
import { auditOf, certificatesIn, controllersToRun, type SandboxRequest } from "./request.ts";
import { heldLines, printRun } from "./run-lines.ts";
import { saveTo, serve } from "./serving.ts";

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
    "which requests --audit-log records, and in how much detail (a Policy of audit.k8s.io)",
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
