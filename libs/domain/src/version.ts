/** The version of everything that is released together: controller, agent, commands, packages. It stands nowhere else. */
export const productVersion = '0.3.0';
