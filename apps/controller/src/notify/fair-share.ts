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

/** A contact and how many attempts may begin for it now. */
export interface Share {
  readonly contact: DueContact;
  readonly places: number;
}

/**
 * Shares the free places between the contacts that have something to send. Contacts come in the order of their oldest
 * due notification; each gets its share before the next one. A contact that fails, and an account, cannot use up the
 * places of others. Pure.
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
