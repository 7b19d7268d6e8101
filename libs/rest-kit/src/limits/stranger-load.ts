import { clientNetwork, createFairSemaphore, declareShare, greaterNetwork } from '@vantage/kernel';
import { tooMuch } from '../serve/problem.ts';
import { createPerKeySemaphore, type Stay } from './per-key-semaphore.ts';

declareShare({
  name: 'requests_without_a_key',
  limit:
    '16 of each purpose (sign-in, provider, status pages, documents) until the answer is computed, 1,024 wait',
  filledBy: 'strangers',
  share:
    '4 an address (IPv6: /64), 64 wait; greater networks (/24, /48) take turns, a newcomer replaces one of the network with the most',
});
declareShare({
  name: 'unread_answers_without_a_key',
  limit: 'one limit for each address and purpose',
  filledBy: 'strangers',
  share: '4 until the answer was sent; all unsent bytes have a bound of their own',
});

/** The purposes of requests without a key. Each has its own slots, so a crowd at one purpose blocks no other. */
export type StrangerPurpose = 'signIn' | 'provider' | 'pages' | 'documents';

/**
 * Concurrent requests without a key, for each purpose. A request occupies a slot of its network (an IPv4 address, or an
 * IPv6 network of 64 bits) until the answer is sent, and a slot of the purpose until the answer is computed. So an
 * unread answer occupies a slot of its own network only. One limit bounds the memory of all unsent
 * answers.
 */
export const strangerSlots = {
  network: { running: 4, waiting: 64 },
  all: { running: 16, waiting: 1_024 },
} as const;

/** Bounds what callers without a key have under way. Throws a Problem (1006) for what is too much. */
export interface StrangerLoad {
  /**
   * Runs a request of an address in its turn. The request occupies a slot of its network until the answer was sent.
   * Read its body before, because a slow body would occupy slots.
   */
  run<T>(purpose: StrangerPurpose, address: string, work: () => Promise<T>, stay: Stay): Promise<T>;
}

/** Creates the load. A network is remembered only while something of it is under way. */
export function createStrangerLoad(): StrangerLoad {
  const places = {
    signIn: createPlaces(),
    provider: createPlaces(),
    pages: createPlaces(),
    documents: createPlaces(),
  };
  return {
    async run(purpose, address, work, stay) {
      const { networks, all } = places[purpose];
      const network = clientNetwork(address);
      const done = await networks.run(network, () => all.run(network, work, stay.signal), stay);
      if (done?.value === undefined) throw tooMuch('Too many requests without a key are waiting.');
      return done.value.value;
    },
  };
}

function createPlaces() {
  const { network, all } = strangerSlots;
  return {
    networks: createPerKeySemaphore<string>(network),
    all: createFairSemaphore<string>({ ...all, perOwner: network, groupOf: greaterNetwork }),
  };
}
