import { useScenes } from './scenes.ts';

/** One system for all scenes of a run: a start and a measure in peace take half a minute. */
export const scenes = useScenes();
