import { cleanLine } from '@vantage/domain';
import { type Clock, isId } from '@vantage/kernel';
import { showTimes } from '@vantage/rest-kit/field';
import type { Session } from '@vantage/rest-kit/session';
import type { Reader } from '@vantage/storage';
import type { Tag } from '@vantage/storage/entities';
import type { z } from 'zod';
import type { Catalog } from '../../resources/change.ts';
import { byCreation } from '../devices/device-list-request.ts';
import { listDevices } from '../devices/device-list-store.ts';
import { completeResults } from '../devices/device-store.ts';
import { showEntry } from '../devices/to-rest.ts';
import type { tagFull } from './tag-fields.ts';
import { findTag } from './tag-store.ts';

/** The maximum of devices in an answer about a tag; `GET /devices?Filter=<tag_id>` reads more. */
const maxDevices = 10_000;

/** Finds the tag that a path names. */
export const tagSubject = {
  what: 'tag',
  find: async ({ accountNo }: Session, { tag_id = '' }: Readonly<Record<string, string>>, db: Reader) =>
    isId(tag_id) ? findTag(db, accountNo, tag_id) : undefined,
} as const;

/** Reads a tag with its devices as its GET shows it. */
export function createTagReader({ clock }: Pick<TagRouteDeps, 'clock'>) {
  return async (db: Reader, { accountNo, zone }: Session, row: Tag): Promise<z.input<typeof tagFull>> => {
    const nowUs = clock.nowUs();
    const filter = { tagNos: [[row.tagNo]] };
    const page = { accountNo, filter, sort: byCreation, limit: maxDevices, offset: 0, nowUs };
    const { rows: found } = await listDevices(db, page);
    const rows = found.slice(0, maxDevices);
    const resultOf = await completeResults(db, rows, nowUs);
    return {
      tag_id: row.tagId,
      Name: cleanLine(row.name),
      ExternalKey: row.externalKey ?? null,
      Source: row.source ?? null,
      Devices: rows.map((device) => showEntry(device, resultOf(device), zone)),
      ...showTimes({ created_at: row.createdAt, updated_at: row.updatedAt }, zone),
    };
  };
}

/** The parts that the routes of tags need. */
export interface TagRouteDeps {
  readonly catalog: Catalog;
  readonly clock: Clock;
}
