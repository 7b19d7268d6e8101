import { ifMay } from '../../store/api.ts';
import { mayAdminister } from '../../store/credential.ts';
import { readMschedules } from '../../store/maintenance-schedules.ts';
import { readContacts, readNschedules } from '../../store/notification-schedules.ts';
import { readStatusPages } from '../../store/status-pages.ts';
import { readUsers } from '../../store/users.ts';
import type { PaletteChoice } from './palette-choice.ts';
import { paletteTexts as say } from './palette-texts.ts';

/** Something that the palette finds by its name, and its screen. */
export interface FoundThing extends Pick<PaletteChoice, 'key' | 'group' | 'words' | 'more'> {
  readonly path: string;
}

/** The things that are read when the palette opens. A session limited to tags sees some of them only. */
export async function readThings(): Promise<readonly FoundThing[]> {
  const [contacts, notification, maintenance, pages, people] = await Promise.all([
    ifMay(readContacts()),
    ifMay(readNschedules()),
    ifMay(readMschedules()),
    ifMay(readStatusPages()),
    mayAdminister.value ? ifMay(readUsers()) : undefined,
  ]);
  return [
    ...(contacts ?? []).map(({ contact_id, Name, Type }) => ({
      key: contact_id,
      group: 'contacts' as const,
      words: Name,
      more: Type,
      path: `/schedules/contacts/${contact_id}`,
    })),
    ...(notification ?? []).map(({ nschedule_id, Name }) => ({
      key: nschedule_id,
      group: 'schedules' as const,
      words: Name,
      more: say.notification,
      path: `/schedules/${nschedule_id}`,
    })),
    ...(maintenance ?? []).map(({ mschedule_id, Name }) => ({
      key: mschedule_id,
      group: 'schedules' as const,
      words: Name,
      more: say.recurring,
      path: `/schedules/maintenance/${mschedule_id}`,
    })),
    ...(pages ?? []).map(({ page_id, Name, Path }) => ({
      key: page_id,
      group: 'pages' as const,
      words: Name,
      more: `/status/${Path}`,
      path: `/status-pages/${page_id}`,
    })),
    ...(people ?? []).map(({ user_id, Name, Email }) => ({
      key: user_id,
      group: 'people' as const,
      words: Name,
      more: Email,
      path: '/people',
    })),
  ];
}
