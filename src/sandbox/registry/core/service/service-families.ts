/**
 * The IP families of a Service: those it requests, and those the server has.
 * Source: kubernetes v1.36 pkg/registry/core/service/storage/alloc.go, pkg/apis/core/validation ValidateServiceClusterIPsRelatedFields.
 */
import { deepEqual } from "../../../../api/field-changes.ts";
import { duplicate, invalid, notSupported, required, type FieldError } from "../../../meta/field-errors.ts";
import { familyOf, type IpFamily } from "../../../meta/go-addresses.ts";
import { textOf, child, type ApiObject, type Fields } from "../../../meta/object.ts";
import { isAddress } from "../../../validation/cidr.ts";
import { hasAddress, listOf } from "./service-addresses.ts";

const families = ["IPv4", "IPv6"];
const policies = ["PreferDualStack", "RequireDualStack", "SingleStack"];

const isWithoutPods = ({ selector }: Fields): boolean =>
  typeof selector !== "object" || selector === null || Object.keys(selector).length === 0;

/** The old Service, if there is one, and the IP families of the server. */
export interface Beginning {
  readonly old: ApiObject | undefined;
  readonly own: readonly IpFamily[];
}

/** Sets the IP families if the client has not, and validates the requested ones, before anything else of the Service is validated. */
export function beginAddresses(service: ApiObject, { old, own }: Beginning): FieldError[] {
  const spec = child(service, "spec");
  if (!hasAddress(spec) || keepsItsStack(spec, old?.spec)) return [];
  const free = spec["clusterIP"] === "None" && isWithoutPods(spec);
  spec["ipFamilyPolicy"] ??= old?.spec?.["ipFamilyPolicy"] ?? (free ? "RequireDualStack" : "SingleStack");
  const related = relatedErrors(spec);
  if (related.length > 0) return related;
  const keptErrors = old === undefined ? [] : keptFamilies(spec, old.spec ?? {});
  const errors = [...keptErrors, ...severalErrors(spec), ...inferFamilies(spec, own)];
  if (errors.length > 0) return errors;
  // A headless Service without a selector needs no reachable address: it may have families that the server lacks.
  if (free) {
    fillFamilies(spec, { own, canHaveBoth: true });
    return [];
  }
  const missing = missingErrors(spec, own);
  if (missing.length === 0) fillFamilies(spec, { own, canHaveBoth: own.length === 2 });
  return missing;
}

/** A Service with `PreferDualStack` keeps its one or two families until its addresses, families or policy change. */
function keepsItsStack(spec: Fields, before: Fields | undefined): boolean {
  const isPreferring = ({ ipFamilyPolicy: policy }: Fields): boolean => policy === "PreferDualStack";
  if (before === undefined || !isPreferring(spec) || spec["type"] !== before["type"]) return false;
  if (before["ipFamilyPolicy"] !== undefined && !isPreferring(before)) return false;
  return ["clusterIPs", "ipFamilies"].every((key) => deepEqual(listOf(spec[key]), listOf(before[key])));
}

interface Filling {
  readonly own: readonly IpFamily[];
  /** True also for a Service without addresses, whose families the server may lack. */
  readonly canHaveBoth: boolean;
}

/** The server's first family for a Service that names none; also the other one if it shall have both. */
function fillFamilies(spec: Fields, { own: [first], canHaveBoth }: Filling): void {
  const named = listOf(spec["ipFamilies"]);
  const wanted = named.length === 0 ? [first] : named;
  const both = canHaveBoth && wanted.length < 2 && spec["ipFamilyPolicy"] !== "SingleStack";
  spec["ipFamilies"] = both ? [...wanted, wanted[0] === "IPv4" ? "IPv6" : "IPv4"] : wanted;
}

/** Derives families from the requested addresses. */
function inferFamilies(spec: Fields, own: readonly IpFamily[]): FieldError[] {
  const ips = listOf(spec["clusterIPs"]);
  const named = listOf(spec["ipFamilies"]);
  if (ips[0] === "None") return [];
  const inferred = ips.slice(named.length).map((ip) => familyOf(textOf(ip)));
  if (inferred.length > 0) spec["ipFamilies"] = [...named, ...inferred.filter((family) => own.includes(family))];
  return inferred.flatMap((family, index) =>
    own.includes(family)
      ? []
      : [invalid(`spec.clusterIPs[${named.length + index}]`, ips, `${family} is not configured on this cluster`)],
  );
}

