/** The version of everything that is released together: controller, agent, commands, packages. */
export const productVersion = '0.3.0';
