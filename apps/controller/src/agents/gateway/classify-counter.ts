/**
 * The meaning of a Hello's session counter, compared with the highest counter known of this agent. An agent writes each
 * number to its disk before it uses it, has one process and one connection at a time, and closes a connection before it
 * opens the next. So:
 *
 * | counter | the sender still answers, now that the higher one is known | verdict |
 * |---|---|---|
 * | higher than known | | `open`: the agent connects again, after a cut, a restart or a kill |
 * | not higher | not asked yet | `ask` |
 * | not higher | no | `late`: an earlier Hello of the agent that was held up on its way, from a process or connection that is gone |
 * | not higher | yes | `copy`: two processes use one identity, or one process runs on a folder that was put back to an earlier state |
 */
export type CounterVerdict = 'open' | 'ask' | 'late' | 'copy';

/** Classifies a Hello; `answers` is undefined until the sender was pinged, after `known` was read. Pure. */
export function classifyCounter(hello: {
  readonly counter: number;
  readonly known: number;
  readonly answers: boolean | undefined;
}): CounterVerdict {
  if (hello.counter > hello.known) return 'open';
  if (hello.answers === undefined) return 'ask';
  return hello.answers ? 'copy' : 'late';
}
