import { useEffect, useState } from 'preact/hooks';
import { enterByKey } from '../../store/credential.ts';
import css from './wall.module.css';
import { wallTexts as say } from './wall-texts.ts';

const retryMs = 10_000;

/** Signs a wall in by the key in its address. It tries again while the controller does not answer. */
export function WallSignIn({ wallKey }: { readonly wallKey: string }) {
  const [words, setWords] = useState<string>(say.loading);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isCurrent = true;
    const enter = async () => {
      try {
        const result = await enterByKey(wallKey);
        if (result === 'in') return;
        if (isCurrent) setWords(result === undefined ? say.badKey : say.wrongLevel(result.level));
      } catch {
        if (!isCurrent) return;
        setWords(say.unreachable);
        timer = setTimeout(() => void enter(), retryMs);
      }
    };
    void enter();
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [wallKey]);
  return (
    <main class={css['wall']}>
      <h1 class={css['alone']}>{words}</h1>
    </main>
  );
}
