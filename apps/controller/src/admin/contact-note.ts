/** The schedule of a contact that was added, and a sentence about it. */
export function contactNote(
  kind: 'made' | 'added' | 'own-schedule',
  address: string,
  everybody: string,
): { readonly schedule: string | null; readonly note: string } {
  switch (kind) {
    case 'made':
      return {
        schedule: everybody,
        note: `${address} is notified of every alert: the account had no notification schedule, so "${everybody}" was created`,
      };
    case 'added':
      return { schedule: everybody, note: `${address} was added to the schedule "${everybody}"` };
    case 'own-schedule':
      return {
        schedule: null,
        note: `no schedule notifies ${address} yet: the account has a schedule of its own, so add the contact_id to its Steps (PUT /nschedules/{nschedule_id})`,
      };
  }
}
