import type { FoldEvent } from './step.ts';

/**
 * The events of a story folded again that are news beside those of the story told before. One whose place a result that came
 * later has taken (the same type, between the same neighbours, by another check) is no news: a device that was told to be Up is
 * not told so again because an earlier check says it too.
 */
export function untold(told: readonly FoldEvent[], story: readonly FoldEvent[]): FoldEvent[] {
  const kept = new Set(story.map(keyOf));
  const fresh: FoldEvent[] = [];
  let from = 0;
  for (const event of story) {
    const rest = told.slice(from);
    const same = rest.findIndex((one) => keyOf(one) === keyOf(event));
    if (same >= 0) {
      from += same + 1;
      continue;
    }
    const next = rest.findIndex((one) => kept.has(keyOf(one)));
    const between = next < 0 ? rest : rest.slice(0, next);
    const moved = between.findIndex((one) => one.type === event.type);
    if (moved >= 0) from += moved + 1;
    else fresh.push(event);
  }
  return fresh;
}

function keyOf({ type, cause }: FoldEvent): string {
  return `${type}/${cause.startUs}/${cause.agentNo}`;
}
