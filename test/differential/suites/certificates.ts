/** Approval of CertificateSigningRequests. The cleaner runs too, but finds none that is old enough (see accounts.cluster.test.ts). */
import { CertificateSigningRequests } from "../../../src/api/kinds.ts";
import { certificateSigningRequestApproving } from "../../../src/controllers/certificatesigningrequest-approving/certificatesigningrequest-approving.ts";
import { certificateSigningRequestCleaner } from "../../../src/controllers/certificatesigningrequest-cleaner/certificatesigningrequest-cleaner.ts";
import { ownFieldManager } from "../differences.ts";
import type { AnyObject } from "../objects.ts";
import { randomScript } from "../scripts/certificates/grammar.ts";
import { scripts } from "../scripts/certificates/index.ts";
import { standing } from "../normalize.ts";
import type { Suite } from "../suite.ts";

/** Removes what differs between the sides: each request has its own key, and each server its own administrator. */
function arranged<T extends object>(body: T): T {
  const { spec } = body as { readonly spec?: { readonly request?: string } };
  if (spec?.request === undefined) return body;
  const {
    request: _key,
    username: _who,
    uid: _uid,
    groups: _groups,
    extra: _extra,
    ...rest
  } = spec as Record<string, unknown>;
  return { ...body, spec: rest };
}

export const certificates: Suite = {
  name: "certificates",
  oracle: "certificatesigningrequest-approving-controller,certificatesigningrequest-cleaner-controller",
  ours: [certificateSigningRequestApproving, certificateSigningRequestCleaner],
  rbac: true,
  kinds: [{ kind: CertificateSigningRequests, compared: (object: AnyObject) => arranged(standing(object)) }],
  arranged,
  scripts,
  random: randomScript,
  seeds: { short: 6, long: 60 },
  width: 16,
  differences: [ownFieldManager],
};
