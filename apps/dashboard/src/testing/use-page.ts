import { afterEach, beforeEach, vi } from 'vitest';

/** The origin of the page in tests. */
const origin = 'https://vantage.test';

/** How the network answers the page. */
type Network = (request: Request) => Response | Promise<Response>;

/** The store of the page. */
async function loadStore() {
  const [
    accountState,
    agents,
    alerts,
    clock,
    credential,
    overviewFacts,
    outageCounts,
    notificationSchedules,
    presentSignIn,
    readStates,
  ] = await Promise.all([
    import('../store/account-state.ts'),
    import('../store/agents.ts'),
    import('../store/alerts.ts'),
    import('../store/clock.ts'),
    import('../store/credential.ts'),
    import('../store/overview-facts.ts'),
    import('../store/outage-counts.ts'),
    import('../store/notification-schedules.ts'),
    import('../store/present-sign-in.ts'),
    import('../store/read-states.ts'),
  ]);
  return {
    ...accountState,
    ...agents,
    ...alerts,
    ...clock,
    ...credential,
    ...overviewFacts,
    ...outageCounts,
    ...notificationSchedules,
    ...presentSignIn,
    ...readStates,
  };
}

/** The page of a test. */
interface Page {
  /** Answers every request from now on. */
  answerBy(network: Network): void;
  /** The store of the page. It is the same one for all tests of a process: a sign-in ends before each test. */
  store(): Promise<Awaited<ReturnType<typeof loadStore>>>;
}

/** Provides the parts of a browser that the store of the page needs. They are removed after each test. */
export function usePage(): Page {
  let network: Network = () => Promise.reject(new Error('no network'));
  beforeEach(async () => {
    const stored = new Map<string, string>();
    vi.stubGlobal('location', { origin, assign: () => {} });
    vi.stubGlobal('localStorage', {
      getItem: (key: string) => stored.get(key) ?? null,
      setItem: (key: string, value: string) => void stored.set(key, value),
      removeItem: (key: string) => void stored.delete(key),
    });
    vi.stubGlobal('fetch', async (target: Request | string, init: RequestInit = {}) => {
      const request = new Request(typeof target === 'string' ? new URL(target, origin) : target, init);
      // As in a browser: an answer after the abort is ignored.
      const aborted = new Promise<never>((_, reject) => {
        request.signal.addEventListener('abort', () => reject(request.signal.reason), { once: true });
      });
      request.signal.throwIfAborted();
      return Promise.race([network(request), aborted]);
    });
    (await loadStore()).endSignIn();
  });
  afterEach(async () => {
    (await loadStore()).endSignIn();
    vi.unstubAllGlobals();
  });
  return {
    answerBy(next) {
      network = next;
    },
    store: loadStore,
  };
}
