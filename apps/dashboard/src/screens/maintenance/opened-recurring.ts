import { api, take, takeAnswer } from '../../store/api.ts';
import { today } from '../../store/clock.ts';
import type { Mschedule } from '../../store/maintenance-schedules.ts';
import { newRecurringDraft, type RecurringDraft, recurringDraft } from './recurring-draft.ts';

/** A maintenance schedule as it was read, with its form. */
export interface OpenedRecurring {
  /** Undefined: a new schedule. */
  readonly schedule: Mschedule | undefined;
  readonly draft: RecurringDraft;
  readonly etag: string | undefined;
}

/** Reads a maintenance schedule, or the start of a new one. */
export async function readRecurring(id: string): Promise<OpenedRecurring> {
  if (id === 'new') {
    const { Timezone } = await take(api.GET('/account'));
    return { schedule: undefined, draft: newRecurringDraft(Timezone, today.value), etag: undefined };
  }
  const params = { path: { mschedule_id: id } };
  const { data, etag } = await takeAnswer(api.GET('/mschedules/{mschedule_id}', { params }));
  return { schedule: data, draft: recurringDraft(data), etag };
}
