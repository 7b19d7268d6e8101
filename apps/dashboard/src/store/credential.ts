import { batch, computed, signal } from '@preact/signals';
import { accountId, endSignIn } from './present-sign-in.ts';

// The only module that knows how the page proves who it is: by the cookie of a session, which no script can read, or
// on a wall by the key in its address.

/** The rights of the key or person. */
export interface Session {
  readonly name: string;
  readonly level: string;
  /** The tags to which it is limited; null: it is not limited. */
  readonly tags: readonly string[] | null;
  /** Every request that changes something carries it. */
  readonly csrfToken: string;
}

/** The fields of the sign-in. Without a key, `name` is the e-mail address of a person. */
export interface SignInFields {
  readonly key: string;
  readonly name: string;
  readonly password: string;
}

export const session = signal<Session | undefined>(undefined);
const state = signal<'asking' | 'no' | 'yes' | 'ended'>('asking');
/** `ended`: it was good and is refused now, so the screen stays while one signs in again. */
export const signedIn = computed(() => state.value);
/** Whether it may change devices and settings. */
export const mayWrite = computed(() => ['UW', 'UA'].includes(session.value?.level ?? ''));
/** Whether it may acknowledge, snooze, start maintenance and check. */
export const mayOperate = computed(() => ['UO', 'UW', 'UA'].includes(session.value?.level ?? ''));

/** A sign-in that has to name one of these accounts; undefined: none has. */
export const accountChoice = signal<
  { readonly accounts: readonly string[]; readonly body: object } | undefined
>(undefined);

/** Somebody signed out, and the controller did not answer: the session may be open there. */
export const openSession = signal(false);

/** Whether it may see keys and people. */
export const mayAdminister = computed(() => session.value?.level === 'UA');

/** The key of a wall. It only views, so that it may stand in an address. */
let wallKey: string | undefined;
const keyHeader = 'Service-API-Key';

const path = '/v1.1/session';
const csrfHeader = 'X-CSRF-Token';
/** The code of the API for: nobody is signed in. */
const noSession = 1001;
const signOutMs = 5_000;
/** Kept in the browser while a session is to be ended, so that a page that is opened meanwhile ends it too. */
const leavingPlace = 'vantage-signing-out';
const reads = ['GET', 'HEAD'];

/** Adds to a request what proves that this page sent it. The browser adds the cookie. */
export function authorize({ method, headers }: Request): void {
  if (wallKey !== undefined) headers.set(keyHeader, wallKey);
  if (!reads.includes(method) && session.value !== undefined)
    headers.set(csrfHeader, session.value.csrfToken);
}

/** Signs in. Returns whether the key or password is good; throws when the API cannot be asked. */
export async function signIn({ key, name, password }: SignInFields): Promise<boolean> {
  const person = { Email: name, Password: password };
  const ofKey = name === '' ? { Key: key } : { Key: key, Name: name, Password: password };
  const given = key === '' ? person : ofKey;
  return send(given);
}

/** Signs in to one of the accounts that `accountChoice` has. */
export async function signInTo(Account: string): Promise<boolean> {
  return send({ ...accountChoice.value?.body, Account });
}

/** Finds out whether the browser has a session already, or a proxy in front of the controller signed the person in. */
export async function resumeSession(): Promise<void> {
  if (localStorage.getItem(leavingPlace) !== null) return leave();
  const isGood = (await take(await fetch(path, { cache: 'no-store' }))) || (await send({}));
  if (!isGood) forget('no');
}

async function send(body: object): Promise<boolean> {
  const headers = { 'Content-Type': 'application/json' };
  const answer = await fetch(path, { method: 'POST', headers, body: JSON.stringify(body) });
  const accounts = await readAccounts(answer.clone());
  accountChoice.value = accounts && { accounts, body };
  return take(answer);
}

/** The accounts that a refusal lets one choose from. */
async function readAccounts(answer: Response): Promise<readonly string[] | undefined> {
  if (answer.status !== 400) return undefined;
  return ((await answer.json()) as { Accounts?: readonly string[] }).Accounts;
}

/**
 * Lets a wall in by a key; there is no session that could end. Returns its level where it can change things, which is
 * refused, and undefined where the key is not in force.
 */
export async function enterByKey(key: string): Promise<'in' | { readonly level: string } | undefined> {
  const headers = { [keyHeader]: key };
  const answer = await fetch('/v1.1/hello?fmt=json', { headers, cache: 'no-store', credentials: 'omit' });
  if (answer.status === 400) return undefined;
  if (!answer.ok) throw new Error(`status ${answer.status}`);
  const { AuthLevel: level } = (await answer.json()) as { AuthLevel: string };
  if (level !== 'UR') return { level };
  wallKey = key;
  session.value = { name: '', level, tags: null, csrfToken: '' };
  state.value = 'yes';
  return 'in';
}