/** Validates addresses, families and policy, each alone and together. */
function relatedErrors(spec: Fields): FieldError[] {
  const [ip, ips] = [textOf(spec["clusterIP"]), listOf(spec["clusterIPs"])];
  const errors: FieldError[] = [];
  if (ip !== "" && ips.length === 0) errors.push(required("spec.clusterIPs"));
  else if (ip !== "" && ips[0] !== ip)
    errors.push(invalid("spec.clusterIPs", ips, "first value must match `clusterIP`"));
  if (ip === "" && ips.length > 0)
    errors.push(invalid("spec.clusterIPs", ips, "must be empty when `clusterIP` is not specified"));
  const seen = new Set<unknown>();
  for (const [index, family] of listOf(spec["ipFamilies"]).entries()) {
    const field = `spec.ipFamilies[${index}]`;
    if (!families.includes(textOf(family))) errors.push(notSupported(field, family, families));
    if (seen.has(family)) errors.push(duplicate(field, family));
    seen.add(family);
  }
  if (!policies.includes(textOf(spec["ipFamilyPolicy"])))
    errors.push(notSupported("spec.ipFamilyPolicy", spec["ipFamilyPolicy"], policies));
  const wrong = addressErrors(ips);
  return [...errors, ...wrong, ...(wrong.length > 0 ? [] : matchErrors(spec, ips))];
}

function addressErrors(ips: readonly unknown[]): FieldError[] {
  if (ips.length > 1 && ips[0] === "None")
    return [invalid("spec.clusterIPs", ips, "'None' must be the first and only value")];
  const why = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)";
  const errors = ips.flatMap((ip, index) =>
    (index === 0 && ip === "None") || isAddress(textOf(ip)) ? [] : [invalid(`spec.clusterIPs[${index}]`, ip, why)],
  );
  if (ips.length > 2) errors.push(invalid("spec.clusterIPs", ips, "may only hold up to 2 values"));
  return errors;
}

/** One address per family, in the order of the families. */
function matchErrors(spec: Fields, ips: readonly unknown[]): FieldError[] {
  const errors: FieldError[] = [];
  if (ips.length > 1 && new Set(ips.map((ip) => familyOf(textOf(ip)))).size < 2)
    errors.push(invalid("spec.clusterIPs", ips, "may specify no more than one IP for each IP family"));
  for (const [index, family] of listOf(spec["ipFamilies"]).entries()) {
    const ip = ips[index];
    if (ip === undefined || ip === "None" || !families.includes(textOf(family)) || familyOf(textOf(ip)) === family)
      continue;
    const why = `expected an ${textOf(family)} value as indicated by \`ipFamilies[${index}]\``;
    errors.push(invalid(`spec.clusterIPs[${index}]`, ip, why));
  }
  return errors;
}

/** A change to SingleStack drops the second family; other policies cannot release it. */
function keptFamilies(spec: Fields, before: Fields): FieldError[] {
  const errors: FieldError[] = [];
  for (const [key, what] of [
    ["clusterIPs", "cluster IP"],
    ["ipFamilies", "IP family"],
  ] as const) {
    const [now, had] = [listOf(spec[key]), listOf(before[key])];
    if (spec["ipFamilyPolicy"] === "SingleStack") {
      if (now.length > 1 && deepEqual(now, had)) spec[key] = now.slice(0, 1);
    } else if (now.length > 0 && now.length < had.length) {
      const why = `must be 'SingleStack' to release the secondary ${what}`;
      errors.push(invalid("spec.ipFamilyPolicy", spec["ipFamilyPolicy"], why));
    }
  }
  return errors;
}

function severalErrors(spec: Fields): FieldError[] {
  if (spec["ipFamilyPolicy"] !== "SingleStack") return [];
  return [
    ["clusterIPs", "cluster IPs"],
    ["ipFamilies", "IP families"],
  ].flatMap(([key = "", what = ""]) => {
    if (listOf(spec[key]).length !== 2) return [];
    const why = `must be 'RequireDualStack' or 'PreferDualStack' when multiple ${what} are specified`;
    return [invalid("spec.ipFamilyPolicy", "SingleStack", why)];
  });
}

/** Requested families that the server does not have. */
function missingErrors(spec: Fields, own: readonly IpFamily[]): FieldError[] {
  const errors: FieldError[] = [];
  if (spec["ipFamilyPolicy"] === "RequireDualStack" && own.length < 2) {
    const why = "this cluster is not configured for dual-stack services";
    errors.push(invalid("spec.ipFamilyPolicy", "RequireDualStack", why));
  }
  for (const [index, family] of listOf(spec["ipFamilies"]).entries()) {
    if (own.some((each) => each === family)) continue;
    errors.push(invalid(`spec.ipFamilies[${index}]`, family, "not configured on this cluster"));
  }
  return errors;
}
