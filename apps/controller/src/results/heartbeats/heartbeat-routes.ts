import { nextMomentUs } from '@vantage/health';
import { idField, timestampField } from '@vantage/rest-kit/field';
import { conflict } from '@vantage/rest-kit/problem';
import type { Route } from '@vantage/rest-kit/route';
import { route } from '@vantage/rest-kit/route-factories';
import type { Session } from '@vantage/rest-kit/session';
import type { Zone } from '@vantage/rest-kit/zone';
import type { Db } from '@vantage/storage';
import { z } from 'zod';
import type { DeviceSubject } from '../../reading/history/check-routes.ts';
import type { ChangeByCaller } from '../../resources/change.ts';
import { heartbeatSettings } from './heartbeat-settings.ts';
import { readHeartbeats, replaceToken, type StoredHeartbeat } from './heartbeat-store.ts';
import { newPushToken, pushUrl } from './push-token.ts';

const shown = z
  .strictObject({
    device_id: idField,
    LastCall: timestampField
      .nullable()
      .describe('When the last call came; null: none has come yet.')
      .meta({ example: '2026-02-25T22:38:03+00:00' }),
    LastCallKind: z
      .enum(['success', 'start', 'fail', 'exit'])
      .nullable()
      .describe('What the last call reported. A log counts as none.'),
    LastExitStatus: z.int().nullable().describe('Its exit status, if it reported one.').meta({ example: 0 }),
    NextDue: timestampField
      .nullable()
      .describe('When the next call is due; null: the device waits for its first call, or is paused.')
      .meta({ example: '2026-02-25T22:38:03+00:00' }),
    LateAt: timestampField
      .nullable()
      .describe(
        'When something will be missing unless a call comes: a due time with its grace, or the end of a run.',
      )
      .meta({ example: '2026-02-25T22:38:03+00:00' }),
    Runs: z
      .array(
        z.strictObject({
          RunId: z.string().describe('Empty: the calls name no run.'),
          Started: timestampField,
          IsOverdue: z.boolean().describe('It has not ended within MaxRunSeconds.'),
        }),
      )
      .describe('Runs that began and have not ended.')
      .meta({ example: [{ RunId: 'nightly', Started: '2026-02-25T22:38:03+00:00', IsOverdue: false }] }),
  })
  .meta({ id: 'Heartbeat', description: 'The calls of a job.' });

const rotated = z
  .strictObject({
    device_id: idField,
    PushURL: z
      .string()
      .describe('The new address that the job calls. No later answer shows it.')
      .meta({ example: 'https://vantage.example/push/0f9c2a7be1d54c6f8a3b5d7e9c1f2a4b' }),
  })
  .meta({ id: 'RotatedPush', description: 'The new address of a job.' });

interface HeartbeatRouteDeps {
  readonly device: DeviceSubject;
  readonly change: ChangeByCaller;
  readonly baseUrl: () => string;
}

const tag = 'Devices';

/** Reading the calls of a Push device, and rotating the token of its address. */
export function heartbeatRoutes({ device, change, baseUrl }: HeartbeatRouteDeps): Route[] {
  const subject = {
    what: 'device' as const,
    find: async (session: Session, params: Readonly<Record<string, string>>, db: Db) => {
      const found = await device.find(session, params, db);
      return found && { deviceNo: found.device_no, deviceId: params['device_id'] ?? '' };
    },
  };
  return [
    route({
      method: 'GET',
      path: '/devices/{device_id}/push',
      level: 'UR',
      tag,
      summary: 'The calls of a device of the Method Push: the last one, the next one, and its runs.',
      description: 'A device of another Method has none.',
      subject,
      response: shown,
      names: { root: 'push', row: 'run', id: 'device_id' },
      handler: async ({ db, session, subject: { deviceNo, deviceId } }) => {
        const found = (await readHeartbeats(db.kysely, [deviceNo])).get(deviceNo);
        return { body: { device_id: deviceId, ...show(found, session.zone) } };
      },
    }),
    route({
      method: 'PUT',
      path: '/devices/{device_id}/push/rotate',
      limitedCallers: 'permitted',
      level: 'UW',
      tag,
      summary: 'Gives a device of the Method Push a new address, which this answer alone shows.',
      description: 'The old address ends at once.',
      subject,
      response: rotated,
      names: { root: 'push', id: 'device_id' },
      handler: async ({ db, session, subject: { deviceNo, deviceId } }) => {
        const { token, tokenHash } = newPushToken();
        const isRotated = await change(db, session, async ({ trx, record }) => {
          if (!(await replaceToken(trx, deviceNo, tokenHash))) return false;
          const fields = [{ field: 'PushURL', old: '***', new: '***' }];
          record({ action: 'update', kind: 'device', accountNo: session.accountNo, id: deviceId, fields });
          return true;
        });
        if (!isRotated) throw notPush();
        return { body: { device_id: deviceId, PushURL: pushUrl(baseUrl(), token) } };
      },
    }),
  ];
}

function notPush() {
  return conflict('conflict', 'This device is not of the Method Push, so no job calls it.');
}

function show(device: StoredHeartbeat | undefined, zone: Zone): Omit<z.input<typeof shown>, 'device_id'> {
  const state = device?.state ?? null;
  const time = (us: number | null | undefined) => (us === null || us === undefined ? null : zone.format(us));
  if (device === undefined || state === null)
    return {
      LastCall: null,
      LastCallKind: null,
      LastExitStatus: null,
      NextDue: null,
      LateAt: null,
      Runs: [],
    };
  const { lastCall, dueUs, runs } = state;
  return {
    LastCall: time(lastCall?.atUs),
    LastCallKind: lastCall === null || lastCall.kind === 'log' ? null : lastCall.kind,
    LastExitStatus: lastCall?.exitStatus ?? null,
    NextDue: time(dueUs),
    LateAt: time(nextMomentUs(state, heartbeatSettings(device))),
    Runs: runs.map(({ runId, lastUs, isOverdue }) => ({
      RunId: runId,
      Started: zone.format(lastUs),
      IsOverdue: isOverdue,
    })),
  };
}
