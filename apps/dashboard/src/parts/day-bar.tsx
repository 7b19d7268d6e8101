import type { State } from '../model/state.ts';
import css from './bar.module.css';

const names: Readonly<Record<string, string>> = { U: 'Up', D: 'Down', M: 'Maint', K: 'Unknown' };
const heights: Readonly<Record<string, number>> = { Up: 3, Down: 16, Maint: 8, Unknown: 8 };
const steps = 72;

/** A day in 72 letters, the worst status of each 20 minutes. Without them it is a thin line. */
export function DayBar({ letters, state }: { readonly letters: string; readonly state: State }) {
  const runs: { x: number; width: number; name: string }[] = [];
  for (const [x, letter] of letters.split('').entries()) {
    const name = names[letter];
    if (name === undefined) continue;
    const last = runs.at(-1);
    if (last?.name === name && last.x + last.width === x) last.width += 1;
    else runs.push({ x, width: 1, name });
  }
  return (
    <svg
      class={css['day']}
      viewBox={`0 0 ${steps} 16`}
      preserveAspectRatio="none"
      aria-hidden="true"
      data-state={state}
    >
      <rect class={css['none']} x="0" y="15" width={steps} height="1" />
      {runs.map(({ x, width, name }) => {
        const height = heights[name] ?? 3;
        return <rect key={x} class={css[name]} x={x} y={16 - height} width={width} height={height} />;
      })}
    </svg>
  );
}
