/** The audit log of a sandbox, in a file. */
import { parse } from "yaml";
import { messageOf } from "../../src/api/error-message.ts";
import { readTextFile } from "../../src/platform/files.ts";
import { type LineFile, openLineFile } from "../../src/platform/line-file.ts";
import { metadataPolicy, readAuditPolicy, type AuditPolicy } from "../../src/sandbox/audit/policy.ts";
import type { AuditOptions } from "../../src/sandbox/audit/auditor.ts";
import { UserError } from "../cli/user-error.ts";

/** The files of an audit log, with the names of their flags. */
export interface AuditFiles {
  readonly log: { readonly flag: string; readonly path: string };
  /** Undefined: logs who did what for every request. */
  readonly policy: { readonly flag: string; readonly path: string } | undefined;
}

/** An open audit log. */
export interface AuditFile {
  /** For `createSandbox`. */
  readonly options: AuditOptions;
  close(): Promise<void>;
}

/** Opens it. @throws UserError for a file that cannot be read or written, and for an invalid policy. */
export async function openAuditFile({ log, policy }: AuditFiles): Promise<AuditFile> {
  const read = policy === undefined ? metadataPolicy : await policyIn(policy);
  const file = await opened(log);
  return { options: { policy: read, write: (event) => file.write(event) }, close: () => file.close() };
}

async function opened({ flag, path }: AuditFiles["log"]): Promise<LineFile> {
  try {
    return await openLineFile(path);
  } catch (error) {
    throw new UserError(`${flag}: cannot write to ${path}: ${messageOf(error)}`, [], { cause: error });
  }
}

async function policyIn({ flag, path }: AuditFiles["log"]): Promise<AuditPolicy> {
  try {
    const text = await readTextFile(path);
    if (text === undefined) throw new RangeError("it does not exist");
    return readAuditPolicy(parse(text));
  } catch (error) {
    throw new UserError(`${flag}: ${path} is not an audit policy: ${messageOf(error)}`, [], { cause: error });
  }
}
