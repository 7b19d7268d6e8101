import type { DeviceStatus } from '@vantage/domain';
import type { Uptime } from '@vantage/domain/report';
import type { Zone } from '@vantage/rest-kit/zone';
import type { Row } from '@vantage/storage';
import type { StoredNote } from '../status-page-notes.ts';
import type { PageDay, PageIncident } from './days.ts';

/** The maximum of devices on a page. */
export const maxDevices = 500;

/** A device on a status page. */
export interface PageDevice {
  readonly no: number;
  readonly id: string;
  readonly name: string;
  readonly status: DeviceStatus;
  readonly sinceUs: number;
  readonly maintenanceUntilUs: number | null;
  /** Only what the page may show. */
  readonly url: string | undefined;
  readonly result: string | undefined;
  readonly locations: readonly string[] | undefined;
  readonly tagNos: readonly string[];
}

/** The content of a status page. */
export interface PageView {
  readonly page: ReadPage;
  readonly zone: Zone;
  readonly nowUs: number;
  /** The devices of the page by the names of its tags; one without a name where it has no tags. */
  readonly groups: readonly { readonly name: string | undefined; readonly devices: readonly PageDevice[] }[];
  readonly history: PageHistory;
  readonly notes: readonly StoredNote[];
  readonly planned: readonly {
    readonly fromUs: number;
    readonly toUs: number;
    readonly names: readonly string[];
  }[];
  /** Devices that the page does not show, because there are too many. */
  readonly left: number;
}

type Column =
  | 'page_no'
  | 'account_no'
  | 'name'
  | 'path'
  | 'tag_nos'
  | 'access'
  | 'password_hash'
  | 'shows'
  | 'notes'
  | 'logo'
  | 'accent_light'
  | 'accent_dark'
  | 'footer';

/** A status page with what is needed to show it. */
export interface ReadPage extends Pick<Row<'pages'>, Column> {
  readonly timezone: string;
  /** Its tags that are still there, by name. */
  readonly tags: readonly { readonly tag_id: string; readonly name: string }[];
}

/** The days of the devices of a page, and what was wrong. It changes slowly and costs most. */
export interface PageHistory {
  readonly days: ReadonlyMap<number, readonly PageDay[]>;
  /** The start of the first day. */
  readonly fromUs: number;
  readonly uptimes: ReadonlyMap<number, Uptime>;
  readonly incidents: readonly (PageIncident & { readonly deviceNo: number })[];
}
