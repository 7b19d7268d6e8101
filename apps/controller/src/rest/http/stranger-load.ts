import { clientNetwork, createSemaphore } from '@vantage/kernel';
import { createPlaces, type Stay } from './places.ts';
import { tooMuch } from './problem.ts';

/** Requests without a key that are under way: of an IPv4 address or an IPv6 network of 64 bits, and in all. */
export const strangerPlaces = {
  network: { running: 4, waiting: 64 },
  all: { running: 16, waiting: 1_024 },
} as const;

/** Bounds what callers without a key have under way. Throws a Problem (1006) for what is too much. */
export interface StrangerLoad {
  /** Runs a request of an address when a place is free, and keeps the place until the answer was sent. */
  run<T>(address: string, work: () => Promise<T>, stay: Stay): Promise<T>;
}

/** Creates the load. A network is remembered only while something of it is under way. */
export function createStrangerLoad(): StrangerLoad {
  const networks = createPlaces<string>(strangerPlaces.network);
  const all = createSemaphore(strangerPlaces.all);
  return {
    async run(address, work, stay) {
      const { signal, sent } = stay;
      const done = await networks.run(clientNetwork(address), () => all.run(work, signal, sent), stay);
      if (done?.value === undefined) throw tooMuch('Too many requests without a key are waiting.');
      return done.value.value;
    },
  };
}
