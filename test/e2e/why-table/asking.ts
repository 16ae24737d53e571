/** Answers the questions of `why` inside the test: with the same reads and the same diagnosis, but without a process for each row. */
import { kindNamed } from "../../../plugin/names/object-names.ts";
import { loadRestConfig } from "../../../src/client/config/load-rest-config.ts";
import { createClient } from "../../../src/client/api/client.ts";
import { connect } from "../../../src/client/connect.ts";
import { discover } from "../../../src/client/api/discovery.ts";
import { controllersEnabledByDefault } from "../../../src/controllers/index.ts";
import { type Answer, notSeen } from "../../../src/diagnosis/answer.ts";
import { findingsOf, refText } from "../../../src/diagnosis/diagnosis.ts";
import { Reading } from "../../../src/modes/why/why.ts";
import { realHost } from "../../../src/platform/host.ts";
import { realRandom } from "../../../src/platform/random.ts";
import { realTimeline } from "../../../src/platform/real-timeline.ts";
import { TraceBus } from "../../../src/trace/bus.ts";
import { type Row, space } from "./row.ts";

export interface Diagnoser {
  diagnose(row: Row): Promise<Answer>;
  close(): void;
}

/** One user's connection; `as` is empty for the admin. */
export async function diagnoserFor(kubeconfig: string, as: string): Promise<Diagnoser> {
  const timeline = realTimeline();
  const bus = new TraceBus({ now: () => timeline.now() });
  const host = { ...realHost(), env: {} };
  const access = await loadRestConfig(host, { kubeconfig, ...(as !== "" && { as }) });
  const connection = connect(access, { host, timeline, bus, qps: 0, readOnly: true });
  const { unlimited: transport } = connection;
  const client = createClient({ transport, bus, timeline });
  const discovery = await discover(client);
  const parts = {
    transport,
    client,
    bus,
    timeline,
    random: realRandom(),
    discovery,
    controllers: controllersEnabledByDefault,
  };
  return {
    async diagnose({ target, namespace = space }) {
      const reading = await Reading.begin({ ...parts, evaluatesControllers: true });
      const [type = "", name = ""] = target.split(/\/(.*)/s);
      const kind = kindNamed(type, discovery.kinds, "kubectl reconcile");
      return reading.answer(await reading.object(kind, kind.namespaced ? namespace : "", name));
    },
    close: () => connection.close(),
  };
}

/** The diagnosis as text, with one line per cause, to be matched, and to be read when a row fails. */
export function textOf(diagnosis: Answer): string {
  const causes = findingsOf(diagnosis).map(({ at, why }) => `${refText(at)} ${why}`);
  return [`${refText(diagnosis.of)} ${diagnosis.is}: ${diagnosis.says}`, ...causes, notSeen(diagnosis)].join("\n");
}
