/** Random scripts: requests by the administrator, some with properties that a kubelet would not request. */
import { CertificateSigningRequests } from "../../../../src/api/kinds.ts";
import { type Random, seededRandom } from "../../../../src/platform/random.ts";
import type { Script, Step } from "../../suite.ts";
import { act, makeRequest, type Parts, requestsOf } from "./acts.ts";

const oddities: readonly Parts[] = [
  { commonName: "mike" },
  { commonName: "system:node:" },
  { commonName: "system:nodes:a" },
  { organizations: ["system:nodes", "system:nodes"] },
  { organizations: ["system:node"] },
  { usages: ["client auth", "digital signature", "key encipherment"] },
  { usages: ["key encipherment", "digital signature", "client auth", "content commitment"] },
  { usages: ["digital signature", "key encipherment"] },
  { dns: ["a"] },
  { emails: ["a@b"] },
  { ips: ["127.0.0.1", "10.0.0.1"] },
  { uris: ["spiffe://a/b"] },
  { signerName: "example.com/own" },
];

function oneOf<T>(random: Random, items: readonly T[]): T {
  // The index is always within the array.
  return items[Math.floor(random.next() * items.length)] as T;
}

/** Returns the script for a seed. */
export function randomScript(seed: number, length: number): Script {
  const random = seededRandom(seed);
  const steps = Array.from({ length }, (_, n) => (n > 2 && random.next() < 0.2 ? removal() : request(random, n)));
  return { name: `seed ${seed}`, steps: steps.map((each, n) => ({ ...each, name: `${n + 1}. ${each.name}` })) };
}

function request(random: Random, n: number): Step {
  const parts = random.next() < 0.3 ? {} : random.next() < 0.7 ? oneOf(random, oddities) : two(random);
  return act(`create request r${n} with ${JSON.stringify(parts)}`, (stage) => makeRequest(stage, `r${n}`, parts));
}

function two(random: Random): Parts {
  return { ...oneOf(random, oddities), ...oneOf(random, oddities) };
}

function removal(): Step {
  return act("delete the first request", async (stage) => {
    const [name] = (await requestsOf(stage)).map(({ metadata }) => metadata.name).toSorted();
    if (name !== undefined) await stage.remove(CertificateSigningRequests, name);
  });
}
