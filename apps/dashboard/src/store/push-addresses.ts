import { signal } from '@preact/signals';

/**
 * The addresses that were made while this page is open, by device. No later answer of the API shows them, so they live
 * here until the page is left.
 */
export const pushAddresses = signal<ReadonlyMap<string, string>>(new Map());

export function notePushAddress(deviceId: string, url: string): void {
  pushAddresses.value = new Map(pushAddresses.value).set(deviceId, url);
}

export function forgetPushAddress(deviceId: string): void {
  const left = new Map(pushAddresses.value);
  left.delete(deviceId);
  pushAddresses.value = left;
}
