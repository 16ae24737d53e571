import type { ApiRequest, Transport } from "../../src/api/transport.ts";

/** Waits `awaits` microtasks before each request and after each response, to imitate the differences between runtimes. */
export function delayed(transport: Transport, awaits: number): Transport {
  const pause = async (): Promise<void> => {
    for (let i = 0; i < awaits; i++) await Promise.resolve();
  };
  return {
    async send(request: ApiRequest) {
      await pause();
      const response = await transport.send(request);
      await pause();
      return response;
    },
  };
}
