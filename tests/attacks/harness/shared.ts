import { useScenes } from './scenes.ts';

/** One system for all scenes of a run, because a start and a measurement without an attack take half a minute. */
export const scenes = useScenes();
