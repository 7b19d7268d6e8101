import { useEffect, useState } from 'preact/hooks';
import { enterByKey } from '../../store/credential.ts';
import { wallTexts as say } from '../../texts/wall.ts';
import css from './wall.module.css';

const retryMs = 10_000;

/** Lets a wall in by the key of its address, and tries again while the controller does not answer. */
export function Enter({ wallKey }: { readonly wallKey: string }) {
  const [words, setWords] = useState<string>(say.loading);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isCurrent = true;
    const enter = async () => {
      try {
        const found = await enterByKey(wallKey);
        if (found === 'in') return;
        if (isCurrent) setWords(found === undefined ? say.badKey : say.wrongLevel(found.level));
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
