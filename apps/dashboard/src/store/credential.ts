import { computed, signal } from '@preact/signals';

// The only module that knows how the page proves who it is.

const place = 'vantage-key';

/** What the key or person may do. */
export interface Session {
  readonly level: string;
}

const key = signal(sessionStorage.getItem(place) ?? undefined);
const isRefused = signal(false);

export const session = signal<Session | undefined>(undefined);
/** `ended`: it was good and is refused now, so the screen stays while one signs in again. */
export const signedIn = computed(() => (isRefused.value ? 'ended' : key.value === undefined ? 'no' : 'yes'));
/** Whether it may change devices and settings. */
export const mayWrite = computed(() => ['UW', 'UA'].includes(session.value?.level ?? ''));
/** Whether it may acknowledge, snooze, start maintenance and check. */
export const mayOperate = computed(() => ['UO', 'UW', 'UA'].includes(session.value?.level ?? ''));

/** Adds the credential to a request of the API. */
export function authorize(headers: Headers): void {
  if (key.value !== undefined) headers.set('Service-API-Key', key.value);
}

/** Signs in. Returns whether the key is good; throws when the API cannot be asked. */
export async function signIn(given: string): Promise<boolean> {
  const found = await readSession(given);
  if (found === undefined) return false;
  sessionStorage.setItem(place, given);
  key.value = given;
  session.value = found;
  isRefused.value = false;
  return true;
}

/** Finds out what a key that was kept may do. */
export async function resumeSession(): Promise<void> {
  const kept = key.value;
  if (kept === undefined) return;
  const found = await readSession(kept);
  if (found === undefined) signOut();
  else session.value = found;
}

export function signOut(): void {
  sessionStorage.removeItem(place);
  key.value = undefined;
  session.value = undefined;
  isRefused.value = false;
}

/** The API refused the credential. */
export function refuseSession(): void {
  if (key.value !== undefined) isRefused.value = true;
}

async function readSession(given: string): Promise<Session | undefined> {
  if (!/^[\x21-\x7e]+$/.test(given)) return undefined;
  const answer = await fetch('/v1.1/hello', { headers: { 'Service-API-Key': given }, cache: 'no-store' });
  const text = await answer.text();
  if (answer.status === 400) return undefined;
  if (!answer.ok) throw new Error(text.slice(0, 200));
  return { level: /^Auth level:\s+(\w+)/m.exec(text)?.[1] ?? 'UR' };
}
