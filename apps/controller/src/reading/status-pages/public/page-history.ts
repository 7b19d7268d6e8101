import { dayUs } from '@vantage/domain';
import { createZone } from '@vantage/rest-kit/zone';
import type { Reader } from '@vantage/storage';
import { byCreation } from '../../../catalog/devices/device-list-request.ts';
import { listDevices } from '../../../catalog/devices/device-list-store.ts';
import type { ReadTimelines } from '../../states/state-routes.ts';
import { gatherDays, gatherIncidents, gatherUptime, shownDays } from './days.ts';
import { maxDevices, type PageHistory, type ReadPage } from './page-view.ts';

/** The incidents of this many days, the newest first, up to a maximum. */
const incidentDays = 14;

const maxIncidents = 50;

/** Reads the last 90 days of a page's devices. */
export async function readHistory(
  db: Reader,
  timelines: ReadTimelines,
  page: ReadPage,
  nowUs: number,
): Promise<PageHistory> {
  const { rows } = await listDevices(db, {
    accountNo: page.account_no,
    filter: { enabled: true, ...(page.tag_nos === null ? {} : { tagNos: [page.tag_nos] }) },
    sort: byCreation,
    limit: maxDevices,
    offset: 0,
    nowUs,
    withoutResults: true,
  });
  const zone = createZone(page.timezone);
  const todayUs = zone.parse(`${zone.format(nowUs).slice(0, 10)}T00:00:00`) ?? nowUs;
  const fromUs = todayUs - (shownDays - 1) * dayUs;
  const devices = rows.slice(0, maxDevices).map(({ device_no: deviceNo, created_us: createdUs }) => ({
    deviceNo,
    createdUs,
    fromUs: Math.max(fromUs, createdUs),
  }));
  const gathering = new Map(
    devices.map(({ deviceNo }) => [
      deviceNo,
      {
        days: gatherDays(fromUs),
        uptime: gatherUptime(nowUs - fromUs),
        incidents: gatherIncidents({ nowUs, sinceUs: nowUs - incidentDays * dayUs, most: maxIncidents }),
      },
    ]),
  );
  await timelines(db, { devices, toUs: nowUs, nowUs }, (deviceNo, spans) => {
    for (const gatherer of Object.values(gathering.get(deviceNo) ?? {})) gatherer.add(spans);
  });
  const all = [...gathering];
  return {
    days: new Map(all.map(([deviceNo, { days }]) => [deviceNo, days.result])),
    fromUs,
    uptimes: new Map(all.map(([deviceNo, { uptime }]) => [deviceNo, uptime.result])),
    incidents: all
      .flatMap(([deviceNo, { incidents }]) => incidents.result.map((incident) => ({ ...incident, deviceNo })))
      .sort((a, b) => b.fromUs - a.fromUs)
      .slice(0, maxIncidents),
  };
}
