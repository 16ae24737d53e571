/** Validates the DNS config of a pod. Source: kubernetes v1.36 pkg/apis/core/validation/validation.go validatePodDNSConfig. */
import { invalid, required, type FieldError } from "../../../../meta/field-errors.ts";
import { fieldsIn, isFields, textOf, textsIn } from "../../../../meta/object.ts";
import { eachErrors, nameErrors } from "../../../../validation/checks.ts";
import { addressErrors } from "../../../../validation/cidr.ts";
import { searchDomainProblems } from "../../../../validation/names.ts";
import type { PartErrors } from "./scope.ts";

const mostServers = 3;
const mostSearches = 32;
const searchCharacters = 2048;

function searchErrors(searches: readonly string[], field: string): FieldError[] {
  const errors: FieldError[] = [];
  if (searches.length > mostSearches)
    errors.push(invalid(field, searches, `must not have more than ${mostSearches} search paths`));
  if (searches.join(" ").length > searchCharacters) {
    const why = `must not have more than ${searchCharacters} characters (including spaces) in the search list`;
    errors.push(invalid(field, searches, why));
  }
  const domainErrors = (search: string, here: string): FieldError[] =>
    search === "." ? [] : nameErrors(search.replace(/\.$/, ""), here, searchDomainProblems);
  return [...errors, ...eachErrors(searches, field, domainErrors)];
}

/** A pod with the DNS policy `None` must specify nameservers. */
export const dnsConfigErrors: PartErrors = (config, field, { spec }) => {
  const none = spec["dnsPolicy"] === "None";
  if (!isFields(config)) return none ? [required(field, "must provide `dnsConfig` when `dnsPolicy` is None")] : [];
  const servers = textsIn(config["nameservers"]);
  const here = `${field}.nameservers`;
  if (none && servers.length === 0)
    return [required(here, "must provide at least one DNS nameserver when `dnsPolicy` is None")];
  const tooMany = `must not have more than ${mostServers} nameservers`;
  return [
    ...(servers.length > mostServers ? [invalid(here, servers, tooMany)] : []),
    ...eachErrors(servers, here, addressErrors),
    ...searchErrors(textsIn(config["searches"]), `${field}.searches`),
    ...eachErrors(fieldsIn(config["options"]), `${field}.options`, ({ name }, at) =>
      textOf(name) === "" ? [required(at, "must not be empty")] : [],
    ),
  ];
};
