import { CheckDetail } from '../../parts/check-detail.tsx';
import { Failure, Waiting } from '../../parts/notice.tsx';
import { useRead } from '../../parts/use-read.ts';
import { texts } from '../../texts/index.ts';
import { type Check, readExtended } from './read-detail.ts';

/** A stored check in full. */
export function OpenedCheck({ check }: { readonly check: Check }) {
  const { data, problem, again } = useRead(() => readExtended(check.check_id), [check.check_id]);
  return (
    <CheckDetail check={check} extended={data?.Extended}>
      {problem !== undefined && <Failure problem={problem} retry={again} />}
      {data === undefined && problem === undefined && <Waiting rows={3} />}
      {typeof data?.Agent === 'string' && <p class="hint">{texts.device.agent(data.Agent)}</p>}
    </CheckDetail>
  );
}
