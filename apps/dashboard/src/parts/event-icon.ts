import type { AccountEvent } from '../store/account-state.ts';
import type { IconName } from './icon.tsx';

/** The icon of an event: the state of the device or Location after it. */
export function iconOfEvent({ Type, Status }: Pick<AccountEvent, 'Type' | 'Status'>): IconName {
  if (Type === 'Error') return 'Retrying';
  if (Type === 'Partial') return 'Partial';
  if (Type === 'LocationOffline') return 'Offline';
  if (Type === 'AlertFailed') return 'Failed';
  if (/^(Down|Up|Unknown|Maint|Recovered|LocationOnline)/.test(Type)) return Status;
  return 'Other';
}
