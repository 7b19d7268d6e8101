import { batch, computed, signal } from '@preact/signals';
import type { Schemas } from '@vantage/client';
import { accountId, endSignIn } from './present-sign-in.ts';

// The only module that knows how the page authenticates: by the cookie of a session, which no script can read, or on a
// wall by the key in its address.

/** The name and the rights of the key or person. */
export interface PageSession {
  readonly name: string;
  readonly level: string;
  /** The tags to which it is limited; null: no limit. */
  readonly tags: readonly string[] | null;
  /** Whether it is that of a person with a password. */
  readonly hasPassword: boolean;
  /** Every request that changes something has it in a header. */
  readonly csrfToken: string;
}

/** The fields of the sign-in. Without a key, `name` is the e-mail address of a person. */
export interface SignInFields {
  readonly key: string;
  readonly name: string;
  readonly password: string;
}

export const session = signal<PageSession | undefined>(undefined);
const state = signal<'checking' | 'no' | 'yes' | 'ended'>('checking');
/** `ended`: the session was valid and is refused now. The screen stays while the person signs in again. */
export const signedIn = computed(() => state.value);
/** Whether the session may change devices and settings. */
export const mayWrite = computed(() => ['UW', 'UA'].includes(session.value?.level ?? ''));
/** Whether the session may acknowledge, snooze, start maintenance and check. */
export const mayOperate = computed(() => ['UO', 'UW', 'UA'].includes(session.value?.level ?? ''));

/** A sign-in for which one of these accounts must be chosen; undefined: none. */
export const accountChoice = signal<
  { readonly accounts: readonly string[]; readonly body: object } | undefined
>(undefined);

/** The person signed out, but the controller did not answer: the session may still be open there. */
export const openSession = signal(false);

/** Whether the session may see keys and people. */
export const mayAdminister = computed(() => session.value?.level === 'UA');

/** The key of a wall. It can only view, so it may be part of an address. */
let wallKey: string | undefined;
const keyHeader = 'Service-API-Key';

const path = '/v1.1/session';
const csrfHeader = 'X-CSRF-Token';
/** The code of the API for a request without a session. */
const noSession = 1001;
const signOutMs = 5_000;
/** Stored in the browser while a session is to be ended, so that a page that is opened meanwhile ends it too. */
const leavingKey = 'vantage-signing-out';
const reads = ['GET', 'HEAD'];

/** Adds the proof that this page sent the request. The browser adds the cookie. */
export function authorize({ method, headers }: Request): void {
  if (wallKey !== undefined) headers.set(keyHeader, wallKey);
  if (!reads.includes(method) && session.value !== undefined)
    headers.set(csrfHeader, session.value.csrfToken);
}

/** Signs in. Returns whether the credential is accepted; throws if the API cannot be reached. */
export async function signIn({ key, name, password }: SignInFields): Promise<boolean> {
  const person = { Email: name, Password: password };
  const keyBody = name === '' ? { Key: key } : { Key: key, Name: name, Password: password };
  return send(key === '' ? person : keyBody);
}

/** Signs in to one of the accounts of `accountChoice`. */
export async function signInTo(Account: string): Promise<boolean> {
  return send({ ...accountChoice.value?.body, Account });
}

/** Resumes the browser's session, or that of a person whom a proxy in front of the controller signed in. */
export async function resumeSession(): Promise<void> {
  if (localStorage.getItem(leavingKey) !== null) return leave();
  // The browser would log a refused request as an error.
  const ways = await readWays();
  const isGood =
    (ways.Session && (await accept(await fetch(path, { cache: 'no-store' })))) ||
    (ways.Proxy && (await send({})));
  if (!isGood) forget('no');
}

async function send(body: object): Promise<boolean> {
  const headers = { 'Content-Type': 'application/json' };
  const answer = await fetch(path, { method: 'POST', headers, body: JSON.stringify(body) });
  const accounts = await readAccounts(answer.clone());
  accountChoice.value = accounts && { accounts, body };
  return accept(answer);
}

/** The accounts from which the person can choose, from a refusal. */
async function readAccounts(answer: Response): Promise<readonly string[] | undefined> {
  if (answer.status !== 400) return undefined;
  return ((await answer.json()) as { Accounts?: readonly string[] }).Accounts;
}

/**
 * Signs a wall in by a key. There is no session that could end. Returns the level of a key that can change things,
 * which is refused, and undefined for a key that is not valid.
 */
export async function enterByKey(key: string): Promise<'in' | { readonly level: string } | undefined> {
  const headers = { [keyHeader]: key };
  const answer = await fetch('/v1.1/hello?fmt=json', { headers, cache: 'no-store', credentials: 'omit' });
  if (answer.status === 400) return undefined;
  if (!answer.ok) throw new Error(`status ${answer.status}`);
  const { AuthLevel: level } = (await answer.json()) as { AuthLevel: string };
  if (level !== 'UR') return { level };
  wallKey = key;
  session.value = { name: '', level, tags: null, hasPassword: false, csrfToken: '' };
  state.value = 'yes';
  return 'in';
}

/** The path at which a sign-in by the provider (single sign-on) starts. */
export const providerPath = '/sign-in';