/** Where a sign-in by the provider (single sign-on) begins. */
export const providerPath = '/sign-in';

/** Whether a provider signs people in here. */
export async function hasProvider(): Promise<boolean> {
  try {
    const answer = await fetch(`${providerPath}/ways`, { cache: 'no-store' });
    return answer.ok && ((await answer.json()) as { Provider?: unknown }).Provider === true;
  } catch {
    return false;
  }
}

/**
 * Signs out, of the provider too where it signed the person in. The sign-in is shown when the session has ended: a page
 * that is opened earlier would find it good.
 */
export async function signOut(): Promise<void> {
  const csrfToken = session.value?.csrfToken;
  forget('asking');
  others?.postMessage(signedOut);
  localStorage.setItem(leavingPlace, '1');
  await leave(csrfToken);
}

/** Nothing of the sign-in stays on this page. */
function forget(next: 'asking' | 'no'): void {
  batch(() => {
    session.value = undefined;
    state.value = next;
    endSignIn();
  });
}

/** The other tabs of this browser have the same cookie. */
let others: BroadcastChannel | undefined;
const signedOut = '';

/**
 * Follows the other tabs: a sign-out in one is a sign-out in all, and all show the person who signed in last. Returns a
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

/** Ends the session of the browser, shows the sign-in, and remembers what could not be ended. */
async function leave(csrfToken?: string): Promise<void> {
  try {
    const provider = await endSession(csrfToken);
    localStorage.removeItem(leavingPlace);
    if (provider !== null) location.assign(provider);
  } catch {
    openSession.value = true;
  }
  state.value = 'no';
}

/**
 * Ends the session of the browser, if there is one. The token that the page has may be of an earlier session: then the
 * present one's is asked for. Resolves with the address where its provider signs the person out.
 */
async function endSession(known?: string): Promise<string | null> {
  const signal = AbortSignal.timeout(signOutMs);
  const csrfToken = known ?? (await askToken(signal));
  if (csrfToken === undefined) return null;
  const headers = { [csrfHeader]: csrfToken };
  // It goes on when the page is closed.
  const answer = await fetch(path, { method: 'DELETE', headers, keepalive: true, signal });
  if (answer.status === 400 && known !== undefined) return endSession();
  if (!answer.ok) throw new Error(answer.statusText);
  return ((await answer.json()) as { SignOut: string | null }).SignOut;
}

/** The token of the browser's session; undefined: it has none. */
async function askToken(signal: AbortSignal): Promise<string | undefined> {
  const answer = await fetch(path, { cache: 'no-store', signal });
  const { CsrfToken, code } = (await answer.json()) as { CsrfToken?: string; code?: number };
  if (!answer.ok && code !== noSession) throw new Error(answer.statusText);
  return CsrfToken;
}

/** The API refused the credential. */
export function refuseSession(): void {
  if (state.value === 'yes') state.value = 'ended';
}

async function take(answer: Response): Promise<boolean> {
  const text = await answer.text();
  if (answer.status === 400) return false;
  if (!answer.ok) throw new Error(text.slice(0, 200));
  const { Name, Level, Tags, CsrfToken } = JSON.parse(text) as {
    Name: string;
    Level: string;
    Tags: string[] | null;
    CsrfToken: string;
  };
  const next: Session = { name: Name, level: Level, tags: Tags, csrfToken: CsrfToken };
  const isAnother = session.value !== undefined && !(await seesTheSame(session.value, next));
  batch(() => {
    if (isAnother) endSignIn();
    session.value = next;
    state.value = 'yes';
  });
  others?.postMessage(CsrfToken);
  // A sign-in ends the session before it.
  localStorage.removeItem(leavingPlace);
  openSession.value = false;
  return true;
}

/** Whether a new session sees at least what the one before saw: then the screens stay, with what was typed there. */
async function seesTheSame(before: Session, next: Session): Promise<boolean> {
  const isLess = before.level === 'UA' && next.level !== 'UA';
  const hasOtherTags = JSON.stringify(before.tags) !== JSON.stringify(next.tags);
  if (isLess || hasOtherTags || accountId.value === undefined) return false;
  const answer = await fetch('/v1.1/account', { cache: 'no-store' });
  if (!answer.ok) return false;
  const { account_id } = (await answer.json()) as { account_id: string };
  return account_id === accountId.value;
}
