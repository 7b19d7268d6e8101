import { fullShare } from '../../model/fleet-agent.ts';
import css from './locations.module.css';
import { locationsTexts as say } from './locations-texts.ts';

const width = 88;

/** A load as a bar of its capacity, with a line at 80 %. */
export function LoadBar({ load, capacity }: { readonly load: number; readonly capacity: number }) {
  const share = capacity > 0 ? load / capacity : 0;
  // A load that is not 0 has at least one pixel.
  const pixels = load > 0 ? Math.max(1, Math.min(1, share) * width) : 0;
  return (
    <>
      <svg
        class={`${css['bar']} ${share >= fullShare ? css['full'] : ''}`}
        viewBox={`0 0 ${width} 8`}
        role="img"
        aria-label={say.barLabel(share)}
      >
        <rect width={pixels} height="8" fill="currentColor" />
        <line x1={width * fullShare} x2={width * fullShare} y1="0" y2="8" />
      </svg>
      <span class="mute">{say.ofCapacity(load, capacity)}</span>
    </>
  );
}
