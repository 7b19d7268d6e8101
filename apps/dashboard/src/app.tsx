import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Dialog } from './parts/dialog.tsx';
import { collectLetters, takeLetters } from './parts/early-letters.ts';
import { useKeys } from './parts/keys.ts';
import { LeaveDialog } from './parts/leave-dialog.tsx';
import { FailureNotice, WaitingRows } from './parts/notice.tsx';
import { PageFrame } from './parts/page-frame.tsx';
import { screenList } from './screen-list.ts';
import type { ScreenProps } from './screen-props.ts';
import css from './screens/sign-in/sign-in.module.css';
import { SignInForm } from './screens/sign-in/sign-in.tsx';
import { counts } from './store/account-state.ts';
import { go, shownPath } from './store/address.ts';
import { announceOutages } from './store/announce.ts';
import { mayWrite, resumeSession, session, signedIn } from './store/credential.ts';
import { forgetDrafts } from './store/drafts.ts';
import { followFacts } from './store/follow.ts';
import { signInEnd, signInNumber } from './store/present-sign-in.ts';
import { undoLast } from './store/undo.ts';
import { checkVersion } from './store/version.ts';
import { frameTexts } from './texts/frame-texts.ts';
import { problemTexts } from './texts/problem-texts.ts';

type Lazy = 'palette' | 'keys';

const wallPath = '/wall';
const loadWall = async () => (await import('./screens/wall/wall.tsx')).WallScreen;
const loadWallSignIn = async () => (await import('./screens/wall/wall-sign-in.tsx')).WallSignIn;
/** The key in the address of a wall; '': there is none. */
const wallKey = location.pathname === wallPath ? location.hash.slice(1) : '';

const lazy: Readonly<Record<Lazy, () => Promise<ComponentType<{ onClose: () => void }>>>> = {
  palette: async () => {
    try {
      return (await import('./screens/palette/palette.tsx')).Palette;
    } catch (problem) {
      takeLetters();
      throw problem;
    }
  },
  keys: async () => (await import('./screens/palette/key-list.tsx')).KeyList,
};

/** Loads a component, and shows it. */
function Loaded<Props extends object>({
  load,
  props,
}: {
  readonly load: () => Promise<ComponentType<Props>>;
  readonly props: Props;
}) {
  const [state, setState] = useState<{
    Shown?: ComponentType<Props>;
    problem?: unknown;
    source?: unknown;
  }>({});
  useEffect(() => {
    let isCurrent = true;
    load().then(
      (Shown) => isCurrent && setState({ Shown, source: load }),
      (problem: unknown) => {
        // A newer controller no longer serves the parts of this page.
        void checkVersion();
        if (isCurrent) setState({ problem, source: load });
      },
    );
    return () => {
      isCurrent = false;
    };
  }, [load]);
  const { Shown, problem, source } = state;
  if (source === load && problem !== undefined)
    return (
      <div class="page">
        {/* Browsers remember a module that failed to load: only a reload requests it again. */}
        <FailureNotice problem={problem} retry={() => location.reload()} />
      </div>
    );
  if (source !== load || Shown === undefined)
    return (
      <div class="page">
        <WaitingRows />
      </div>
    );
  return <Shown {...props} />;
}

function Screen() {
  const { value: path } = shownPath;
  for (const { pattern, load } of screenList) {
    const found = pattern.exec(path);
    if (found !== null) {
      const id = found[1] ?? '';
      return <Loaded<ScreenProps> key={`${pattern}${id}`} load={load} props={{ id }} />;
    }
  }
  return (
    <div class="page">
      <h1>{problemTexts.notFound}</h1>
    </div>
  );
}

function SignedIn() {
  const [opened, setOpened] = useState<Lazy>();
  // A dialog reports its end a moment later; another one may be open by then.
  const close = () => setOpened((now) => (now === opened ? undefined : now));
  const openPalette = () => {
    if (opened !== 'palette') collectLetters();
    setOpened('palette');
  };
  useEffect(() => {
    const ending = new AbortController();
    // The sign-in ends before this component is removed.
    void followFacts(AbortSignal.any([ending.signal, signInEnd()]));
    return () => {
      ending.abort();
      takeLetters();
      forgetDrafts();
    };
  }, []);
  useEffect(() => announceOutages(frameTexts.announce), []);
  // After a session has ended, another person may sign in.
  const person = `${session.value?.level} ${session.value?.name}`;
  useEffect(() => forgetDrafts(), [person]);
  useKeys({
    'Ctrl+k': openPalette,
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
      {shownPath.value === wallPath ? (
        <Loaded load={loadWall} props={{}} />
      ) : (
        <PageFrame onSearch={openPalette}>
          <Screen />
        </PageFrame>
      )}
      {opened !== undefined && <Loaded key={opened} load={lazy[opened]} props={{ onClose: close }} />}
      <LeaveDialog />
      {signedIn.value === 'ended' && wallKey === '' && (
        <Dialog title={frameTexts.signIn} onClose={() => {}} isHeadHidden>
          <SignInForm hasEnded />
        </Dialog>
      )}
    </>
  );
}

/** The page: the sign-in, or the screens. */
export function PageRoot() {
  const [problem, setProblem] = useState<unknown>();
  const title =
    signedIn.value === 'no' || signedIn.value === 'checking'
      ? frameTexts.name
      : frameTexts.title(counts.value.Down);
  useEffect(() => {
    document.title = title;
  }, [title]);
  useEffect(() => {
    if (wallKey === '') resumeSession().catch(setProblem);
  }, []);
  if (wallKey !== '' && signedIn.value === 'checking')
    return <Loaded load={loadWallSignIn} props={{ wallKey }} />;
  if (signedIn.value === 'checking')
    return (
      <main class="page">
        {problem === undefined ? (
          <WaitingRows />
        ) : (
          <FailureNotice problem={problem} retry={() => location.reload()} />
        )}
      </main>
    );
  if (signedIn.value === 'no')
    return (
      <main class={css['alone']}>
        <SignInForm />
      </main>
    );
  // Another person starts with new screens.
  return <SignedIn key={signInNumber.value} />;
}
