import { accountSignal } from './present-sign-in.ts';

/**
 * The addresses that were made while this page is open, by device. No later answer of the API shows them, so they live
 * here until the page is left or the sign-in ends.
 */
export const pushAddresses = accountSignal<ReadonlyMap<string, string>>(new Map());

export function notePushAddress(deviceId: string, url: string): void {
  pushAddresses.value = new Map(pushAddresses.value).set(deviceId, url);
}

export function forgetPushAddress(deviceId: string): void {
  const left = new Map(pushAddresses.value);
  left.delete(deviceId);
  pushAddresses.value = left;
}
