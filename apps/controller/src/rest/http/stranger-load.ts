import { clientNetwork, createFairSemaphore, declareShare, greaterNetwork } from '@vantage/kernel';
import { createPerKeySemaphore, type Stay } from './per-key-semaphore.ts';
import { tooMuch } from './problem.ts';

declareShare({
  name: 'requests_without_a_key',
  limit:
    '16 of each purpose (sign-in, provider, status pages, documents) until the answer is made, 1,024 wait',
  filledBy: 'strangers',
  share:
    '4 an address (IPv6: /64), 64 wait; greater networks (/24, /48) take turns, a newcomer takes the place of one of the network with the most',
});
declareShare({
  name: 'unread_answers_without_a_key',
  limit: 'one limit for each address and purpose',
  filledBy: 'strangers',
  share: '4 until the answer was sent; all unsent bytes have a bound of their own',
});

/** The purposes of requests without a key. Each has its own places, so that a crowd at one blocks no other. */
export type StrangerPurpose = 'signIn' | 'provider' | 'pages' | 'documents';

/**
 * Requests without a key that are under way, for each purpose. A request occupies a place of its network (an IPv4
 * address, or an IPv6 network of 64 bits) until the answer was sent, and a place of the purpose until the answer is
 * ready. So an unread answer occupies a place of its own network only. One limit bounds the memory of all unsent
 * answers.
 */
export const strangerPlaces = {
  network: { running: 4, waiting: 64 },
  all: { running: 16, waiting: 1_024 },
} as const;

/** Bounds what callers without a key have under way. Throws a Problem (1006) for what is too much. */
export interface StrangerLoad {
  /**
   * Runs a request of an address in its turn. The request occupies a place of its network until the answer was sent.
   * Read its body before, because a slow body would occupy places.
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
  const { network, all } = strangerPlaces;
  return {
    networks: createPerKeySemaphore<string>(network),
    all: createFairSemaphore<string>({ ...all, perOwner: network, groupOf: greaterNetwork }),
  };
}
