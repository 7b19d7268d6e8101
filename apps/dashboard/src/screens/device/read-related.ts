import type { Schemas } from '@vantage/client';
import { api, ifMay, take, takeAnswer } from '../../store/api.ts';
import { readNschedules } from '../../store/notification-schedules.ts';

interface NamedThing {
  readonly id: string;
  readonly name: string;
}

/** The objects that the settings of a device name. */
interface RelatedThings {
  /** The schedule that notifies: its own one, or that of the account. */
  readonly nschedule: NamedThing | undefined;
  readonly mschedule: NamedThing | undefined;
  /** The devices of which it is the master. */
  readonly behind: { readonly total: number; readonly first: readonly NamedThing[] };
  /** A master that its paths suggest, if it has none. */
  readonly suggested: NamedThing | undefined;
}

const shownBehind = 5;

/** Reads the names of what a device refers to; undefined where the session may not see it. */
export async function readRelated(device: Schemas['Device']): Promise<RelatedThings> {
  const { device_id, device_master_id, nschedule_id, mschedule_id } = device;
  const [account, nschedules, mschedules, behind, suggestion] = await Promise.all([
    take(api.GET('/account')),
    ifMay(readNschedules()),
    mschedule_id === null ? [] : ifMay(take(api.GET('/mschedules'))),
    takeAnswer(
      api.GET('/devices', { params: { query: { device_master_id: device_id, Limit: shownBehind } } }),
    ),
    device_master_id === null
      ? take(api.GET('/devices/{device_id}/suggested-master', { params: { path: { device_id } } }))
      : undefined,
  ]);
  const used = nschedule_id ?? account.nschedule_id;
  const nschedule = nschedules?.find((each) => each.nschedule_id === used);
  const mschedule = mschedules?.find((each) => each.mschedule_id === mschedule_id);
  const suggested = suggestion?.SuggestedMaster ?? undefined;
  return {
    nschedule: nschedule && { id: nschedule.nschedule_id, name: nschedule.Name },
    mschedule: mschedule && { id: mschedule.mschedule_id, name: mschedule.Name },
    behind: {
      total: behind.total,
      first: behind.data.map(({ device_id: id, FullName, ShortName }) => ({
        id,
        name: FullName ?? ShortName,
      })),
    },
    suggested:
      suggested === undefined ? undefined : { id: suggested, name: suggestion?.ShortName ?? suggested },
  };
}
