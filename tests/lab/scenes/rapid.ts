import { eachFiveSeconds } from '../devices.ts';
import type { Scene } from '../scene.ts';

/** At this scale a check may still last two seconds of true time without the next one being late. */
const rapidScale = 2;

/** The same scene with devices that are checked every five seconds and are Down at the first error. */
export function rapid(scene: Scene): Scene {
  return {
    ...scene,
    shows: `${scene.shows} (checked every 5 s, Down at the first error)`,
    fixture: { ...scene.fixture, scale: rapidScale, rhythm: eachFiveSeconds },
    limitSeconds: 420,
  };
}
