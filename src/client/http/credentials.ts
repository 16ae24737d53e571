import { TransportError, type ApiRequest, type ApiResponse, type Transport } from "../../api/transport.ts";
import type { KeyPair } from "../config/rest-config.ts";
import type { Credential, CredentialSource } from "../config/credential.ts";

/**
 * Sends each request with the current credentials. A request refused with 401 is sent once more if newer credentials
 * are available: the server has not processed it, so that is safe for writes too. `open` is called for a transport when
 * the certificate changes; a connection keeps the certificate it was opened with. An upgrade is sent once.
 */
export function withCredentials(
  credentials: CredentialSource,
  open: (keyPair: KeyPair | undefined) => Transport & { close(): void },
): Transport & { close(): void } {
  let opened: { readonly transport: Transport & { close(): void }; readonly keyPair: KeyPair | undefined } | undefined;
  const transportFor = (keyPair: KeyPair | undefined): Transport => {
    if (opened === undefined || opened.keyPair !== keyPair) {
      opened?.transport.close();
      opened = { transport: open(keyPair), keyPair };
    }
    return opened.transport;
  };
  const signed = (request: ApiRequest, { authorization }: Credential): ApiRequest =>
    authorization === undefined ? request : { ...request, headers: { ...request.headers, authorization } };
  const send = (request: ApiRequest, credential: Credential): Promise<ApiResponse> =>
    transportFor(credential.keyPair).send(signed(request, credential));
  return {
    async send(request) {
      const credential = await credentials.current();
      const response = await send(request, credential);
      if (response.status !== 401) return response;
      const renewed = await credentials.renew(credential);
      if (renewed === credential) return response;
      response.body.cancel();
      return send(request, renewed);
    },
    async upgrade(request) {
      const credential = await credentials.current();
      const transport = transportFor(credential.keyPair);
      if (transport.upgrade === undefined)
        throw new TransportError("the connection cannot be upgraded", { failure: "unreachable" });
      return transport.upgrade(signed(request, credential));
    },
    close: () => opened?.transport.close(),
  };
}
