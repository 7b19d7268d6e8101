import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Dialog } from './parts/dialog.tsx';
import { Frame } from './parts/frame.tsx';
import { useKeys } from './parts/keys.ts';
import { LeaveDialog } from './parts/leave-dialog.tsx';
import { Failure, Waiting } from './parts/notice.tsx';
import { screenList } from './screen-list.ts';
import type { ScreenProps } from './screen-props.ts';
import css from './screens/sign-in/sign-in.module.css';
import { SignIn } from './screens/sign-in/sign-in.tsx';
import { counts } from './store/account-state.ts';
import { address, go } from './store/address.ts';
import { announceOutages } from './store/announce.ts';
import { mayWrite, resumeSession, session, signedIn } from './store/credential.ts';
import { forgetDrafts } from './store/drafts.ts';
import { followFacts } from './store/follow.ts';
import { signInEnd, signInNumber } from './store/present-sign-in.ts';
import { undoLast } from './store/undo.ts';
import { checkVersion } from './store/version.ts';
import { texts } from './texts/index.ts';

type Lazy = 'palette' | 'keys';

const wallPath = '/wall';
/** A wall has neither navigation nor anything to press. */
const loadWall = async () => (await import('./screens/wall/wall.tsx')).Wall;
const loadEnter = async () => (await import('./screens/wall/enter.tsx')).Enter;
/** The key that stands in the address of a wall; '': there is none. */
const wallKey = location.pathname === wallPath ? location.hash.slice(1) : '';

const lazy: Readonly<Record<Lazy, () => Promise<ComponentType<{ onClose: () => void }>>>> = {
  palette: async () => (await import('./screens/palette/palette.tsx')).Palette,
  keys: async () => (await import('./screens/palette/key-list.tsx')).KeyList,
};

/** Shows a component of a file of its own. */
function Loaded<Props extends object>({
  load,
  props,
}: {
  readonly load: () => Promise<ComponentType<Props>>;
  readonly props: Props;
}) {
  const [state, setState] = useState<{ Shown?: ComponentType<Props>; problem?: unknown; of?: unknown }>({});
  useEffect(() => {
    let isCurrent = true;
    load().then(
      (Shown) => isCurrent && setState({ Shown, of: load }),
      (problem: unknown) => {
        // A newer controller does not have the parts of this page any more.
        void checkVersion();
        if (isCurrent) setState({ problem, of: load });
      },
    );
    return () => {
      isCurrent = false;
    };
  }, [load]);
  const { Shown, problem, of } = state;
  if (of === load && problem !== undefined)
    return (
      <div class="page">
        {/* Browsers remember a module that failed: only a reload asks for it again. */}
        <Failure problem={problem} retry={() => location.reload()} />
      </div>
    );
  if (of !== load || Shown === undefined)
    return (
      <div class="page">
        <Waiting />
      </div>
    );
  return <Shown {...props} />;
}

function Screen() {
  const { path } = address.value;
  for (const { pattern, load } of screenList) {
    const found = pattern.exec(path);
    if (found !== null) {
      const id = found[1] ?? '';
      return <Loaded<ScreenProps> key={`${pattern}${id}`} load={load} props={{ id }} />;
    }
  }
  return (
    <div class="page">
      <h1>{texts.problem.notFound}</h1>
    </div>
  );
}

function SignedIn() {
  const [opened, setOpened] = useState<Lazy>();
  // A dialog tells of its end a moment later; another may be open by then.
  const close = () => setOpened((now) => (now === opened ? undefined : now));
  useEffect(() => {
    const ending = new AbortController();
    // The sign-in ends before this screen goes.
    void followFacts(AbortSignal.any([ending.signal, signInEnd()]));
    return () => {
      ending.abort();
      forgetDrafts();
    };
  }, []);
  useEffect(() => announceOutages(texts.announce), []);
  // Above a session that ended another person may sign in.
  const person = `${session.value?.level} ${session.value?.name}`;
  useEffect(() => forgetDrafts(), [person]);
  useKeys({
    'Ctrl+k': () => setOpened('palette'),
    '?': () => setOpened('keys'),
    'g o': () => go('/'),
    'g d': () => go('/devices'),
    'g a': () => go('/alerts'),
    'g l': () => go('/locations'),
    'g s': () => go('/schedules'),
    'g r': () => go('/reports'),
    z: () => void undoLast(),
    ...(mayWrite.value ? { c: () => go('/devices/new') } : {}),
  });
  return (
    <>
      {address.value.path === wallPath ? (
        <Loaded load={loadWall} props={{}} />
      ) : (
        <Frame onSearch={() => setOpened('palette')}>
          <Screen />
        </Frame>
      )}
      {opened !== undefined && <Loaded key={opened} load={lazy[opened]} props={{ onClose: close }} />}
      <LeaveDialog />
      {signedIn.value === 'ended' && wallKey === '' && (
        <Dialog title={texts.signIn.title} onClose={() => {}} isHeadHidden>
          <SignIn hasEnded />
        </Dialog>
      )}
    </>
  );
}

/** The page: the sign-in, or the screens. */
export function App() {
  const [problem, setProblem] = useState<unknown>();
  const title =
    signedIn.value === 'no' || signedIn.value === 'asking' ? texts.name : texts.title(counts.value.Down);
  useEffect(() => {
    document.title = title;
  }, [title]);
  useEffect(() => {
    if (wallKey === '') resumeSession().catch(setProblem);
  }, []);
  if (wallKey !== '' && signedIn.value === 'asking') return <Loaded load={loadEnter} props={{ wallKey }} />;
  if (signedIn.value === 'asking')
    return (
      <main class="page">
        {problem === undefined ? <Waiting /> : <Failure problem={problem} retry={() => location.reload()} />}
      </main>
    );
  if (signedIn.value === 'no')
    return (
      <main class={css['alone']}>
        <SignIn />
      </main>
    );
  // Another person begins with new screens.
  return <SignedIn key={signInNumber.value} />;
}