/** The ways to sign in, and whether the browser may have a session. */
async function readWays(): Promise<{
  readonly Provider: boolean;
  readonly Proxy: boolean;
  readonly Session: boolean;
}> {
  const answer = await fetch(`${providerPath}/ways`, { cache: 'no-store' });
  if (!answer.ok) throw new Error(`status ${answer.status}`);
  return (await answer.json()) as Awaited<ReturnType<typeof readWays>>;
}

/** Whether people can sign in by a provider. */
export async function hasProvider(): Promise<boolean> {
  return readWays().then(
    ({ Provider }) => Provider,
    () => false,
  );
}

/**
 * Signs out, also of the provider if it signed the person in. The sign-in is shown after the session has ended, because
 * a page that is opened earlier would still find the session valid.
 */
export async function signOut(): Promise<void> {
  const csrfToken = session.value?.csrfToken;
  forget('checking');
  others?.postMessage(signedOut);
  localStorage.setItem(leavingKey, '1');
  await leave(csrfToken);
}

/** Removes everything of the sign-in from this page. */
function forget(next: 'checking' | 'no'): void {
  batch(() => {
    session.value = undefined;
    state.value = next;
    endSignIn();
  });
}

/** Connects the tabs of this browser, which share the cookie. */
let others: BroadcastChannel | undefined;
const signedOut = '';

/**
 * Follows the other tabs: signing out in one signs out in all, and all show the person who signed in last. Returns a
 * function that stops it.
 */
export function watchOtherTabs(): () => void {
  const channel = new BroadcastChannel('vantage-session');
  channel.addEventListener('message', ({ data }) => {
    if (wallKey !== undefined || data === session.value?.csrfToken) return;
    if (data === signedOut) forget('no');
    else resumeSession().catch(() => forget('no'));
  });
  others = channel;
  return () => {
    others = undefined;
    channel.close();
  };
}

/** Ends the browser's session and shows the sign-in. A session that could not be ended is remembered. */
async function leave(csrfToken?: string): Promise<void> {
  try {
    const provider = await endSession(csrfToken);
    localStorage.removeItem(leavingKey);
    if (provider !== null) location.assign(provider);
  } catch {
    openSession.value = true;
  }
  state.value = 'no';
}

/**
 * Ends the browser's session, if there is one. If `knownToken` belongs to an earlier session, the token of the present
 * one is read. Resolves with the address at which the provider signs the person out.
 */
async function endSession(knownToken?: string): Promise<string | null> {
  const signal = AbortSignal.timeout(signOutMs);
  const csrfToken = knownToken ?? (await readToken(signal));
  if (csrfToken === undefined) return null;
  const headers = { [csrfHeader]: csrfToken };
  // `keepalive`: the request continues when the page is closed.
  const answer = await fetch(path, { method: 'DELETE', headers, keepalive: true, signal });
  if (answer.status === 400 && knownToken !== undefined) return endSession();
  if (!answer.ok) throw new Error(answer.statusText);
  return ((await answer.json()) as { SignOut: string | null }).SignOut;
}

/** The token of the browser's session; undefined: there is no session. */
async function readToken(signal: AbortSignal): Promise<string | undefined> {
  const answer = await fetch(path, { cache: 'no-store', signal });
  const { CsrfToken, code } = (await answer.json()) as { CsrfToken?: string; code?: number };
  if (!answer.ok && code !== noSession) throw new Error(answer.statusText);
  return CsrfToken;
}

/** To be called when the API refused the credential. */
export function refuseSession(): void {
  if (state.value === 'yes') state.value = 'ended';
}

/** Starts the session that an answer grants; false: the credential was refused. */
async function accept(answer: Response): Promise<boolean> {
  const text = await answer.text();
  if (answer.status === 400) return false;
  if (!answer.ok) throw new Error(text.slice(0, 200));
  const { Name, Level, Tags, HasPassword, CsrfToken } = JSON.parse(text) as Schemas['Session'];
  const next: PageSession = {
    name: Name,
    level: Level,
    tags: Tags,
    hasPassword: HasPassword,
    csrfToken: CsrfToken,
  };
  const isAnother = session.value !== undefined && !(await seesTheSame(session.value, next));
  batch(() => {
    if (isAnother) endSignIn();
    session.value = next;
    state.value = 'yes';
  });
  others?.postMessage(CsrfToken);
  // A sign-in ends the previous session.
  localStorage.removeItem(leavingKey);
  openSession.value = false;
  return true;
}

/** Whether a new session sees at least as much as the previous one. Then the screens and their drafts stay. */
async function seesTheSame(before: PageSession, next: PageSession): Promise<boolean> {
  const isLess = before.level === 'UA' && next.level !== 'UA';
  const hasOtherTags = JSON.stringify(before.tags) !== JSON.stringify(next.tags);
  if (isLess || hasOtherTags || accountId.value === undefined) return false;
  const answer = await fetch('/v1.1/account', { cache: 'no-store' });
  if (!answer.ok) return false;
  const { account_id } = (await answer.json()) as { account_id: string };
  return account_id === accountId.value;
}
