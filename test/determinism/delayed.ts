import type { ApiRequest, Transport } from "../../src/api/transport.ts";

/** Lets `awaits` microtasks go by before each request and after each answer: what other runtimes do by themselves. */
export function delayed(transport: Transport, awaits: number): Transport {
  const pause = async (): Promise<void> => {
    for (let i = 0; i < awaits; i++) await Promise.resolve();
  };
  return {
    async send(request: ApiRequest) {
      await pause();
      const answer = await transport.send(request);
      await pause();
      return answer;
    },
  };
}
