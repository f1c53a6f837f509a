/** A condition the operator can act on. Its message is one line naming the cause; the launcher prints it and exits 1. */
export class LaunchFailure extends Error {}
