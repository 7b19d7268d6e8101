import type { Schemas } from '@vantage/client';
import { type PreviewKind, toldOfUp } from '../../model/preview-kinds.ts';
import { api, take } from '../../store/api.ts';
import { scheduleTexts as say } from './schedule-texts.ts';

type PreviewBody = Omit<Schemas['NotificationSchedulePreview'], 'Kind'>;
type PreviewedMessage = Schemas['PreviewedMessage'];

const preview = (body: PreviewBody, Kind: PreviewKind) =>
  take(api.POST('/nschedules/preview', { body: { ...body, Kind } }));

/** The messages of a kind. Up has no steps of its own: it is one message to those who were notified of Down. */
export async function readPreview(
  body: PreviewBody,
  kind: PreviewKind,
): Promise<readonly Pick<PreviewedMessage, 'Timestamp' | 'Text' | 'NotNotified' | 'Repeat'>[]> {
  if (kind !== 'device.up') return preview(body, kind);
  const [down, up] = await Promise.all([preview(body, 'device.down'), preview(body, 'device.up')]);
  const { Contacts, NotNotified } = toldOfUp(down, up);
  if (Contacts.length + NotNotified.length === 0) return [];
  const Text = say.toldOfUp(Contacts.map(({ Name }) => Name));
  return [{ Timestamp: '', Text, NotNotified: [...NotNotified], Repeat: false }];
}
