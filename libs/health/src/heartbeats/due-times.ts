import { minuteUs } from '@vantage/domain';
import { nextCronTime, readCron } from '@vantage/kernel';

/** When calls are due. All times are microseconds since 1970. */
export interface DueTimes {
  /** Changes when the due times do. */
  readonly key: string;
  /** `cron`: at times of the clock. `every`: at most this long after the call before. */
  readonly kind: 'cron' | 'every';
  /** The due time that follows a call at `atUs`. */
  after(atUs: number): number;
  /** A call this long before a due time counts for it, because the job's clock is never exactly this one. */
  earlyUs(dueUs: number): number;
}

/** The latest possible time of a rule that has none: it is never due. */
const neverUs = Number.MAX_SAFE_INTEGER;

const maxEarlyUs = minuteUs;

/** The due times of a cron line, which `readCron` accepts, in an IANA zone. */
export function cronTimes(line: string, zone: string, graceUs: number): DueTimes {
  const read = readCron(line);
  const after = (atUs: number) => {
    const ms = read.ok ? nextCronTime(read.rule, zone, Math.floor(atUs / 1000)) : undefined;
    return ms === undefined ? neverUs : ms * 1000;
  };
  return {
    key: `${line} ${zone}`,
    kind: 'cron',
    after,
    earlyUs: (dueUs) => Math.min(maxEarlyUs, graceUs, Math.floor((after(dueUs) - dueUs) / 2)),
  };
}

/** A call is due every `everyUs`. */
export function everyTimes(everyUs: number): DueTimes {
  return { key: `every ${everyUs}`, kind: 'every', after: (atUs) => atUs + everyUs, earlyUs: () => everyUs };
}
