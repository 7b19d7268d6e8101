import type { Schemas } from '@vantage/client';
import { notifiedFacts } from '../model/checklist.ts';
import { ApiProblem, api, take } from './api.ts';
import { session } from './credential.ts';
import { accountId, accountSignal } from './present-sign-in.ts';

/** The facts of the first steps that only requests tell. */
export type ReadChecklist = Awaited<ReturnType<typeof readChecklist>>;

const paths = [
  '/account',
  '/nschedules',
  '/contacts',
  '/users',
  '/pages',
  '/installation',
  '/installation/settings',
] as const;

interface Bodies {
  readonly '/account': Schemas['Account'];
  readonly '/nschedules': readonly Schemas['NotificationSchedule'][];
  readonly '/contacts': readonly Schemas['Contact'][];
  readonly '/users': readonly Schemas['User'][];
  readonly '/pages': readonly Schemas['Page'][];
  readonly '/installation': Schemas['Installation'];
  readonly '/installation/settings': Schemas['InstallationSettings'];
}

const denied = 1002;

/** Reads the facts by one request, because the overview is the first screen. */
export async function readChecklist() {
  const Operations = paths.map((Path) => ({ Method: 'GET' as const, Path }));
  const { Results } = await take(api.POST('/batch', { body: { Atomic: false, Operations } }));
  const bodyOf = <Path extends keyof Bodies>(path: Path): Bodies[Path] | undefined => {
    const { Status, Body } = Results[paths.indexOf(path)] ?? {};
    if (Status === 200) return Body as unknown as Bodies[Path];
    const { code = 0, message = '' } = Body as { code?: number; message?: string };
    if (code === denied) return undefined;
    throw new ApiProblem(code, message);
  };
  const settings = bodyOf('/installation/settings');
  const [account, schedules, contacts] = [bodyOf('/account'), bodyOf('/nschedules'), bodyOf('/contacts')];
  const hasMailServer = settings && settings.MailServer !== null;
  const others = bodyOf('/users')?.filter(({ Name }) => Name !== session.value?.name);
  const accepted = others?.filter(({ SignIn }) => SignIn !== 'Invited').length ?? 0;
  const backup = bodyOf('/installation')?.Backup;
  return {
    hasMailServer,
    notified:
      account && schedules && contacts
        ? notifiedFacts(account.nschedule_id, schedules, contacts, hasMailServer)
        : undefined,
    people: others && { accepted, invited: others.length - accepted },
    pages: bodyOf('/pages')?.length,
    backup: backup && {
      madeMs: backup.Made === null ? null : Date.parse(backup.Made),
      maxDays: backup.MaxDays,
    },
  };
}

/** The accounts whose first steps this browser does not show: they are done, or were hidden. */
const storageKey = 'vantage-first-steps';

function storedStates(): Readonly<Record<string, 'hidden' | 'done'>> {
  try {
    return JSON.parse(localStorage.getItem(storageKey) ?? '{}') as Record<string, 'hidden' | 'done'>;
  } catch {
    return {};
  }
}

const chosen = accountSignal<'hidden' | 'done' | 'shown' | undefined>(undefined);

/** Whether the first steps are shown. `done`: all were done when this browser read them last. */
export function firstSteps(): 'hidden' | 'done' | 'shown' {
  return chosen.value ?? storedStates()[accountId.value ?? ''] ?? 'shown';
}

/** Remembers it for the account in this browser. */
export function setFirstSteps(state: 'hidden' | 'done' | 'shown'): void {
  if (chosen.value === state || accountId.value === undefined) return;
  chosen.value = state;
  const { [accountId.value]: _, ...others } = storedStates();
  const next = state === 'shown' ? others : { ...others, [accountId.value]: state };
  localStorage.setItem(storageKey, JSON.stringify(next));
}
