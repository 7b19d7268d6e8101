/** A contact that has notifications which are due. */
export interface DueContact {
  readonly contactNo: number;
  readonly accountNo: number;
  /** Its latest attempt failed. */
  readonly isFailing: boolean;
}

/** An attempt that this process runs. */
export type RunningAttempt = DueContact;

/** Attempts at one moment in one process. */
interface Places {
  readonly total: number;
  readonly account: number;
  readonly contact: number;
}

/** Attempts of all contacts together. */
export const allPlaces: Places = { total: 128, account: 32, contact: 4 };
/**
 * The part that contacts may have whose latest attempt failed: a dead endpoint holds its places until the time limit of
 * an attempt.
 */
const failingPlaces: Places = { total: 32, account: 8, contact: 1 };

/** Contacts and accounts that get no place, whatever they have to send. */
interface WithoutPlace {
  readonly contactNos: readonly number[];
  readonly accountNos: readonly number[];
}

/** The contacts and accounts that have no free place; of contacts that fail, these and `failing`. */
export interface FullPlaces extends WithoutPlace {
  /** `isAll`: no contact that fails gets a place. */
  readonly failing: WithoutPlace & { readonly isAll: boolean };
}

/**
 * The contacts and accounts to which `shareOut` would give no place beside these attempts. Due contacts are read
 * without them: else an account with many contacts would keep those of others from being read. Pure.
 */
export function fullPlaces(running: readonly RunningAttempt[]): FullPlaces {
  const failing = running.filter(({ isFailing }) => isFailing);
  return {
    ...withoutPlace(running, allPlaces),
    failing: { ...withoutPlace(failing, failingPlaces), isAll: failing.length >= failingPlaces.total },
  };
}

function withoutPlace(running: readonly RunningAttempt[], places: Places): WithoutPlace {
  const full = (keyOf: (attempt: RunningAttempt) => number, most: number) =>
    [...Map.groupBy(running, keyOf)].filter(([, of]) => of.length >= most).map(([key]) => key);
  return {
    contactNos: full(({ contactNo }) => contactNo, places.contact),
    accountNos: full(({ accountNo }) => accountNo, places.account),
  };
}

/** A contact and how many attempts may begin for it now. */
export interface Share {
  readonly contact: DueContact;
  readonly places: number;
}

/**
 * Shares the free places between the contacts that have something to send. Contacts come in the order of `dueContacts`;
 * each gets its share before the next one. A contact that fails, and an account, cannot use up the places of others.
 * Pure.
 */
export function shareOut(due: readonly DueContact[], running: readonly RunningAttempt[]): readonly Share[] {
  const all = createCount(running);
  const failing = createCount(running.filter(({ isFailing }) => isFailing));
  const shares: Share[] = [];
  for (const contact of due) {
    const free = all.free(contact, allPlaces);
    const places = contact.isFailing ? Math.min(free, failing.free(contact, failingPlaces)) : free;
    if (places <= 0) continue;
    shares.push({ contact, places });
    all.add(contact, places);
    if (contact.isFailing) failing.add(contact, places);
  }
  return shares;
}

function createCount(running: readonly RunningAttempt[]) {
  let total = 0;
  const accounts = new Map<number, number>();
  const contacts = new Map<number, number>();
  const add = ({ accountNo, contactNo }: DueContact, places: number) => {
    total += places;
    accounts.set(accountNo, (accounts.get(accountNo) ?? 0) + places);
    contacts.set(contactNo, (contacts.get(contactNo) ?? 0) + places);
  };
  for (const attempt of running) add(attempt, 1);
  return {
    add,
    free: ({ accountNo, contactNo }: DueContact, places: Places) =>
      Math.min(
        places.total - total,
        places.account - (accounts.get(accountNo) ?? 0),
        places.contact - (contacts.get(contactNo) ?? 0),
      ),
  };
}
