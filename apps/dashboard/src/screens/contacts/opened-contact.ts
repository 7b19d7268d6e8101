import type { Schemas } from '@vantage/client';
import { api, take, takeAnswer } from '../../store/api.ts';
import { readEverybody } from '../../store/everybody-schedule.ts';
import {
  type NotificationContact,
  readNschedules,
  schedulesByContact,
} from '../../store/notification-schedules.ts';

/** A contact, and the facts that its form needs. */
export interface OpenedContact {
  /** Undefined: a new contact. */
  readonly contact: NotificationContact | undefined;
  readonly etag: string | undefined;
  readonly types: readonly Schemas['ContactType'][];
  readonly users: readonly Schemas['NotificationSchedule'][];
  /** Whether it can join the schedule "Everybody". */
  readonly mayJoin: boolean;
}

/** Reads a contact, with the facts for its form. */
export async function readContact(id: string): Promise<OpenedContact> {
  const others = Promise.all([take(api.GET('/contact-types')), readNschedules()]);
  if (id === 'new')
    return { contact: undefined, etag: undefined, types: (await others)[0], users: [], mayJoin: false };
  const [{ data, etag }, [types, schedules], everybody] = await Promise.all([
    takeAnswer(api.GET('/contacts/{contact_id}', { params: { path: { contact_id: id } } })),
    others,
    readEverybody(),
  ]);
  const users = schedulesByContact(schedules).get(id) ?? [];
  return { contact: data, etag, types, users, mayJoin: users.length === 0 && everybody !== null };
}
